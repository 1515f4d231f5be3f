import { UpstreamError } from '../../lib/errors.ts'
import type { Block, ChainNode } from '../../providers/chain/node.ts'
import { commit, othersHold, type Watch } from './lease.ts'
import { type KnownBlock, lastHeld } from './rules.ts'
import {
  type Cursor,
  deleteBlocks,
  deleteUnknown,
  findBlocks,
  findLastBlock,
  findTransfersIn,
  insertBlocks,
  orphanTransfers,
  scanDueBlocks,
  scanDueUsers,
} from './sql.ts'

/** Where another branch begins: behind this block. `hash` null: behind the first that is read, of which none is known. */
type Fork = { readonly number: number; readonly hash: string | null }

/** The last block that we know and that is still there, when the last one that we know is not; null: all is well. */
export async function findFork(
  { ctx, chain }: Watch,
  node: ChainNode,
  cursor: Cursor,
  head: Block,
): Promise<Fork | null> {
  const { chainId } = chain
  const isHeld = async ({ number, hash }: KnownBlock) => {
    const block = await node.block(number)
    // Behind one address may be many machines, some of which lag: what is missing below the head is no other branch.
    if (block === null)
      throw new UpstreamError('rpc', 'inconsistent', new Error(`block ${number} is missing below ${head.number}`))
    return block.hash === hash
  }
  const last = await findLastBlock(ctx.db, chainId, Math.min(cursor.seen, head.number))
  if (last === null || (await isHeld(last))) return null
  const ours = (below: number) => scanDueBlocks(ctx.db, chainId, below, 1000)
  const kept = await findBlocks(ctx.db, chainId, { from: 0, to: last.number })
  const lowest = kept[0]?.number ?? last.number
  // Of final blocks only the ends of ranges are known by themselves; the blocks of our transfers are, too. Those of long ago are
  // asked for when no other is left: a node may have pruned them.
  let known = [...kept, ...(await ours(last.number)).filter(({ number }) => number > lowest)]
  while (known.length > 0) {
    const held = await lastHeld(known, isHeld)
    if (held) return held
    known = await ours(Math.min(...known.map(({ number }) => number)))
  }
  return { number: Number(chain.startBlock) - 1, hash: null }
}

/** Everything after the fork is taken back, and the books follow; but not on the word of one node against another. */
export async function rollBack(
  watch: Watch,
  node: ChainNode,
  cursor: Cursor,
  { number: fork, hash }: Fork,
): Promise<boolean> {
  const { ctx, chain } = watch
  const { chainId } = chain
  const isDeep = fork < cursor.final
  const instead = await node.block(fork + 1)
  if (instead === null || !(await othersHold(watch, node, instead))) return false
  watch.underWay = []
  await commit(watch, cursor, { seen: fork, final: Math.min(cursor.final, fork) }, async (tx, now) => {
    await deleteBlocks(tx, chainId, { above: fork })
    // It may be one of those that are known by our transfers alone, and could be replaced before anything is read after it.
    if (hash !== null) await insertBlocks(tx, chainId, [{ number: fork, hash }])
    await deleteUnknown(tx, chainId, fork)
    const range = { from: fork + 1, to: Number.MAX_SAFE_INTEGER }
    const gone = await findTransfersIn(tx, await scanDueUsers(tx, chainId, range), chainId, range)
    if (gone.length > 0) await orphanTransfers(tx, gone, now)
  })
  const report = { chainId, fork, blocks: cursor.seen - fork, belowFinal: isDeep ? cursor.final - fork : 0 }
  if (isDeep) ctx.log.error(report, 'a reorganisation deeper than final')
  else ctx.log.warn(report, 'a reorganisation')
  ctx.metrics.reorganizations.inc({ chain: String(chainId), depth: isDeep ? 'below_final' : 'above_final' })
  return true
}
