import { setTimeout as delay } from 'node:timers/promises'
import type { Address, Hex } from 'viem'
import { getAddress, keccak256, numberToHex, slice, stringToHex } from 'viem/utils'
import { UpstreamError } from '../../lib/errors.ts'
import { quantity, text } from '../chain/evm-reading.ts'
import type { Rpc } from '../rpc/rpc.ts'

/** An Anvil can be told what no other node can: which blocks to make, what stands where. */
export async function isAnvil(rpc: Rpc): Promise<boolean> {
  return String(await rpc.request('web3_clientVersion', [])).startsWith('anvil/')
}

const minedWithinMilliseconds = 8_000

/** `made` is the address of the contract that it deployed, if it did. */
type Mined = { readonly txHash: string; readonly made: string | null }

/**
 * A transaction that the node signs for an account made for it alone, so that no two of them ever want the same nonce: the
 * name says which. Mined when it answers. Throws when it reverts.
 */
export async function transact(rpc: Rpc, name: string, { to, data }: { to?: Address; data: Hex }): Promise<Mined> {
  const from = getAddress(slice(keccak256(stringToHex(`purser sandbox ${name}`)), 12))
  await rpc.request('anvil_impersonateAccount', [from])
  await rpc.request('anvil_setBalance', [from, numberToHex(10n ** 18n)])
  const txHash = text(await rpc.request('eth_sendTransaction', [{ from, data, ...(to && { to }) }]))
  for (const until = performance.now() + minedWithinMilliseconds; performance.now() < until; await delay(20)) {
    const receipt = await rpc.request('eth_getTransactionReceipt', [txHash])
    if (receipt === null) continue
    const { status, contractAddress } = Object(receipt)
    if (quantity(status) !== 1n) throw new Error(`the transaction ${txHash} reverted`)
    return { txHash, made: contractAddress ?? null }
  }
  throw new Error(`the transaction ${txHash} was not mined`)
}

/** What the simulator asks of a chain fails as any call to a chain does, whatever the reason. */
export async function upstream<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof UpstreamError ? error : new UpstreamError('chain', 'unavailable', error)
  }
}
