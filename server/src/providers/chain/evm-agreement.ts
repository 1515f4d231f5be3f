import type { ChainConfig } from '../../config/chains.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { type Ask, finalBlock, quantity } from './evm-reading.ts'

/** A statement of one node about a block, for the other nodes to confirm. */
type NodeStatement = {
  readonly block: bigint
  /** Null: the block need not be final. */
  readonly finality: ChainConfig['finality'] | null
  /** The minimum number of confirmations, or all nodes where there are fewer. */
  readonly minVotes: number
  isConfirmedBy(ask: Ask): Promise<boolean>
}

/**
 * Asks each node separately. Returns false when one contradicts the statement. A node that does not respond or has not
 * reached the block does not vote. Throws when there are too few votes.
 */
export async function agree(nodes: readonly Ask[], statement: NodeStatement): Promise<boolean> {
  const votes = (await readEach(nodes, (ask) => voteOf(ask, statement))).filter((vote) => vote !== null)
  if (votes.includes(false)) return false
  requireVotes(nodes, votes, statement.minVotes)
  return true
}

/** Returns the response of each node. At least two nodes must respond, or the only one. */
export async function readFromTwo<T>(nodes: readonly Ask[], read: (ask: Ask) => Promise<T>): Promise<T[]> {
  const values = await readEach(nodes, read)
  requireVotes(nodes, values, 2)
  return values
}

async function readEach<T>(nodes: readonly Ask[], read: (ask: Ask) => Promise<T>): Promise<T[]> {
  const answers = await Promise.allSettled(nodes.map(read))
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
}

function requireVotes(nodes: readonly Ask[], votes: readonly unknown[], minVotes: number): void {
  if (votes.length >= Math.min(minVotes, nodes.length)) return
  throw new UpstreamError(
    'chain',
    'inconsistent',
    new Error(`only ${votes.length} of ${nodes.length} nodes confirmed the state`),
  )
}

async function voteOf(ask: Ask, { block, finality, isConfirmedBy }: NodeStatement): Promise<boolean | null> {
  const reached = finality === null ? quantity(await ask('eth_blockNumber', [])) : await finalBlock(ask, finality)
  return reached < block ? null : isConfirmedBy(ask)
}
