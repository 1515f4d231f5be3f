import { setTimeout as delay } from 'node:timers/promises'
import {
  type Address,
  getAddress,
  type Hex,
  keccak256,
  numberToHex,
  slice,
  stringToHex,
  type TransactionReceipt,
} from 'viem'
import { UpstreamError } from '../../lib/refusal.ts'
import { type Rpc, RpcRefusal, rpcFailure } from '../rpc/rpc.ts'

/** An Anvil can be told what no other node can: which blocks to make, what stands where. */
export async function isAnvil(rpc: Rpc): Promise<boolean> {
  return String(await rpc.request('web3_clientVersion', [])).startsWith('anvil/')
}

const minedWithinMilliseconds = 8_000

/**
 * A transaction that the node signs for an account made for it alone, so that no two of them ever want the same nonce: the
 * name says which. Mined when it answers. Throws when it reverts.
 */
export async function transact(
  rpc: Rpc,
  name: string,
  { to, data }: { to?: Address; data: Hex },
): Promise<TransactionReceipt> {
  const from = getAddress(slice(keccak256(stringToHex(`purser sandbox ${name}`)), 12))
  await rpc.request('anvil_impersonateAccount', [from])
  await rpc.request('anvil_setBalance', [from, numberToHex(10n ** 18n)])
  // The node's answer to a transaction that it took is its hash.
  const hash = (await rpc.request('eth_sendTransaction', [{ from, data, ...(to && { to }) }])) as Hex
  for (const until = performance.now() + minedWithinMilliseconds; performance.now() < until; await delay(20)) {
    const receipt = await rpc.client.getTransactionReceipt({ hash }).catch((error: unknown) => {
      // viem's word for a transaction that waits is an error.
      if (error instanceof Error && error.name === 'TransactionReceiptNotFoundError') return null
      throw error
    })
    if (receipt?.status === 'reverted') throw new Error(`the transaction ${hash} reverted`)
    if (receipt) return receipt
  }
  throw new Error(`the transaction ${hash} was not mined`)
}

/** What the simulator asks of a chain fails as any call to a chain does, whatever the reason. */
export async function upstream<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const failure = rpcFailure(error)
    throw failure instanceof RpcRefusal ? new UpstreamError('chain', failure) : failure
  }
}
