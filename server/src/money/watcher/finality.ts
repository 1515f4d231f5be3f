import { addSeconds } from '../../lib/clock.ts'
import type { ChainNode } from '../../providers/chain/node.ts'
import { agreedArrivals, agreeOnTransfers } from './agreement.ts'
import { commit, othersHold, type Watch } from './lease.ts'
import { hashesKept, type KnownBlock } from './rules.ts'
import {
  type Cursor,
  deleteBlocks,
  finaliseTransfers,
  findBlocks,
  findLastBlock,
  holdCursor,
  scanDueUntold,
  scanDueUsers,
  tellArrival,
} from './sql.ts'

const toldAgainSeconds = 60
const mostToldAgain = 20

export async function finalise(watch: Watch, node: ChainNode, cursor: Cursor, final: number): Promise<Cursor> {
  const { chainId } = watch.chain
  const last = await lastToFinalise(watch, cursor, final)
  if (last === null || (await node.block(last.number))?.hash !== last.hash) return cursor
  const range = { from: cursor.final + 1, to: last.number }
  if (!(await othersHold(watch, node, last))) return cursor
  // A single node is asked once more, too: near the head its logs may have come from a machine that lagged behind.
  if (!(await agreeOnTransfers(watch, cursor, range))) return cursor
  return commit(watch, cursor, { seen: cursor.seen, final: last.number }, async (tx, now) => {
    await deleteBlocks(tx, chainId, { below: last.number - hashesKept })
    const userIds = await scanDueUsers(tx, chainId, range)
    if (userIds.length > 0) await finaliseTransfers(tx, userIds, chainId, { ...range, now })
  })
}

/** As far as the hashes of blocks are known. What must be read again is taken in ranges. */
async function lastToFinalise(watch: Watch, cursor: Cursor, final: number): Promise<KnownBlock | null> {
  const { ctx, chain, blocks } = watch
  const most = Math.min(final, cursor.seen)
  if (most <= cursor.final) return null
  const last = await findLastBlock(ctx.db, chain.chainId, Math.min(most, cursor.final + blocks))
  if (last && last.number > cursor.final) return last
  const [next] = await findBlocks(ctx.db, chain.chainId, { from: cursor.final + 1, to: most })
  return next ?? null
}

/** A node that keeps more of the past may tell what arrived where another could not. */
export async function tellAgain(watch: Watch): Promise<void> {
  const { ctx, chain } = watch
  const { blocks, transfers } = await scanDueUntold(ctx.db, chain.chainId)
  ctx.metrics.unknownArrivals.set({ chain: String(chain.chainId) }, transfers)
  for (const number of blocks.slice(0, mostToldAgain)) {
    const told = await agreedArrivals(watch, number)
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
