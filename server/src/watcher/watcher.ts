import { setTimeout as delay } from 'node:timers/promises'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/db.ts'
import { followTransfers, type Sighting } from '../deposits/deposits.ts'
import type { ChainConfig } from '../lib/chains.ts'
import { addSeconds } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { UpstreamError } from '../lib/refusal.ts'
import type { Block, ChainNode, Heads } from '../providers/chain/node.ts'
import { lockAccount } from '../users/users.ts'
import { describeHits, findHits, type Range, type RangeLogs, readLogs, textOf } from './read.ts'
import { firstRange, hashesKept, type KnownBlock, lastHeld, rangeAfter, rangeAfterFailure } from './rules.ts'
import {
  type Cursor,
  deleteBlocks,
  deleteUnknown,
  type FollowedTransfer,
  finaliseTransfers,
  findBlocks,
  findCursor,
  findLastBlock,
  findTransfersIn,
  type IncomingTransfer,
  insertBlocks,
  insertCursor,
  insertTransfers,
  insertUnknown,
  leaseChain,
  moveCursor,
  orphanTransfers,
  releaseChain,
  scanDueBlocks,
  scanDueUntold,
  scanDueUsers,
  takeOwedTransfers,
  tellArrival,
} from './sql.ts'

/**
 * Follows a chain block by block and finds the transfers to our users. Owns `watched_chain`, `watched_block`,
 * `incoming_transfer`, `unknown_transfer`.
 * A round asks one node: did blocks that we know change? what do the next ones hold? which of them are final now? Each
 * answer and the cursor are one transaction, which only the holder of the chain's lease can commit: exactly once, whatever
 * is killed. What the books owe a transfer is due work, folded by user (`followOwed`).
 * A transfer is unfinal → final, either → reorganised → unfinal in another block. Nothing is final unless the other node,
 * where there is one, shows the same block and the same transfers, and the balance tells what arrived.
 */
export type Watcher = {
  /** Whether there is more to read at once. */
  round(): Promise<boolean>
  loop(signal: AbortSignal): Promise<void>
}

/** After a kill nobody reads for so long; a sandbox that is started again should not wait. */
const leaseSecondsOf = { sandbox: 3, production: 30 }
const pollMilliseconds = { sandbox: 200, production: 2000 }
const toldAgainSeconds = 60
const mostToldAgain = 20
const mostReplaceable = 256

/** What this process knows of its work on one chain, and may forget. */
type Watch = {
  readonly ctx: Ctx
  readonly chain: ChainConfig
  readonly nodes: readonly ChainNode[]
  /** this process, in the chain's lease */
  readonly watcher: string
  /** which node is asked; the next one after a failure */
  turn: number
  /** how many blocks are asked for at once */
  blocks: number
  /** the next range, read while this one is written */
  ahead: { readonly node: ChainNode; readonly range: Range; readonly logs: Promise<RangeLogs> } | null
  toldAgainAt: Date
}

/** A transaction that another process has overtaken; what it wrote is undone. */
class Overtaken extends Error {}

export function createWatcher(ctx: Ctx, chain: ChainConfig, nodes: readonly ChainNode[]): Watcher {
  const watcher = newId(ctx.clock.now())
  const watch: Watch = {
    ctx,
    chain,
    nodes,
    watcher,
    turn: 0,
    blocks: firstRange,
    ahead: null,
    toldAgainAt: new Date(0),
  }
  const { log, metrics, config } = ctx
  const labels = { chain: String(chain.chainId) }

  async function round(): Promise<boolean> {
    try {
      return await watchOnce(watch)
    } catch (error) {
      watch.ahead = null
      watch.turn += 1
      if (error instanceof Overtaken) return false
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
      await releaseChain(ctx.db, chain.chainId, watcher)
    },
  }
}

async function watchOnce(watch: Watch): Promise<boolean> {
  const { ctx, chain } = watch
  const cursor = await takeCursor(watch)
  if (cursor === null) return false
  const node = nodeAt(watch, 0)
  const heads = await node.heads(chain.finality)
  measure(watch, cursor, heads.head)
  const fork = await findFork(watch, node, cursor, heads.head)
  if (fork !== null) return rollBack(watch, node, cursor, fork)
  if (heads.head.number < cursor.seen) {
    // No other branch, only less of ours: a node that lags behind.
    watch.turn += 1
    return false
  }
  const read = await readOn(watch, node, cursor, heads)
  const finalised = await finalise(watch, node, read, heads.final)
  if (ctx.clock.now() >= watch.toldAgainAt) await tellAgain(watch, node, finalised)
  return read.seen < heads.head.number || finalised.final > cursor.final
}

function nodeAt({ nodes, turn }: Watch, ahead: number): ChainNode {
  const node = nodes[(turn + ahead) % nodes.length]
  if (!node) throw new Error('a watched chain has at least one node')
  return node
}

/** Whether all other nodes have the same block there. One that does not answer, or lags behind, says nothing. */
async function othersHold({ ctx, chain, nodes }: Watch, node: ChainNode, block: KnownBlock): Promise<boolean> {
  const others = nodes.filter((other) => other !== node)
  const answers = await Promise.all(others.map((other) => other.block(block.number).catch(() => null)))
  const against = others.filter((_, i) => answers[i] && answers[i].hash !== block.hash)
  if (against.length > 0) {
    const names = { node: node.name, others: against.map(({ name }) => name) }
    alarm({ ctx, chain }, 'nodes_disagree', { ...block, ...names })
  }
  return against.length === 0
}

/** A person must look: nothing becomes final, and nothing is taken back, on the word of one against another. */
function alarm({ ctx, chain }: Pick<Watch, 'ctx' | 'chain'>, reason: string, what: object): void {
  ctx.log.error({ chainId: chain.chainId, reason, ...what }, 'watcher alarm')
  ctx.metrics.watcherAlarms.inc({ chain: String(chain.chainId), reason })
}

/** Null while another process watches the chain. */
async function takeCursor({ ctx, chain, watcher }: Watch): Promise<Cursor | null> {
  const { chainId } = chain
  const now = ctx.clock.now()
  const leaseSeconds = leaseSecondsOf[ctx.config.mode]
  const start = Number(chain.startBlock) - 1
  const cursor = await findCursor(ctx.db, chainId)
  if (cursor === null) await insertCursor(ctx.db, { chainId, seen: start, final: start }, now)
  const isHeld =
    cursor?.watcher === watcher && cursor.leasedUntil && cursor.leasedUntil > addSeconds(now, leaseSeconds / 2)
  if (cursor && isHeld) return cursor
  if (!(await leaseChain(ctx.db, chainId, { watcher, now, until: addSeconds(now, leaseSeconds) }))) return null
  return findCursor(ctx.db, chainId)
}

/** Writes and moves the cursor in one transaction, or neither. */
async function commit(
  { ctx, watcher }: Watch,
  from: Cursor,
  to: Pick<Cursor, 'seen' | 'final'>,
  write: (tx: Tx, now: Date) => Promise<void>,
): Promise<Cursor> {
  await ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now()
    if (!(await moveCursor(tx, from, to, { watcher, now }))) throw new Overtaken('another process watches the chain')
    await write(tx, now)
  })
  return { ...from, ...to }
}

// Reorganisations

/** The last block that we know and that is still there, when the last one that we know is not; null: all is well. */
async function findFork({ ctx, chain }: Watch, node: ChainNode, cursor: Cursor, head: Block): Promise<number | null> {
  const { chainId } = chain
  const isHeld = async ({ number, hash }: KnownBlock) => (await node.block(number))?.hash === hash
  const last = await findLastBlock(ctx.db, chainId, Math.min(cursor.seen, head.number))
  if (last === null || (await isHeld(last))) return null
  let known = await findBlocks(ctx.db, chainId, { from: 0, to: last.number })
  // Deeper than the hashes that were kept, the blocks of our transfers are compared.
  for (let below = known[0]?.number; below !== undefined; below = known.at(-1)?.number) {
    const held = await lastHeld(known, isHeld)
    if (held) return held.number
    known = await scanDueBlocks(ctx.db, chainId, below, 1000)
  }
  return Number(chain.startBlock) - 1
}

/** Everything after the fork is taken back, and the books follow; but not on the word of one node against another. */
async function rollBack(watch: Watch, node: ChainNode, cursor: Cursor, fork: number): Promise<boolean> {
  const { ctx, chain } = watch
  const { chainId } = chain
  const isDeep = fork < cursor.final
  const instead = await node.block(fork + 1)
  if (instead === null || !(await othersHold(watch, node, instead))) return false
  watch.ahead = null
  await commit(watch, cursor, { seen: fork, final: Math.min(cursor.final, fork) }, async (tx, now) => {
    await deleteBlocks(tx, chainId, { above: fork })
    await deleteUnknown(tx, chainId, fork)
    const range = { from: fork + 1, to: Number.MAX_SAFE_INTEGER }
    const gone = await findTransfersIn(tx, await scanDueUsers(tx, chainId, range), chainId, range)
    if (gone.length > 0) await orphanTransfers(tx, gone, now)
  })
  const report = { chainId, fork, blocks: cursor.seen - fork, belowFinal: isDeep ? cursor.final - fork : 0 }
  if (isDeep) ctx.log.error(report, 'a reorganisation deeper than final')
  else ctx.log.warn(report, 'a reorganisation')
  ctx.metrics.reorganisations.inc({ chain: String(chainId), depth: isDeep ? 'below_final' : 'above_final' })
  return true
}

// Reading on

async function readOn(watch: Watch, node: ChainNode, cursor: Cursor, heads: Heads): Promise<Cursor> {
  const range = rangeAfterBlock(watch, cursor.seen, heads)
  if (range === null) return cursor
  const read = await readRange(watch, node, range, range.to > heads.final)
  const next = rangeAfterBlock(watch, read.to, heads)
  // While this one is looked up and written, the node can work on the next, as long as that cannot change.
  if (next && next.to <= heads.final) {
    const logs = readLogs(watch.ctx, watch.chain, node, next, false)
    logs.catch(() => {})
    watch.ahead = { node, range: next, logs }
  }
  return writeRange(watch, node, cursor, read)
}

/** Final blocks in large steps; those that could be replaced by themselves, since each one's hash is needed. */
function rangeAfterBlock({ blocks }: Watch, seen: number, { head, final }: Heads): Range | null {
  if (seen >= head.number) return null
  const to =
    seen < final ? Math.min(seen + blocks, final) : Math.min(seen + blocks, seen + mostReplaceable, head.number)
  return { from: seen + 1, to }
}

async function readRange(watch: Watch, node: ChainNode, range: Range, isReplaceable: boolean): Promise<RangeLogs> {
  const { ahead } = watch
  watch.ahead = null
  try {
    const isAhead = ahead?.node === node && ahead.range.from === range.from && ahead.range.to <= range.to
    const read = await (isAhead ? ahead.logs : readLogs(watch.ctx, watch.chain, node, range, isReplaceable))
    watch.blocks = rangeAfter(watch.blocks, read.logs.length)
    return read
  } catch (error) {
    // Nodes say in many ways that a range is too much: whatever they say, less is asked for.
    watch.blocks = rangeAfterFailure(watch.blocks)
    throw error
  }
}

async function writeRange(
  watch: Watch,
  node: ChainNode,
  cursor: Cursor,
  { to, blocks, logs }: RangeLogs,
): Promise<Cursor> {
  const { ctx, chain } = watch
  const { chainId } = chain
  const known = await findLastBlock(ctx.db, chainId, cursor.seen)
  const [first] = blocks
  if (first && known?.number === first.number - 1 && first.parentHash !== known.hash) {
    throw new UpstreamError('rpc', new Error(`block ${first.number} does not follow the one that was read before`))
  }
  const { transfers, unknown } = await describeHits(chain, node, { ...(await findHits(ctx, chain, logs)), logs })
  const moved = await commit(watch, cursor, { seen: to, final: cursor.final }, async (tx, now) => {
    await insertBlocks(tx, chainId, blocks)
    if (transfers.length > 0) await insertTransfers(tx, transfers, now)
    if (unknown.length > 0) await insertUnknown(tx, chainId, unknown, now)
  })
  report(watch, transfers, unknown.length)
  return moved
}

function report(watch: Watch, transfers: readonly IncomingTransfer[], unknown: number): void {
  const chain = String(watch.chain.chainId)
  watch.ctx.metrics.watchedTransfers.inc({ chain, token: 'known' }, transfers.length)
  watch.ctx.metrics.watchedTransfers.inc({ chain, token: 'unknown' }, unknown)
  for (const { userId, txHash, logPosition, token, claimed, arrived } of transfers) {
    if (arrived === claimed) continue
    const amounts = { claimed: String(claimed), arrived: arrived === null ? null : String(arrived) }
    const reason = arrived === null ? 'arrival_untold' : 'arrival_differs'
    alarm(watch, reason, { userId, txHash, logPosition, token, ...amounts })
  }
}

// Finality

async function finalise(watch: Watch, node: ChainNode, cursor: Cursor, final: number): Promise<Cursor> {
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
  const shown = new Set(transfers.map(nameOf))
  const gone = ours.filter((transfer) => !shown.has(nameOf(transfer)))
  alarm(watch, 'transfers_mended', { ...range, had: ours.length, shown: transfers.length, gone: gone.map(nameOf) })
  await commit(watch, cursor, cursor, async (tx, now) => {
    if (gone.length > 0) await orphanTransfers(tx, gone, now)
    if (transfers.length > 0) await insertTransfers(tx, transfers, now)
  })
  return false
}

async function viewOf({ ctx, chain }: Watch, node: ChainNode, range: Range) {
  const { logs } = await readLogs(ctx, chain, node, range, false)
  const found = await findHits(ctx, chain, logs)
  return { node, logs, ...found, text: textOf(found.hits.filter(({ isKnown }) => isKnown)) }
}

/** A node that keeps more of the past may tell what arrived where another could not. */
async function tellAgain(watch: Watch, node: ChainNode, { final }: Cursor): Promise<void> {
  const { ctx, chain } = watch
  const { blocks, transfers } = await scanDueUntold(ctx.db, chain.chainId)
  ctx.metrics.untoldTransfers.set({ chain: String(chain.chainId) }, transfers)
  for (const number of blocks.slice(0, mostToldAgain)) {
    const { logs } = await readLogs(ctx, chain, node, { from: number, to: number }, false)
    const shown = await describeHits(chain, node, { ...(await findHits(ctx, chain, logs)), logs })
    const told = shown.transfers.filter(({ arrived }) => arrived !== null)
    const state = number <= final ? 'final' : 'unfinal'
    await ctx.db.transaction(async (tx) => {
      for (const transfer of told) await tellArrival(tx, transfer, state, ctx.clock.now())
    })
  }
  watch.toldAgainAt = addSeconds(ctx.clock.now(), toldAgainSeconds)
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
export async function followOwed(ctx: Ctx, userId: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const account = await lockAccount(tx, userId)
    const owed = await takeOwedTransfers(tx, userId)
    await followTransfers(ctx, tx, account, owed.map(sightingOf))
  })
}

function sightingOf({ claimed, arrived, chainState, ...transfer }: FollowedTransfer): Sighting {
  if (arrived === 0n) return { ...transfer, amount: claimed, chainState: 'reorganised' }
  return { ...transfer, amount: arrived ?? claimed, chainState }
}
