import { UpstreamError } from '../../lib/errors.ts'
import { max } from '../../lib/money.ts'
import { RpcRefusal } from '../rpc/rpc.ts'
import type { Ask } from './evm-reading.ts'

export type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

/** Returns fees that replace an earlier transaction. Nodes require both fees to rise by a tenth. */
export function outbidding(now: Fees, before: { readonly [fee in keyof Fees]?: bigint | undefined }): Fees {
  return {
    maxFeePerGas: max(now.maxFeePerGas, raised(before.maxFeePerGas)),
    maxPriorityFeePerGas: max(now.maxPriorityFeePerGas, raised(before.maxPriorityFeePerGas)),
  }
}

function raised(fee = 0n): bigint {
  return fee + max(1n, fee / 5n)
}

/** Sends a transaction to every node, since one may withhold it. Idempotent: the same bytes are mined at most once. */
export async function sendSigned(nodes: readonly Ask[], signedTransaction: string): Promise<void> {
  const answers = await Promise.allSettled(nodes.map((ask) => sendTo(ask, signedTransaction)))
  const [failure] = answers.filter((answer) => answer.status === 'rejected')
  if (failure && answers.every(({ status }) => status === 'rejected')) throw failure.reason
}

async function sendTo(ask: Ask, signedTransaction: string): Promise<void> {
  try {
    await ask('eth_sendRawTransaction', [signedTransaction])
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw error
    // Already known, nonce used, or a higher fee is pending: the state is read later, not guessed.
    if (!/already|known|nonce too low|underpriced/i.test(error.message))
      throw new UpstreamError('chain', 'rejected', error)
  }
}
