import { UpstreamError } from '../../lib/errors.ts'
import { raiseAlarm } from '../../platform/observability/alarms.ts'
import type { ChainNode, Heads } from '../../providers/chain/node.ts'
import { commitUnderLease, type Watch } from './lease.ts'
import { beginReading, type Range, type RangeLogs, type Reading, type ReportedTransfers } from './read.ts'
import { hashDepth, rangeAfter, rangeAfterFailure } from './rules.ts'
import { type ChainCursor, deleteBlocks, findLastBlock, insertBlocks } from './sql.ts'
import { insertTransfers, insertUnknown } from './transfers-sql.ts'

const maxUnfinalBlocks = 256
/** The number of ranges that are read ahead of the one that is written. */
const maxRangesAhead = 2

/** Ingests the next range. Meanwhile, reads ahead the final ranges after it. */
export async function ingestRange(
  watch: Watch,
  node: ChainNode,
  cursor: ChainCursor,
  heads: Heads,
): Promise<ChainCursor> {
  const range = rangeAfterBlock(watch, cursor.seen, heads)
  if (range === null) return cursor
  const [first] = watch.readsInFlight
  const isAhead = first?.node === node && first.range.from === range.from && first.range.to <= heads.final
  const reading = isAhead ? first : begin(watch, node, range, range.to > heads.final)
  if (!isAhead) watch.readsInFlight = [reading]
  readAhead(watch, node, heads)
  const moved = await writeRange(watch, node, cursor, { ...(await reading.logs), ...(await reading.reported) }, heads)
  watch.readsInFlight.shift()
  return moved
}

/** Final blocks are read in large ranges. Unfinal blocks are limited, because the hash of each one is read too. */
function rangeAfterBlock({ rangeSize }: Watch, seen: number, { head, final }: Heads): Range | null {
  if (seen >= head.number) return null
  const to =
    seen < final ? Math.min(seen + rangeSize, final) : Math.min(seen + rangeSize, seen + maxUnfinalBlocks, head.number)
  return { from: seen + 1, to }
}

/** Starts reading a range. Nodes reject large ranges with many different errors, so every failure shrinks the range. */
function begin(watch: Watch, node: ChainNode, range: Range, isReplaceable: boolean): Reading {
  const reading = beginReading(watch, node, range, isReplaceable)
  reading.logs.then(
    ({ logs }) => {
      watch.rangeSize = rangeAfter(watch.rangeSize, logs.length)
    },
    () => {
      watch.rangeSize = rangeAfterFailure(watch.rangeSize)
    },
  )
  return reading
}

/** Requests the logs of the next range once those of the preceding one have arrived: one request at a time. */
function readAhead(watch: Watch, node: ChainNode, heads: Heads): void {
  const last = watch.readsInFlight.at(-1)
  const readNext = () => {
    if (last === undefined || watch.readsInFlight.at(-1) !== last || watch.readsInFlight.length > maxRangesAhead) return
    const range = rangeAfterBlock(watch, last.range.to, heads)
    if (range === null || range.to > heads.final) return
    watch.readsInFlight.push(begin(watch, node, range, false))
    readAhead(watch, node, heads)
  }
  last?.logs.then(readNext, () => {})
}

async function writeRange(
  watch: Watch,
  node: ChainNode,
  cursor: ChainCursor,
  { to, blocks, transfers, unknown }: RangeLogs & ReportedTransfers,
  { final }: Heads,
): Promise<ChainCursor> {
  const { ctx, chain, nodes } = watch
  const { chainId } = chain
  const known = await findLastBlock(ctx.db, chainId, cursor.seen)
  const [first] = blocks
  if (first && known?.number === first.number - 1 && first.parentHash !== known.hash) {
    throw new UpstreamError(
      'rpc',
      'inconsistent',
      new Error(`block ${first.number} does not follow the last block that was read`),
    )
  }
  // If the chain has only one node, the blocks that it reports as final become final at once. Several nodes must agree
  // first (`finalize`).
  const isFinal = nodes.length === 1 && to <= final && cursor.final === cursor.seen
  if (isFinal && (await node.block(to))?.hash !== blocks.at(-1)?.hash) {
    throw new UpstreamError('rpc', 'inconsistent', new Error(`block ${to} changed since it was read`))
  }
  const moved = await commitUnderLease(
    watch,
    cursor,
    { seen: to, final: isFinal ? to : cursor.final },
    async (tx, now) => {
      await Promise.all([
        insertBlocks(tx, chainId, blocks),
        transfers.length > 0 && insertTransfers(tx, transfers, { isFinal, now }),
        unknown.length > 0 && insertUnknown(tx, chainId, unknown, now),
        isFinal && deleteBlocks(tx, chainId, { below: to - hashDepth }),
      ])
    },
  )
  reportTransfers(watch, { transfers, unknown })
  return moved
}

function reportTransfers(watch: Watch, { transfers, unknown }: ReportedTransfers): void {
  const chain = String(watch.chain.chainId)
  watch.ctx.metrics.watchedTransfers.inc({ chain, token: 'known' }, transfers.length)
  watch.ctx.metrics.watchedTransfers.inc({ chain, token: 'unknown' }, unknown.length)
  for (const { userId, txHash, logPosition, token, claimed, arrived } of transfers) {
    if (arrived === claimed) continue
    const amounts = { claimed: String(claimed), arrived: arrived === null ? null : String(arrived) }
    const reason = arrived === null ? 'arrival_unknown' : 'arrival_differs'
    raiseAlarm(
      watch.ctx,
      { area: 'watcher', chainId: watch.chain.chainId, reason },
      { userId, txHash, logPosition, token, ...amounts },
    )
  }
}
