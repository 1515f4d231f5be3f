import { UpstreamError } from '../../lib/errors.ts'
import { raiseAlarm } from '../../platform/observability/alarms.ts'
import type { ChainNode } from '../../providers/chain/node.ts'
import { commitUnderLease, type Watch } from './lease.ts'
import { describeHits, findHits, locate, type Range, readLogs, textOfLogs, textOfTransfers } from './read.ts'
import { rangeAfter, rangeAfterFailure } from './rules.ts'
import type { ChainCursor } from './sql.ts'
import {
  type FollowedTransfer,
  findTransfersIn,
  findTransfersOf,
  type IncomingTransfer,
  insertTransfers,
  reorganizeTransfers,
  scanDueUsers,
} from './transfers-sql.ts'

/** Compares the transfers that all nodes report in a range of blocks. */

type View = Awaited<ReturnType<typeof viewOf>>

/**
 * Returns whether every node that responds reports the stored transfers. If the nodes agree with each other but not
 * with the stored transfers, a node had omitted or invented one. The agreed transfers then replace the stored ones. It
 * takes two nodes, where two are configured, to move a final transfer, because that reverses its deposit for a while.
 * If one of the `holders` of the last block does not return the range, a smaller range is tried, because the node may
 * reject large ones.
 */
export async function agreeOnTransfers(
  watch: Watch,
  cursor: ChainCursor,
  range: Range,
  holders: ReadonlySet<ChainNode>,
): Promise<boolean> {
  const { ctx, chain } = watch
  const views = await viewsOf(watch, range)
  const [view] = views
  if (!view) {
    watch.finalRangeSize = rangeAfterFailure(watch.finalRangeSize)
    throw new UpstreamError('rpc', 'inconsistent', new Error(`no node returned blocks ${range.from} to ${range.to}`))
  }
  const isMissing = [...holders].some((holder) => !views.some(({ node }) => node === holder))
  if (isMissing && range.to > range.from) {
    watch.finalRangeSize = rangeAfterFailure(range.to - range.from + 1)
    return false
  }
  // While the logs differ, no receipts are requested.
  const located = differ(views) ? null : await locateAll(views)
  if (located === null || differ(located)) {
    raiseAlarm(
      watch.ctx,
      { area: 'watcher', chainId: watch.chain.chainId, reason: 'nodes_disagree' },
      { ...range, transfers: views.map(({ hits }) => hits.length) },
    )
    return false
  }
  if (located.length === 0 && range.to > range.from) {
    watch.finalRangeSize = rangeAfterFailure(range.to - range.from + 1)
    return false
  }
  const [source] = located
  if (!source) throw new UpstreamError('rpc', 'inconsistent', new Error('no node returned the receipts of transfers'))
  watch.finalRangeSize = rangeAfter(watch.finalRangeSize, view.logs.length)
  const ours = await findTransfersIn(ctx.db, await scanDueUsers(ctx.db, chain.chainId, range), chain.chainId, range)
  if (textOfTransfers(ours) === source.text) {
    if (watch.nodes.length > 1) await resetDisputedArrivals(watch, cursor, views, ours)
    return true
  }
  const { transfers } = await describeHits(chain, source.view.node, source.view)
  const nameAndContentOf = (transfer: IncomingTransfer) => `${nameOf(transfer)} ${textOfTransfers([transfer])}`
  const reported = new Set(transfers.map(nameAndContentOf))
  // A transfer whose content or block changed is removed and inserted again.
  const stored = [...ours, ...(await storedOfTransactions(watch, transfers))]
  const gone = [...new Map(stored.map((transfer) => [nameOf(transfer), transfer])).values()].filter(
    (transfer) => !reported.has(nameAndContentOf(transfer)),
  )
  const movesFinal = gone.some(({ chainState }) => chainState === 'final')
  if (movesFinal && views.length < Math.min(2, watch.nodes.length)) {
    const message = `one node alone reports another block for a final transfer in blocks ${range.from} to ${range.to}`
    throw new UpstreamError('rpc', 'inconsistent', new Error(message))
  }
  raiseAlarm(
    watch.ctx,
    { area: 'watcher', chainId: watch.chain.chainId, reason: 'transfers_repaired' },
    { ...range, stored: ours.length, reported: transfers.length, gone: gone.map(nameOf) },
  )
  await replace(watch, cursor, gone, transfers)
  return false
}

const differ = ([first, ...others]: readonly { readonly text: string }[]) =>
  others.some(({ text }) => text !== first?.text)

/** Locates the transfers on each node. A node without their receipts has no vote on their positions. */
async function locateAll(views: readonly View[]): Promise<{ view: View; text: string }[]> {
  const located = await Promise.allSettled(
    views.map(async (view) => ({ view, text: textOfTransfers(await locate(view.node, view.known)) })),
  )
  return located.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}

/** Returns what is stored of the transactions, in any block. */
async function storedOfTransactions(
  { ctx, chain }: Watch,
  reported: readonly IncomingTransfer[],
): Promise<FollowedTransfer[]> {
  const userIds = [...new Set(reported.map(({ userId }) => userId))]
  return findTransfersOf(ctx.db, userIds, chain.chainId, [...new Set(reported.map(({ txHash }) => txHash))])
}

/**
 * Resets arrivals that only one node reported. Claimed amounts come from the logs of all nodes, but an arrival that
 * differs from its claim was read from one node. Unless the other nodes confirm it, it becomes unknown, and only that
 * transfer waits. An arrival below its claim stays if no node can determine it, because it cannot credit too much.
 */
async function resetDisputedArrivals(
  watch: Watch,
  cursor: ChainCursor,
  views: readonly View[],
  ours: readonly IncomingTransfer[],
): Promise<void> {
  const odd = ours.filter(({ claimed, arrived }) => arrived !== null && arrived !== claimed)
  if (odd.length === 0) return
  const reported = await reportedArrivals(watch, views, new Set(odd.map(({ blockNumber }) => blockNumber)))
  const disputed = odd.filter((transfer) => {
    const reports = reported.get(nameOf(transfer)) ?? []
    if (reports.length === 0) return (transfer.arrived ?? 0n) > transfer.claimed
    return agreedArrival(watch, reports)?.arrived !== transfer.arrived
  })
  if (disputed.length === 0) return
  for (const { userId, txHash, logPosition, token, claimed, arrived } of disputed) {
    const amounts = { claimed: String(claimed), arrived: String(arrived) }
    raiseAlarm(
      watch.ctx,
      { area: 'watcher', chainId: watch.chain.chainId, reason: 'arrival_unknown' },
      { userId, txHash, logPosition, token, ...amounts },
    )
  }
  const reset = disputed.map((transfer) => ({ ...transfer, arrived: null }))
  await replace(watch, cursor, disputed, reset)
}

/** Returns the transfers of a block whose arrivals are known and undisputed; none while the nodes disagree. */
export async function agreedArrivals(watch: Watch, block: number): Promise<IncomingTransfer[]> {
  const views = await viewsOf(watch, { from: block, to: block })
  if (differ(views)) return []
  const reported = await reportedArrivals(watch, views, new Set([block]))
  return [...reported.values()].flatMap((reports) => agreedArrival(watch, reports) ?? [])
}

/**
 * Returns the arrival on which all reports agree, or null. An arrival that differs from the claimed amount needs the
 * reports of two nodes if the chain has two.
 */
function agreedArrival({ nodes }: Watch, reports: readonly IncomingTransfer[]): IncomingTransfer | null {
  const [first] = reports
  if (!first || reports.some(({ arrived }) => arrived !== first.arrived)) return null
  return first.arrived === first.claimed || reports.length >= Math.min(2, nodes.length) ? first : null
}

/**
 * Returns the arrivals that the nodes report, per transfer. Whole blocks are evaluated, because all transfers of a
 * block together explain the change of a balance.
 */
async function reportedArrivals(
  { chain }: Watch,
  views: readonly View[],
  blocks: ReadonlySet<number>,
): Promise<Map<string, IncomingTransfer[]>> {
  const descriptions = await Promise.allSettled(
    views.map(({ node, hits, logs }) =>
      describeHits(chain, node, { hits: hits.filter(({ log }) => blocks.has(log.blockNumber)), logs }),
    ),
  )
  const reports = descriptions.flatMap((one) => (one.status === 'fulfilled' ? one.value.transfers : []))
  return Map.groupBy(
    reports.filter(({ arrived }) => arrived !== null),
    nameOf,
  )
}

async function viewsOf(watch: Watch, range: Range): Promise<View[]> {
  const views = await Promise.allSettled(watch.nodes.map((node) => viewOf(watch, node, range)))
  return views.flatMap((view) => (view.status === 'fulfilled' ? [view.value] : []))
}

async function viewOf({ ctx, chain }: Watch, node: ChainNode, range: Range) {
  const { logs } = await readLogs(ctx, chain, node, range, false)
  const found = await findHits(ctx, chain, logs)
  const known = found.hits.filter(({ isKnown }) => isKnown)
  return { node, logs, ...found, known, text: textOfLogs(known) }
}

/** Removes and inserts transfers in one transaction. */
async function replace(
  watch: Watch,
  cursor: ChainCursor,
  gone: readonly IncomingTransfer[],
  transfers: readonly IncomingTransfer[],
): Promise<void> {
  await commitUnderLease(watch, cursor, cursor, async (tx, now) => {
    if (gone.length > 0) await reorganizeTransfers(tx, gone, now)
    if (transfers.length > 0) await insertTransfers(tx, transfers, { isFinal: false, now })
  })
}

function nameOf({ userId, txHash, logPosition }: IncomingTransfer): string {
  return `${userId}:${txHash}:${logPosition}`
}
