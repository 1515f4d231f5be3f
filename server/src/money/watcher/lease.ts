import { setTimeout as delay } from 'node:timers/promises'
import type { ChainConfig } from '../../config/chains.ts'
import type { Ctx } from '../../context.ts'
import { addSeconds } from '../../lib/clock.ts'
import type { Tx } from '../../platform/db/db.ts'
import { raiseAlarm } from '../../platform/observability/alarms.ts'
import type { ChainNode } from '../../providers/chain/node.ts'
import type { Reading } from './read.ts'
import type { KnownBlock } from './rules.ts'
import { type ChainCursor, findCursor, insertCursor, leaseChain, moveCursor } from './sql.ts'

/** The in-memory state of one process watching one chain. It can be lost at any time. */
export type Watch = {
  readonly ctx: Ctx
  readonly chain: ChainConfig
  readonly nodes: readonly ChainNode[]
  /** the id of this process in the chain's lease */
  readonly watcher: string
  /** selects the node; incremented after a failure, or when the node lags behind */
  turn: number
  /** the number of blocks per request */
  rangeSize: number
  /** the number of blocks that become final at once. Every node is asked for all of them */
  finalRangeSize: number
  /** the range that is written next, and the ranges that are read ahead */
  readsInFlight: Reading[]
  arrivalsCheckedAt: Date
  /** the last block whose unknown arrivals were checked */
  arrivalsCheckedTo: number
}

/** Rolls back a transaction after another process has taken the lease. */
export class LeaseLost extends Error {}

/**
 * Returns the nodes that have the block; null if another node has a different block, or if a node of `required`
 * responds without one. Other nodes that fail or lack the block are ignored.
 */
export async function nodesWith(
  { ctx, chain, nodes }: Watch,
  node: ChainNode,
  block: KnownBlock,
  required: ReadonlySet<ChainNode> = new Set(),
): Promise<ReadonlySet<ChainNode> | null> {
  const others = nodes.filter((other) => other !== node)
  const found = await Promise.all(
    others.map(async (other) => ({ other, block: await other.block(block.number).catch(() => undefined) })),
  )
  const against = found.filter((one) => one.block && one.block.hash !== block.hash)
  if (against.length > 0) {
    const names = { node: node.name, others: against.map(({ other }) => other.name) }
    raiseAlarm(ctx, { area: 'watcher', chainId: chain.chainId, reason: 'nodes_disagree' }, { ...block, ...names })
    return null
  }
  if (found.some((one) => one.block === null && required.has(one.other))) return null
  return new Set([node, ...found.flatMap((one) => (one.block ? [one.other] : []))])
}

/**
 * Takes or renews the lease, and returns the cursor; null while another process watches the chain. After a kill, no
 * process reads the chain until the lease expires or a successor of the process releases it.
 */
export async function leaseCursor({ ctx, chain, watcher }: Watch): Promise<ChainCursor | null> {
  const { chainId } = chain
  const now = ctx.clock.now()
  const start = Number(chain.startBlock) - 1
  const cursor = await findCursor(ctx.db, chainId)
  if (cursor === null) await insertCursor(ctx.db, { chainId, seen: start, final: start }, now)
  const half = ctx.config.watcherLeaseSeconds / 2
  const isHeld = cursor?.watcher === watcher && cursor.leasedUntil && cursor.leasedUntil > addSeconds(now, half)
  if (cursor && isHeld) return cursor
  return (await takeLease({ ctx, chain, watcher })) ? findCursor(ctx.db, chainId) : null
}

/** Takes or renews the lease. Returns false while another process holds it. */
function takeLease({ ctx, chain, watcher }: Pick<Watch, 'ctx' | 'chain' | 'watcher'>): Promise<boolean> {
  const now = ctx.clock.now()
  const until = addSeconds(now, ctx.config.watcherLeaseSeconds)
  return leaseChain(ctx.db, chain.chainId, { watcher, now, until })
}

/**
 * Renews the lease until `work` ends. A node that does not respond can make one round longer than the lease. If the
 * lease ended, two processes would take it from each other, and neither could finish a round.
 */
export async function whileLeased<T>(watch: Watch, work: () => Promise<T>): Promise<T> {
  const end = new AbortController()
  const milliseconds = (watch.ctx.config.watcherLeaseSeconds * 1000) / 3
  async function renew(): Promise<void> {
    await delay(milliseconds, undefined, { signal: end.signal }).catch(() => {})
    if (end.signal.aborted) return
    // A failed renewal is repeated. While another process has the lease, the round cannot commit.
    await takeLease(watch).catch(() => {})
    return renew()
  }
  const renewed = renew()
  try {
    return await work()
  } finally {
    end.abort()
    await renewed
  }
}

/**
 * Runs `write` and moves the cursor in one transaction. Throws `LeaseLost` if another process has moved the cursor or
 * taken the lease.
 */
export async function commitUnderLease(
  { ctx, watcher }: Watch,
  from: ChainCursor,
  to: Pick<ChainCursor, 'seen' | 'final'>,
  write: (tx: Tx, now: Date) => Promise<void>,
): Promise<ChainCursor> {
  await ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now()
    const [isMoved] = await Promise.all([moveCursor(tx, from, to, { watcher, now }), write(tx, now)])
    if (!isMoved) throw new LeaseLost('another process has taken the lease')
  })
  return { ...from, ...to }
}
