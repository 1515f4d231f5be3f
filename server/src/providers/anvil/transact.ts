import { setTimeout as delay } from 'node:timers/promises'
import type { Address, Hex } from 'viem'
import { getAddress, keccak256, numberToHex, slice, stringToHex } from 'viem/utils'
import { UpstreamError } from '../../lib/errors.ts'
import { quantity, text } from '../chain/evm-reading.ts'
import type { Rpc } from '../rpc/rpc.ts'

/** Returns whether the node is Anvil, which can mine blocks and set balances on request. */
export async function isAnvil(rpc: Rpc): Promise<boolean> {
  return String(await rpc.request('web3_clientVersion', [])).startsWith('anvil/')
}

const minedWithinMilliseconds = 8_000
/** A fixed gas limit. An estimate is too low if a sweep empties the recipient before the transaction is mined. */
const gas = numberToHex(5_000_000n)

/** `contract` is the address of the deployed contract, or null. */
type Mined = { readonly txHash: string; readonly contract: string | null }

/**
 * Sends a transaction from its own impersonated account, derived from the name, so that concurrent transactions never
 * compete for a nonce. Resolves when it is mined, and throws when it reverts.
 */
export async function transact(rpc: Rpc, name: string, { to, data }: { to?: Address; data: Hex }): Promise<Mined> {
  const from = getAddress(slice(keccak256(stringToHex(`purser sandbox ${name}`)), 12))
  await rpc.request('anvil_impersonateAccount', [from])
  await rpc.request('anvil_setBalance', [from, numberToHex(10n ** 18n)])
  const txHash = text(await rpc.request('eth_sendTransaction', [{ from, data, gas, ...(to && { to }) }]))
  for (const until = performance.now() + minedWithinMilliseconds; performance.now() < until; await delay(20)) {
    const receipt = await rpc.request('eth_getTransactionReceipt', [txHash])
    if (receipt === null) continue
    const { status, contractAddress } = Object(receipt)
    if (quantity(status) !== 1n) throw new Error(`the transaction ${txHash} reverted`)
    return { txHash, contract: contractAddress ?? null }
  }
  throw new Error(`the transaction ${txHash} was not mined`)
}

/** Turns every failure of the simulator's work on a chain into an `UpstreamError`. */
export async function upstream<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof UpstreamError ? error : new UpstreamError('chain', 'unavailable', error)
  }
}
