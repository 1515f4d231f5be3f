import { UpstreamError } from '../../lib/errors.ts'
import { max } from '../../lib/money.ts'
import { RpcRefusal } from '../rpc/rpc.ts'
import type { Ask } from './evm-reading.ts'

export type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

/** Nodes want a tenth more than what is replaced, of both fees. */
export function outbidding(now: Fees, before: { readonly [fee in keyof Fees]?: bigint | undefined }): Fees {
  return {
    maxFeePerGas: max(now.maxFeePerGas, raised(before.maxFeePerGas)),
    maxPriorityFeePerGas: max(now.maxPriorityFeePerGas, raised(before.maxPriorityFeePerGas)),
  }
}

function raised(fee = 0n): bigint {
  return fee + max(1n, fee / 5n)
}

/** To every node, since one may keep it to itself. Repeatable: the same bytes are mined at most once. */
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
    // It is there already, or its nonce has been used, or a higher bid is there: what became of it is read, not guessed.
    if (!/already|known|nonce too low|underpriced/i.test(error.message))
      throw new UpstreamError('chain', 'rejected', error)
  }
}
