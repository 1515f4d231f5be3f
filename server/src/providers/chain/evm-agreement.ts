import type { ChainConfig } from '../../config/chains.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { finalBlock, quantity, type RpcCall } from './evm-reading.ts'

/** A statement of one node about a block, for the other nodes to confirm. */
type NodeStatement = {
  readonly block: bigint
  /** Null: the block need not be final. */
  readonly finality: ChainConfig['finality'] | null
  /** The minimum number of confirmations. With fewer nodes, all of them must confirm. */
  readonly minVotes: number
  isConfirmedBy(request: RpcCall): Promise<boolean>
}

/**
 * Queries each node separately. Returns false when one contradicts the statement. A node that does not respond or has
 * not reached the block does not vote. Throws when there are too few votes.
 */
export async function agree(nodes: readonly RpcCall[], statement: NodeStatement): Promise<boolean> {
  const votes = (await readEach(nodes, (request) => voteOf(request, statement))).filter((vote) => vote !== null)
  if (votes.includes(false)) return false
  requireVotes(nodes, votes, statement.minVotes)
  return true
}

/** Returns the response of each node. At least two nodes must respond, or the only one. */
export async function readFromTwo<T>(nodes: readonly RpcCall[], read: (request: RpcCall) => Promise<T>): Promise<T[]> {
  const values = await readEach(nodes, read)
  requireVotes(nodes, values, 2)
  return values
}

/** Returns the responses of the nodes that respond, perhaps of none. */
export async function readEach<T>(nodes: readonly RpcCall[], read: (request: RpcCall) => Promise<T>): Promise<T[]> {
  const results = await Promise.allSettled(nodes.map(read))
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
}

function requireVotes(nodes: readonly RpcCall[], votes: readonly unknown[], minVotes: number): void {
  if (votes.length >= Math.min(minVotes, nodes.length)) return
  throw new UpstreamError(
    'chain',
    'inconsistent',
    new Error(`only ${votes.length} of ${nodes.length} nodes confirmed the state`),
  )
}

async function voteOf(request: RpcCall, { block, finality, isConfirmedBy }: NodeStatement): Promise<boolean | null> {
  const reached =
    finality === null ? quantity(await request('eth_blockNumber', [])) : await finalBlock(request, finality)
  return reached < block ? null : isConfirmedBy(request)
}
