import { UpstreamError } from '../../lib/errors.ts'
import { raiseAlarm } from '../../platform/observability/alarms.ts'
import type { ChainNode, Heads } from '../../providers/chain/node.ts'
import { commit, type Watch } from './lease.ts'
import { beginReading, type Range, type RangeLogs, type Reading, type Shown } from './read.ts'
import { hashesKept, rangeAfter, rangeAfterFailure } from './rules.ts'
import { type Cursor, deleteBlocks, findLastBlock, insertBlocks, insertTransfers, insertUnknown } from './sql.ts'

const mostReplaceable = 256
/** Ranges that are held besides the one that is written. */
const mostAhead = 2

/** The next range. While it is looked up and written, the node works on those after it, as long as they cannot change. */
export async function readOn(watch: Watch, node: ChainNode, cursor: Cursor, heads: Heads): Promise<Cursor> {
  const range = rangeAfterBlock(watch, cursor.seen, heads)
  if (range === null) return cursor
  const [first] = watch.underWay
  const isAhead = first?.node === node && first.range.from === range.from && first.range.to <= heads.final
  const reading = isAhead ? first : begin(watch, node, range, range.to > heads.final)
  if (!isAhead) watch.underWay = [reading]
  readAhead(watch, node, heads)
  const moved = await writeRange(watch, node, cursor, { ...(await reading.logs), ...(await reading.shown) }, heads)
  watch.underWay.shift()
  return moved
}

/** Final blocks in large steps; those that could be replaced by themselves, since each one's hash is needed. */
function rangeAfterBlock({ blocks }: Watch, seen: number, { head, final }: Heads): Range | null {
  if (seen >= head.number) return null
  const to =
    seen < final ? Math.min(seen + blocks, final) : Math.min(seen + blocks, seen + mostReplaceable, head.number)
  return { from: seen + 1, to }
}

/** Nodes say in many ways that a range is too much: whatever they say, less is asked for. */
function begin(watch: Watch, node: ChainNode, range: Range, isReplaceable: boolean): Reading {
  const reading = beginReading(watch, node, range, isReplaceable)
  reading.logs.then(
    ({ logs }) => {
      watch.blocks = rangeAfter(watch.blocks, logs.length)
    },
    () => {
      watch.blocks = rangeAfterFailure(watch.blocks)
    },
  )
  return reading
}

/** Once the logs of the last range under way are here, the next one's are asked for: never two at a time. */
function readAhead(watch: Watch, node: ChainNode, heads: Heads): void {
  const last = watch.underWay.at(-1)
  const goOn = () => {
    if (last === undefined || watch.underWay.at(-1) !== last || watch.underWay.length > mostAhead) return
    const range = rangeAfterBlock(watch, last.range.to, heads)
    if (range === null || range.to > heads.final) return
    watch.underWay.push(begin(watch, node, range, false))
    readAhead(watch, node, heads)
  }
  last?.logs.then(goOn, () => {})
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
    throw new UpstreamError(
      'rpc',
      'inconsistent',
      new Error(`block ${first.number} does not follow the one that was read before`),
    )
  }
  // The word of a single node counts at once; that of several when they agree.
  const isFinal = nodes.length === 1 && to <= final && cursor.final === cursor.seen
  if (isFinal && (await node.block(to))?.hash !== blocks.at(-1)?.hash) {
    throw new UpstreamError('rpc', 'inconsistent', new Error(`block ${to} changed since it was read`))
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
    raiseAlarm(
      watch.ctx,
      { area: 'watcher', chainId: watch.chain.chainId, reason },
      { userId, txHash, logPosition, token, ...amounts },
    )
  }
}
