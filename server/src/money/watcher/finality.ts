import { addSeconds } from '../../lib/clock.ts'
import type { ChainNode } from '../../providers/chain/node.ts'
import { agreedArrivals, agreeOnTransfers } from './agreement.ts'
import { commitUnderLease, nodesWith, type Watch } from './lease.ts'
import { hashDepth, type KnownBlock, nextInTurn } from './rules.ts'
import { type ChainCursor, deleteBlocks, findBlocks, findLastBlock, lockCursor } from './sql.ts'
import { finalizeTransfers, scanDueUnknownArrivals, scanDueUsers, updateArrival } from './transfers-sql.ts'

const arrivalCheckSeconds = 60
const maxBlocksChecked = 20

/** Finalizes blocks up to the node's `final`, as far as the other nodes agree, and returns the advanced cursor. */
export async function finalize(
  watch: Watch,
  node: ChainNode,
  cursor: ChainCursor,
  final: number,
): Promise<ChainCursor> {
  const { chainId } = watch.chain
  if (Math.min(final, cursor.seen) <= cursor.final) return cursor
  const agreed = await finalOnAll(watch, node, final)
  const last = await lastToFinalize(watch, node, cursor, agreed.final)
  if (last === null) return cursor
  const range = { from: cursor.final + 1, to: last.number }
  const holders = await nodesWith(watch, node, last, agreed.silent)
  if (holders === null) return cursor
  // A single node is read again as well: several machines may serve its URL, and one of them may have lagged.
  if (!(await agreeOnTransfers(watch, cursor, range, holders))) return cursor
  return commitUnderLease(watch, cursor, { seen: cursor.seen, final: last.number }, async (tx, now) => {
    await deleteBlocks(tx, chainId, { below: last.number - hashDepth })
    const userIds = await scanDueUsers(tx, chainId, range)
    if (userIds.length > 0) await finalizeTransfers(tx, userIds, chainId, { ...range, now })
  })
}

/**
 * Returns the last block that is final on the node and on every other node that names one. A lying node can invent
 * blocks above the heads of the others, so such blocks wait. `silent`: the nodes that named no final block.
 */
async function finalOnAll(
  { chain, nodes }: Watch,
  node: ChainNode,
  final: number,
): Promise<{ final: number; silent: ReadonlySet<ChainNode> }> {
  const others = nodes.filter((other) => other !== node)
  const finals = await Promise.all(
    others.map((other) =>
      other.heads(chain.finality).then(
        (heads) => (heads.final < 0 ? null : heads.final),
        () => null,
      ),
    ),
  )
  return {
    final: Math.min(final, ...finals.filter((one) => one !== null)),
    silent: new Set(others.filter((_, i) => finals[i] === null)),
  }
}

/**
 * Returns the last block of the next range to finalize; null if there is no such range, or if the node is on another
 * branch. The range ends at its last block with a stored hash. Blocks that were final when they were read have stored
 * hashes only at the ends of the ranges that were read, so the range may contain none. Then the next stored hash shows
 * whether the node is on the same branch, and the range has its maximum size.
 */
async function lastToFinalize(
  watch: Watch,
  node: ChainNode,
  cursor: ChainCursor,
  final: number,
): Promise<KnownBlock | null> {
  const { ctx, chain, finalRangeSize } = watch
  const newest = Math.min(final, cursor.seen)
  if (newest <= cursor.final) return null
  const end = Math.min(newest, cursor.final + finalRangeSize)
  const last = await findLastBlock(ctx.db, chain.chainId, end)
  const isInRange = last !== null && last.number > cursor.final
  const stored = isInRange ? last : (await findBlocks(ctx.db, chain.chainId, { from: end + 1, to: newest }))[0]
  if (!stored || (await node.block(stored.number))?.hash !== stored.hash) return null
  return isInRange ? stored : node.block(end)
}

/** Determines arrivals that were unknown. A node with more history may know a balance that another does not. */
export async function determineMissingArrivals(watch: Watch): Promise<void> {
  const { ctx, chain } = watch
  const { blocks, transfers } = await scanDueUnknownArrivals(ctx.db, chain.chainId)
  ctx.metrics.unknownArrivals.set({ chain: String(chain.chainId) }, transfers)
  for (const number of nextInTurn(blocks, watch.arrivalsCheckedTo, maxBlocksChecked)) {
    watch.arrivalsCheckedTo = number
    const known = await agreedArrivals(watch, number)
    if (known.length === 0) continue
    const now = ctx.clock.now()
    await ctx.db.transaction(async (tx) => {
      // Another process may have made the block final in the meantime.
      const state = number <= (await lockCursor(tx, chain.chainId)) ? 'final' : 'unfinal'
      for (const transfer of known) await updateArrival(tx, transfer, state, now)
    })
  }
  watch.arrivalsCheckedAt = addSeconds(ctx.clock.now(), arrivalCheckSeconds)
}
