import { UpstreamError } from '../../lib/errors.ts'
import { max } from '../../lib/money.ts'
import { RpcRejection } from '../rpc/rpc.ts'
import type { RpcCall } from './evm-reading.ts'

export type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

/** Returns fees high enough to replace an earlier transaction. Nodes require both fees to rise by a tenth. */
export function replacementFees(now: Fees, before: { readonly [fee in keyof Fees]?: bigint | undefined }): Fees {
  return {
    maxFeePerGas: max(now.maxFeePerGas, raised(before.maxFeePerGas)),
    maxPriorityFeePerGas: max(now.maxPriorityFeePerGas, raised(before.maxPriorityFeePerGas)),
  }
}

function raised(fee = 0n): bigint {
  return fee + max(1n, fee / 5n)
}

/** Sends a transaction to every node, since one may withhold it. Idempotent: the same bytes are mined at most once. */
export async function sendSigned(nodes: readonly RpcCall[], signedTransaction: string): Promise<void> {
  const results = await Promise.allSettled(nodes.map((request) => sendTo(request, signedTransaction)))
  const [failure] = results.filter((result) => result.status === 'rejected')
  if (failure && results.every(({ status }) => status === 'rejected')) throw failure.reason
}

async function sendTo(request: RpcCall, signedTransaction: string): Promise<void> {
  try {
    await request('eth_sendRawTransaction', [signedTransaction])
  } catch (error) {
    if (!(error instanceof RpcRejection)) throw error
    // Already known, nonce used, or a higher fee is pending: the state is read later, not guessed.
    if (!/already|\bknown\b|nonce too low|underpriced/i.test(error.message))
      throw new UpstreamError('chain', 'rejected', error)
  }
}
