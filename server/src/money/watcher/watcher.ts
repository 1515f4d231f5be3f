import { setTimeout as delay } from 'node:timers/promises'
import type { ChainConfig } from '../../config/chains.ts'
import type { Ctx } from '../../context.ts'
import { lockAccount } from '../../identity/users/users.ts'
import { newId } from '../../lib/id.ts'
import type { Block, ChainNode } from '../../providers/chain/node.ts'
import { followTransfers, type Sighting } from '../deposits/deposits.ts'
import { determineMissingArrivals, finalize } from './finality.ts'
import { ingestRange } from './ingest-range.ts'
import { LeaseLost, leaseCursor, type Watch, whileLeased } from './lease.ts'
import { findFork, rollBack } from './reorganizations.ts'
import { initialRange } from './rules.ts'
import { type ChainCursor, releaseChain, releaseChains } from './sql.ts'
import { type FollowedTransfer, takeDueTransfers } from './transfers-sql.ts'

export { hasDueTransfers } from './transfers-sql.ts'

/**
 * Watches a chain block by block and finds the transfers to our users. Owns the tables `watched_chain`,
 * `watched_block`, `incoming_transfer` and `unknown_transfer`.
 *
 * A round reads three facts from one node: replaced blocks, transfers in the next blocks, and newly final blocks. Each
 * fact is written together with the cursor, in a transaction that only the holder of the chain's lease can commit.
 * Every block is therefore ingested exactly once, even if a process is killed. Due work then updates the deposits, per
 * user (`followDueTransfers`).
 *
 * States of a transfer: unfinal → final, either → reorganized, reorganized → unfinal or final when it is read
 * again.
 * Invariant: a transfer becomes final only once its arrival is known and its block is final on every node that names a
 * final block. All nodes that respond must report the same block and transfers.
 */
export type Watcher = {
  /** Runs one round. Returns whether more work is already waiting. */
  round(): Promise<boolean>
  loop(signal: AbortSignal): Promise<void>
}

/** Limits the rounds during shutdown, so that it does not wait for a long backlog. */
const maxFinalRounds = 10

export function createWatcher(
  ctx: Ctx,
  chain: ChainConfig,
  nodes: readonly ChainNode[],
  watcher = newId(ctx.clock.now()),
): Watcher {
  const watch: Watch = {
    ctx,
    chain,
    nodes,
    watcher,
    turn: 0,
    rangeSize: initialRange,
    finalRangeSize: initialRange,
    readsInFlight: [],
    arrivalsCheckedAt: new Date(0),
    arrivalsCheckedTo: -1,
  }
  const { log, metrics } = ctx
  const { watcherPollMilliseconds, watchesToTheEnd } = ctx.config
  const labels = { chain: String(chain.chainId) }

  async function attempt(): Promise<'more' | 'idle' | 'failed'> {
    try {
      return (await watchOnce(watch)) ? 'more' : 'idle'
    } catch (error) {
      watch.readsInFlight = []
      watch.turn += 1
      if (error instanceof LeaseLost) return 'idle'
      metrics.watcherFailures.inc(labels)
      log.warn({ err: error, chainId: chain.chainId }, 'watcher round failed')
      return 'failed'
    }
  }

  /** Reads up to the head. */
  async function readRest(): Promise<void> {
    for (let rounds = 0; rounds < maxFinalRounds; rounds++) {
      const outcome = await attempt()
      if (outcome === 'idle') return
      if (outcome === 'failed') await delay(watcherPollMilliseconds)
    }
  }

  return {
    round: async () => (await attempt()) === 'more',
    async loop(signal) {
      while (!signal.aborted) {
        if ((await attempt()) === 'more') continue
        await delay(watcherPollMilliseconds, undefined, { signal }).catch(() => {})
      }
      if (watchesToTheEnd) await readRest()
      await releaseChain(ctx.db, chain.chainId, watcher)
    },
  }
}

/** Ends the leases of a killed process. */
export async function releaseWatchedChains({ db }: Ctx, deadProcess: string): Promise<void> {
  await releaseChains(db, deadProcess)
}

async function watchOnce(watch: Watch): Promise<boolean> {
  const cursor = await leaseCursor(watch)
  if (cursor === null) {
    removeFigures(watch)
    return false
  }
  return whileLeased(watch, () => readChain(watch, cursor))
}

async function readChain(watch: Watch, cursor: ChainCursor): Promise<boolean> {
  const { ctx, chain } = watch
  const node = nodeOf(watch)
  const heads = await node.heads(chain.finality)
  measure(watch, cursor, heads.head)
  const fork = await findFork(watch, node, cursor, heads.head)
  if (fork !== null) return rollBack(watch, node, cursor, fork)
  if (heads.head.number < cursor.seen) {
    // The node lags behind on the same branch. The next round uses another one.
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
  if (!node) throw new Error('a watched chain needs at least one node')
  return node
}

function measure({ ctx, chain }: Watch, { seen, final }: ChainCursor, head: Block): void {
  const labels = { chain: String(chain.chainId) }
  ctx.metrics.watcherBlock.set({ ...labels, at: 'head' }, head.number)
  ctx.metrics.watcherBlock.set({ ...labels, at: 'seen' }, seen)
  ctx.metrics.watcherBlock.set({ ...labels, at: 'final' }, final)
  ctx.metrics.watcherHeadSeconds.set(labels, ctx.clock.now().getTime() / 1000 - head.seconds)
}

/** Removes the gauges that alerts compare across processes. The process with the lease reports newer values. */
function removeFigures({ ctx, chain }: Watch): void {
  const labels = { chain: String(chain.chainId) }
  ctx.metrics.watcherHeadSeconds.remove(labels)
  ctx.metrics.unknownArrivals.remove(labels)
}

// Updates of deposits

/** A much larger batch could exceed the deadline of a statement. */
const maxFollowedAtOnce = 1000

/**
 * Updates a user's deposits to the state of their due transfers. A transfer that credited nothing creates no deposit.
 */
export async function followDueTransfers(ctx: Ctx, userId: string): Promise<void> {
  while ((await followSome(ctx, userId)) === maxFollowedAtOnce);
}

async function followSome(ctx: Ctx, userId: string): Promise<number> {
  return ctx.db.transaction(async (tx) => {
    const account = await lockAccount(tx, userId)
    const due = await takeDueTransfers(tx, userId, maxFollowedAtOnce)
    await followTransfers(ctx, tx, account, due.map(sightingOf))
    return due.length
  })
}

function sightingOf({ claimed, arrived, chainState, ...transfer }: FollowedTransfer): Sighting {
  if (arrived === 0n) return { ...transfer, amount: claimed, chainState: 'reorganized' }
  return { ...transfer, amount: arrived ?? claimed, chainState }
}
