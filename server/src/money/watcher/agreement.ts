import { UpstreamError } from '../../lib/errors.ts'
import { raiseAlarm } from '../../platform/observability/alarms.ts'
import type { ChainNode } from '../../providers/chain/node.ts'
import { commit, type Watch } from './lease.ts'
import { describeHits, findHits, type Range, readLogs, textOf } from './read.ts'
import {
  type Cursor,
  findTransfersIn,
  type IncomingTransfer,
  insertTransfers,
  orphanTransfers,
  scanDueUsers,
} from './sql.ts'

/** What all nodes say of blocks that one of them showed. A node that does not answer, or cannot tell, has no say. */

type View = Awaited<ReturnType<typeof viewOf>>

/**
 * Whether every node that answers shows the transfers that we have. Where they agree with each other, but not with what was
 * read before (a node had left one out, or made one up), what they agree on is taken.
 */
export async function agreeOnTransfers(watch: Watch, cursor: Cursor, range: Range): Promise<boolean> {
  const { ctx, chain } = watch
  const views = await viewsOf(watch, range)
  const [view, ...others] = views
  if (!view)
    throw new UpstreamError('rpc', 'inconsistent', new Error('no node shows the blocks that are to become final'))
  if (others.some(({ text }) => text !== view.text)) {
    raiseAlarm(
      watch.ctx,
      { area: 'watcher', chainId: watch.chain.chainId, reason: 'nodes_disagree' },
      { ...range, transfers: views.map(({ hits }) => hits.length) },
    )
    return false
  }
  const ours = await findTransfersIn(ctx.db, await scanDueUsers(ctx.db, chain.chainId, range), chain.chainId, range)
  if (textOf(ours) === view.text) {
    if (watch.nodes.length > 1) await doubtArrivals(watch, cursor, views, ours)
    return true
  }
  const { transfers } = await describeHits(chain, view.node, view)
  const wholeNameOf = (transfer: IncomingTransfer) => `${nameOf(transfer)} ${textOf([transfer])}`
  const shown = new Set(transfers.map(wholeNameOf))
  // One that is shown as another under the same name is taken back and comes anew.
  const gone = ours.filter((transfer) => !shown.has(wholeNameOf(transfer)))
  raiseAlarm(
    watch.ctx,
    { area: 'watcher', chainId: watch.chain.chainId, reason: 'transfers_mended' },
    { ...range, had: ours.length, shown: transfers.length, gone: gone.map(nameOf) },
  )
  await replace(watch, cursor, gone, transfers)
  return false
}

/**
 * What the log claims, all nodes have shown. That more or less arrived was the word of one of them: when the others do not
 * bear it out, it cannot be told, and nothing else waits for it. Only less may be an operator's word, of which none can tell.
 */
async function doubtArrivals(
  watch: Watch,
  cursor: Cursor,
  views: readonly View[],
  ours: readonly IncomingTransfer[],
): Promise<void> {
  const odd = ours.filter(({ claimed, arrived }) => arrived !== null && arrived !== claimed)
  if (odd.length === 0) return
  const told = await arrivalsTold(watch, views, new Set(odd.map(({ blockNumber }) => blockNumber)))
  const doubted = odd.filter((transfer) => {
    const said = told.get(nameOf(transfer)) ?? []
    if (said.length === 0) return (transfer.arrived ?? 0n) > transfer.claimed
    return agreedOn(watch, said)?.arrived !== transfer.arrived
  })
  if (doubted.length === 0) return
  for (const { userId, txHash, logPosition, token, claimed, arrived } of doubted) {
    const amounts = { claimed: String(claimed), arrived: String(arrived) }
    raiseAlarm(
      watch.ctx,
      { area: 'watcher', chainId: watch.chain.chainId, reason: 'arrival_untold' },
      { userId, txHash, logPosition, token, ...amounts },
    )
  }
  const untold = doubted.map((transfer) => ({ ...transfer, arrived: null }))
  await replace(watch, cursor, doubted, untold)
}

/** What the transfers of a block brought, where those nodes that can tell say the same. */
export async function agreedArrivals(watch: Watch, block: number): Promise<IncomingTransfer[]> {
  const views = await viewsOf(watch, { from: block, to: block })
  const told = await arrivalsTold(watch, views, new Set([block]))
  return [...told.values()].flatMap((said) => agreedOn(watch, said) ?? [])
}

/** Null where they differ. What is not what the log claims, too, takes the word of two, where there are two. */
function agreedOn({ nodes }: Watch, said: readonly IncomingTransfer[]): IncomingTransfer | null {
  const [first] = said
  if (!first || said.some(({ arrived }) => arrived !== first.arrived)) return null
  return first.arrived === first.claimed || said.length >= Math.min(2, nodes.length) ? first : null
}

/** By transfer, each node's word where it can tell. All of a block at once: its transfers explain one balance together. */
async function arrivalsTold(
  { chain }: Watch,
  views: readonly View[],
  blocks: ReadonlySet<number>,
): Promise<Map<string, IncomingTransfer[]>> {
  const answers = await Promise.allSettled(
    views.map(({ node, hits, logs }) =>
      describeHits(chain, node, { hits: hits.filter(({ log }) => blocks.has(log.blockNumber)), logs }),
    ),
  )
  const said = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value.transfers : []))
  return Map.groupBy(
    said.filter(({ arrived }) => arrived !== null),
    nameOf,
  )
}

async function viewsOf(watch: Watch, range: Range): Promise<View[]> {
  const answers = await Promise.allSettled(watch.nodes.map((node) => viewOf(watch, node, range)))
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
}

async function viewOf({ ctx, chain }: Watch, node: ChainNode, range: Range) {
  const { logs } = await readLogs(ctx, chain, node, range, false)
  const found = await findHits(ctx, chain, logs)
  return { node, logs, ...found, text: textOf(found.hits.filter(({ isKnown }) => isKnown)) }
}

/** Taken back, and read anew, in one step. */
async function replace(
  watch: Watch,
  cursor: Cursor,
  gone: readonly IncomingTransfer[],
  transfers: readonly IncomingTransfer[],
): Promise<void> {
  await commit(watch, cursor, cursor, async (tx, now) => {
    if (gone.length > 0) await orphanTransfers(tx, gone, now)
    if (transfers.length > 0) await insertTransfers(tx, transfers, { isFinal: false, now })
  })
}

function nameOf({ userId, txHash, logPosition }: IncomingTransfer): string {
  return `${userId}:${txHash}:${logPosition}`
}
