import { setTimeout as delay } from 'node:timers/promises'
import type { Address, Hex, TransactionReceipt } from 'viem'
import { UpstreamError } from '../../lib/refusal.ts'
import { type Rpc, RpcRefusal, rpcFailure } from '../rpc/rpc.ts'

/** An Anvil can be told what no other node can: which blocks to make, what stands where. */
export async function isAnvil(rpc: Rpc): Promise<boolean> {
  return String(await rpc.request('web3_clientVersion', [])).startsWith('anvil/')
}

const minedWithinMilliseconds = 8_000

/** A transaction of an account that the node itself signs for; mined when it answers. Throws when it reverts. */
export async function transact(rpc: Rpc, { to, data }: { to?: Address; data: Hex }): Promise<TransactionReceipt> {
  const accounts = await rpc.request('eth_accounts', [])
  const from: unknown = Array.isArray(accounts) ? accounts[0] : undefined
  if (from === undefined) throw new Error('the node has no account of its own')
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
