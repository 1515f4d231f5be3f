import { UpstreamError } from '../lib/refusal.ts'
import type { ChainNode, Heads } from '../providers/chain/node.ts'
import { beginReading, type Range, type RangeLogs, type Reading, type Shown } from './read.ts'
import { hashesKept, rangeAfter, rangeAfterFailure } from './rules.ts'
import { type Cursor, deleteBlocks, findLastBlock, insertBlocks, insertTransfers, insertUnknown } from './sql.ts'
import { alarm, commit, type Watch } from './watch.ts'

const mostReplaceable = 256

/** The next range. While it is looked up and written, the node can work on the one after it, as long as that cannot change. */
export async function readOn(watch: Watch, node: ChainNode, cursor: Cursor, heads: Heads): Promise<Cursor> {
  const range = rangeAfterBlock(watch, cursor.seen, heads)
  if (range === null) return cursor
  const reading = takeReading(watch, node, range, range.to > heads.final)
  const logs = await logsOf(watch, reading)
  const next = rangeAfterBlock(watch, logs.to, heads)
  if (next && next.to <= heads.final) watch.ahead = beginReading(watch, node, next, false)
  return writeRange(watch, node, cursor, { ...logs, ...(await reading.shown) }, heads)
}

/** Final blocks in large steps; those that could be replaced by themselves, since each one's hash is needed. */
function rangeAfterBlock({ blocks }: Watch, seen: number, { head, final }: Heads): Range | null {
  if (seen >= head.number) return null
  const to =
    seen < final ? Math.min(seen + blocks, final) : Math.min(seen + blocks, seen + mostReplaceable, head.number)
  return { from: seen + 1, to }
}

/** What was read ahead, where that is what is wanted now. */
function takeReading(watch: Watch, node: ChainNode, range: Range, isReplaceable: boolean): Reading {
  const { ahead } = watch
  watch.ahead = null
  const isAhead = ahead?.node === node && ahead.range.from === range.from && ahead.range.to <= range.to
  return isAhead ? ahead : beginReading(watch, node, range, isReplaceable)
}

async function logsOf(watch: Watch, { logs }: Reading): Promise<RangeLogs> {
  try {
    const read = await logs
    watch.blocks = rangeAfter(watch.blocks, read.logs.length)
    return read
  } catch (error) {
    // Nodes say in many ways that a range is too much: whatever they say, less is asked for.
    watch.blocks = rangeAfterFailure(watch.blocks)
    throw error
  }
}

async function writeRange(
  watch: Watch,
  node: ChainNode,
  cursor: Cursor,
  { to, blocks, transfers, unknown }: RangeLogs & Shown,
  { final }: Heads,
): Promise<Cursor> {
  const { ctx, chain, nodes } = watch
  const { chainId } = chain
  const known = await findLastBlock(ctx.db, chainId, cursor.seen)
  const [first] = blocks
  if (first && known?.number === first.number - 1 && first.parentHash !== known.hash) {
    throw new UpstreamError('rpc', new Error(`block ${first.number} does not follow the one that was read before`))
  }
  // The word of a single node counts at once; that of several when they agree.
  const isFinal = nodes.length === 1 && to <= final && cursor.final === cursor.seen
  if (isFinal && (await node.block(to))?.hash !== blocks.at(-1)?.hash) {
    throw new UpstreamError('rpc', new Error(`block ${to} changed since it was read`))
  }
  const moved = await commit(watch, cursor, { seen: to, final: isFinal ? to : cursor.final }, async (tx, now) => {
    await Promise.all([
      insertBlocks(tx, chainId, blocks),
      transfers.length > 0 && insertTransfers(tx, transfers, { isFinal, now }),
      unknown.length > 0 && insertUnknown(tx, chainId, unknown, now),
      isFinal && deleteBlocks(tx, chainId, { below: to - hashesKept }),
    ])
  })
  report(watch, { transfers, unknown })
  return moved
}

function report(watch: Watch, { transfers, unknown }: Shown): void {
  const chain = String(watch.chain.chainId)
  watch.ctx.metrics.watchedTransfers.inc({ chain, token: 'known' }, transfers.length)
  watch.ctx.metrics.watchedTransfers.inc({ chain, token: 'unknown' }, unknown.length)
  for (const { userId, txHash, logPosition, token, claimed, arrived } of transfers) {
    if (arrived === claimed) continue
    const amounts = { claimed: String(claimed), arrived: arrived === null ? null : String(arrived) }
    const reason = arrived === null ? 'arrival_untold' : 'arrival_differs'
    alarm(watch, reason, { userId, txHash, logPosition, token, ...amounts })
  }
}
