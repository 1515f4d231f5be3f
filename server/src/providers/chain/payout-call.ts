import type { Hex } from 'viem'
import { concat, encodeFunctionData, getAddress, isHex, parseAbi, parseTransaction } from 'viem/utils'

/** The payout in a transaction. The chain alone identifies the withdrawal, even after a database restore. */
export type PayoutCall = { readonly toAddress: string; readonly amount: bigint; readonly withdrawalId: string }

const tokenAbi = parseAbi(['function transfer(address to, uint256 amount)'])

/** Encodes a transfer with the withdrawal id appended to its arguments, where the token ignores it. */
export function payoutCall({ toAddress, amount, withdrawalId }: PayoutCall): Hex {
  const args = [getAddress(toAddress), amount] as const
  const transfer = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args })
  return concat([transfer, `0x${withdrawalId.replaceAll('-', '')}`])
}

const pattern =
  /^0xa9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/

/** Parses call data; null when it is not a payout. */
export function readPayoutCall(call: string): PayoutCall | null {
  const [, payee, amount, ...id] = pattern.exec(call) ?? []
  if (!payee || !amount) return null
  return { toAddress: getAddress(`0x${payee}`), amount: BigInt(`0x${amount}`), withdrawalId: id.join('-') }
}

/** Parses the payout of a stored, signed transaction. */
export function readSignedPayout(signedTransaction: string): (PayoutCall & { readonly token: string }) | null {
  if (!isHex(signedTransaction)) return null
  const { to, data = '0x' } = parseTransaction(signedTransaction)
  const call = readPayoutCall(data)
  return to && call ? { token: getAddress(to), ...call } : null
}
