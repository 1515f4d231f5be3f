import { UpstreamError } from '../../lib/errors.ts'
import type { Block, ChainNode } from '../../providers/chain/node.ts'
import { commitUnderLease, nodesWith, type Watch } from './lease.ts'
import { type KnownBlock, lastCommonBlock } from './rules.ts'
import { type ChainCursor, deleteBlocks, findBlocks, findLastBlock, insertBlocks, scanDueBlocks } from './sql.ts'
import { deleteUnknown, findTransfersIn, reorganizeTransfers, scanDueUsers } from './transfers-sql.ts'

/**
 * The last common block of both branches, and the first stored block after it. `hash` null: none of the stored blocks
 * is on the node's branch.
 */
type Fork = { readonly number: number; readonly hash: string | null; readonly replaced: KnownBlock }

/** Returns the last common block if the node is on a different branch from the stored blocks; otherwise null. */
export async function findFork(
  { ctx, chain }: Watch,
  node: ChainNode,
  cursor: ChainCursor,
  head: Block,
): Promise<Fork | null> {
  const { chainId } = chain
  const isCanonical = async ({ number, hash }: KnownBlock) => {
    const block = await node.block(number)
    // Several machines may serve one URL, and one of them may lag. A missing block does not prove another branch.
    if (block === null)
      throw new UpstreamError('rpc', 'inconsistent', new Error(`block ${number} is missing below ${head.number}`))
    return block.hash === hash
  }
  const last = await findLastBlock(ctx.db, chainId, Math.min(cursor.seen, head.number))
  if (last === null || (await isCanonical(last))) return null
  const ours = (below: number) => scanDueBlocks(ctx.db, chainId, below, 1000)
  const stored = await findBlocks(ctx.db, chainId, { from: 0, to: last.number })
  const lowest = stored[0]?.number ?? last.number
  // Of blocks that were final when they were read, only range ends and blocks with our transfers have a stored hash.
  // Hashes more than `hashDepth` blocks below the last final block are deleted, except those of blocks with our
  // transfers. The oldest blocks are requested last, because a node may have pruned them.
  let known = [...stored, ...(await ours(last.number)).filter(({ number }) => number > lowest)]
  let replaced: KnownBlock = last
  while (known.length > 0) {
    const common = await lastCommonBlock(known, isCanonical)
    for (const block of known) {
      if (block.number < replaced.number && (common === null || block.number > common.number)) replaced = block
    }
    if (common) return { ...common, replaced }
    known = await ours(Math.min(...known.map(({ number }) => number)))
  }
  return { number: Number(chain.startBlock) - 1, hash: null, replaced }
}

/**
 * Rolls back all blocks after the fork, unless another node still has the first of them. Due work then updates the
 * deposits.
 */
export async function rollBack(
  watch: Watch,
  node: ChainNode,
  cursor: ChainCursor,
  { number: fork, hash, replaced }: Fork,
): Promise<boolean> {
  const { ctx, chain } = watch
  const { chainId } = chain
  const isDeep = fork < cursor.final
  const instead = await node.block(replaced.number)
  if (instead === null || instead.hash === replaced.hash) return false
  if ((await nodesWith(watch, node, instead)) === null) return false
  watch.readsInFlight = []
  await commitUnderLease(watch, cursor, { seen: fork, final: Math.min(cursor.final, fork) }, async (tx, now) => {
    await deleteBlocks(tx, chainId, { above: fork })
    // The fork may have been found through our transfers alone. With its stored hash, the next read detects a second
    // reorganization.
    if (hash !== null) await insertBlocks(tx, chainId, [{ number: fork, hash }])
    await deleteUnknown(tx, chainId, fork)
    const range = { from: fork + 1, to: Number.MAX_SAFE_INTEGER }
    const gone = await findTransfersIn(tx, await scanDueUsers(tx, chainId, range), chainId, range)
    if (gone.length > 0) await reorganizeTransfers(tx, gone, now)
  })
  const report = { chainId, fork, blocks: cursor.seen - fork, belowFinal: isDeep ? cursor.final - fork : 0 }
  if (isDeep) ctx.log.error(report, 'final blocks reorganized')
  else ctx.log.warn(report, 'blocks reorganized')
  ctx.metrics.reorganizations.inc({ chain: String(chainId), depth: isDeep ? 'below_final' : 'above_final' })
  return true
}
