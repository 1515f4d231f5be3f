import { addSeconds } from '../lib/clock.ts'
import { UpstreamError } from '../lib/refusal.ts'
import type { ChainNode } from '../providers/chain/node.ts'
import { describeHits, describeLogs, findHits, type Range, readLogs, textOf } from './read.ts'
import { hashesKept, type KnownBlock } from './rules.ts'
import {
  type Cursor,
  deleteBlocks,
  finaliseTransfers,
  findBlocks,
  findLastBlock,
  findTransfersIn,
  holdCursor,
  type IncomingTransfer,
  insertTransfers,
  orphanTransfers,
  scanDueUntold,
  scanDueUsers,
  tellArrival,
} from './sql.ts'
import { alarm, commit, othersHold, type Watch } from './watch.ts'

const toldAgainSeconds = 60
const mostToldAgain = 20

export async function finalise(watch: Watch, node: ChainNode, cursor: Cursor, final: number): Promise<Cursor> {
  const { chain, nodes } = watch
  const { chainId } = chain
  const last = await lastToFinalise(watch, cursor, final)
  if (last === null || (await node.block(last.number))?.hash !== last.hash) return cursor
  const range = { from: cursor.final + 1, to: last.number }
  if (nodes.length > 1) {
    if (!(await othersHold(watch, node, last))) return cursor
    if (!(await agreeOnTransfers(watch, cursor, range))) return cursor
  }
  return commit(watch, cursor, { seen: cursor.seen, final: last.number }, async (tx, now) => {
    await deleteBlocks(tx, chainId, { below: last.number - hashesKept })
    const userIds = await scanDueUsers(tx, chainId, range)
    if (userIds.length > 0) await finaliseTransfers(tx, userIds, chainId, { ...range, now })
  })
}

/** As far as the hashes of blocks are known. What must be read again is taken in ranges. */
async function lastToFinalise(watch: Watch, cursor: Cursor, final: number): Promise<KnownBlock | null> {
  const { ctx, chain, nodes, blocks } = watch
  const most = Math.min(final, cursor.seen)
  if (most <= cursor.final) return null
  const reach = nodes.length > 1 ? Math.min(most, cursor.final + blocks) : most
  const last = await findLastBlock(ctx.db, chain.chainId, reach)
  if (last && last.number > cursor.final) return last
  const [next] = await findBlocks(ctx.db, chain.chainId, { from: cursor.final + 1, to: most })
  return next ?? null
}

/**
 * Whether every node that answers shows the transfers that we have. Where they agree with each other, but not with what was
 * read before (a node had left one out, or made one up), what they agree on is taken.
 */
async function agreeOnTransfers(watch: Watch, cursor: Cursor, range: Range): Promise<boolean> {
  const { ctx, chain } = watch
  const views = (await Promise.allSettled(watch.nodes.map((node) => viewOf(watch, node, range)))).flatMap((answer) =>
    answer.status === 'fulfilled' ? [answer.value] : [],
  )
  const [view, ...others] = views
  if (!view) throw new UpstreamError('rpc', new Error('no node shows the blocks that are to become final'))
  if (others.some(({ text }) => text !== view.text)) {
    alarm(watch, 'nodes_disagree', { ...range, transfers: views.map(({ hits }) => hits.length) })
    return false
  }
  const ours = await findTransfersIn(ctx.db, await scanDueUsers(ctx.db, chain.chainId, range), chain.chainId, range)
  if (textOf(ours) === view.text) return true
  const { transfers } = await describeHits(watch.chain, view.node, view)
  const nameOf = ({ userId, txHash, logPosition }: IncomingTransfer) => `${userId}:${txHash}:${logPosition}`
  const shown = new Set(transfers.map((transfer) => `${nameOf(transfer)} ${textOf([transfer])}`))
  const gone = ours.filter((transfer) => !shown.has(`${nameOf(transfer)} ${textOf([transfer])}`))
  alarm(watch, 'transfers_mended', { ...range, had: ours.length, shown: transfers.length, gone: gone.map(nameOf) })
  // One that is shown as another under the same name is taken back and comes anew.
  await commit(watch, cursor, cursor, async (tx, now) => {
    if (gone.length > 0) await orphanTransfers(tx, gone, now)
    if (transfers.length > 0) await insertTransfers(tx, transfers, { isFinal: false, now })
  })
  return false
}

async function viewOf({ ctx, chain }: Watch, node: ChainNode, range: Range) {
  const { logs } = await readLogs(ctx, chain, node, range, false)
  const found = await findHits(ctx, chain, logs)
  return { node, logs, ...found, text: textOf(found.hits.filter(({ isKnown }) => isKnown)) }
}

/** A node that keeps more of the past may tell what arrived where another could not. */
export async function tellAgain(watch: Watch, node: ChainNode): Promise<void> {
  const { ctx, chain } = watch
  const { blocks, transfers } = await scanDueUntold(ctx.db, chain.chainId)
  ctx.metrics.untoldTransfers.set({ chain: String(chain.chainId) }, transfers)
  for (const number of blocks.slice(0, mostToldAgain)) {
    const { logs } = await readLogs(ctx, chain, node, { from: number, to: number }, false)
    const shown = await describeLogs(ctx, chain, node, logs)
    const told = shown.transfers.filter(({ arrived }) => arrived !== null)
    if (told.length === 0) continue
    const now = ctx.clock.now()
    await ctx.db.transaction(async (tx) => {
      // Another process may have made the block final since this one looked.
      const state = number <= (await holdCursor(tx, chain.chainId, now)) ? 'final' : 'unfinal'
      for (const transfer of told) await tellArrival(tx, transfer, state, now)
    })
  }
  watch.toldAgainAt = addSeconds(ctx.clock.now(), toldAgainSeconds)
}
