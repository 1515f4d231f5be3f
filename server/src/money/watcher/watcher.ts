import { setTimeout as delay } from 'node:timers/promises'
import type { ChainConfig } from '../../config/chains.ts'
import type { Ctx } from '../../context.ts'
import { lockAccount } from '../../identity/users/users.ts'
import { newId } from '../../lib/id.ts'
import type { Block, ChainNode } from '../../providers/chain/node.ts'
import { followTransfers, type Sighting } from '../deposits/deposits.ts'
import { determineMissingArrivals, finalize } from './finality.ts'
import { ingestRange } from './ingest-range.ts'
import { LeaseLost, leaseCursor, type Watch } from './lease.ts'
import { findFork, rollBack } from './reorganizations.ts'
import { initialRange } from './rules.ts'
import { type Cursor, type FollowedTransfer, releaseChain, takeDueTransfers } from './sql.ts'

/**
 * Follows a chain block by block and finds the transfers to our users. Owns `watched_chain`, `watched_block`,
 * `incoming_transfer`, `unknown_transfer`.
 * A round asks one node: did blocks that we know change? what do the next ones hold? which of them are final now? Each
 * answer and the cursor are one transaction, which only the holder of the chain's lease can commit: exactly once, whatever
 * is killed. What the books owe a transfer is due work, folded by user (`followDueTransfers`).
 * A transfer is unfinal → final, either → reorganized → unfinal in another block. Nothing is final unless the other node,
 * where there is one, shows the same block and the same transfers, and the balance tells what arrived.
 */
export type Watcher = {
  /** Whether there is more to read at once. */
  round(): Promise<boolean>
  loop(signal: AbortSignal): Promise<void>
}

/** Few, since a stop should not wait for a chain that is far ahead. */
const mostLastRounds = 10
const pollMilliseconds = { sandbox: 200, production: 2000 }

export function createWatcher(ctx: Ctx, chain: ChainConfig, nodes: readonly ChainNode[]): Watcher {
  const watcher = newId(ctx.clock.now())
  const watch: Watch = {
    ctx,
    chain,
    nodes,
    watcher,
    turn: 0,
    blocks: initialRange,
    readsInFlight: [],
    arrivalsCheckedAt: new Date(0),
  }
  const { log, metrics, config } = ctx
  const labels = { chain: String(chain.chainId) }

  async function round(): Promise<boolean> {
    try {
      return await watchOnce(watch)
    } catch (error) {
      watch.readsInFlight = []
      watch.turn += 1
      if (error instanceof LeaseLost) return false
      metrics.watcherFailures.inc(labels)
      log.warn({ err: error, chainId: chain.chainId }, 'a round of the watcher failed and is tried again')
      return false
    }
  }

  return {
    round,
    async loop(signal) {
      while (!signal.aborted) {
        if (await round()) continue
        await delay(pollMilliseconds[config.mode], undefined, { signal }).catch(() => {})
      }
      // The sandbox's own chain stops with us, and started again it knows no balances of before.
      for (let rounds = 0; config.mode === 'sandbox' && rounds < mostLastRounds && (await round()); rounds++);
      await releaseChain(ctx.db, chain.chainId, watcher)
    },
  }
}

async function watchOnce(watch: Watch): Promise<boolean> {
  const { ctx, chain } = watch
  const cursor = await leaseCursor(watch)
  if (cursor === null) return false
  const node = nodeOf(watch)
  const heads = await node.heads(chain.finality)
  measure(watch, cursor, heads.head)
  const fork = await findFork(watch, node, cursor, heads.head)
  if (fork !== null) return rollBack(watch, node, cursor, fork)
  if (heads.head.number < cursor.seen) {
    // No other branch, only less of ours: a node that lags behind.
    watch.turn += 1
    return false
  }
  const read = await ingestRange(watch, node, cursor, heads)
  const finalized = await finalize(watch, node, read, heads.final)
  if (ctx.clock.now() >= watch.arrivalsCheckedAt) await determineMissingArrivals(watch)
  return read.seen < heads.head.number || finalized.final > cursor.final
}

function nodeOf({ nodes, turn }: Watch): ChainNode {
  const node = nodes[turn % nodes.length]
  if (!node) throw new Error('a watched chain has at least one node')
  return node
}

function measure({ ctx, chain }: Watch, { seen, final }: Cursor, head: Block): void {
  const labels = { chain: String(chain.chainId) }
  ctx.metrics.watcherBlock.set({ ...labels, at: 'head' }, head.number)
  ctx.metrics.watcherBlock.set({ ...labels, at: 'seen' }, seen)
  ctx.metrics.watcherBlock.set({ ...labels, at: 'final' }, final)
  ctx.metrics.watcherHeadSeconds.set(labels, ctx.clock.now().getTime() / 1000 - head.seconds)
}

// The books

/** The books follow all that the chain has said of one user's transfers. What did not arrive makes no deposit. */
export async function followDueTransfers(ctx: Ctx, userId: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const account = await lockAccount(tx, userId)
    const owed = await takeDueTransfers(tx, userId)
    await followTransfers(ctx, tx, account, owed.map(sightingOf))
  })
}

function sightingOf({ claimed, arrived, chainState, ...transfer }: FollowedTransfer): Sighting {
  if (arrived === 0n) return { ...transfer, amount: claimed, chainState: 'reorganized' }
  return { ...transfer, amount: arrived ?? claimed, chainState }
}
