import type { ChainConfig } from '../../config/chains.ts'
import type { Ctx } from '../../context.ts'
import { addSeconds } from '../../lib/clock.ts'
import type { Tx } from '../../platform/db/db.ts'
import { raiseAlarm } from '../../platform/observability/alarms.ts'
import type { ChainNode } from '../../providers/chain/node.ts'
import type { Reading } from './read.ts'
import type { KnownBlock } from './rules.ts'
import { type Cursor, findCursor, insertCursor, leaseChain, moveCursor } from './sql.ts'

/** What this process knows of its work on one chain, and may forget. */
export type Watch = {
  readonly ctx: Ctx
  readonly chain: ChainConfig
  readonly nodes: readonly ChainNode[]
  /** this process, in the chain's lease */
  readonly watcher: string
  /** which node is asked; the next one after a failure */
  turn: number
  /** how many blocks are asked for at once */
  blocks: number
  /** the range that is written next, and those that are read meanwhile */
  underWay: Reading[]
  toldAgainAt: Date
}

/** After a kill nobody reads for so long; a sandbox that is started again should not wait. */
const leaseSecondsOf = { sandbox: 3, production: 30 }

/** A transaction that another process has overtaken; what it wrote is undone. */
export class Overtaken extends Error {}

/** Whether all other nodes have the same block there. One that does not answer, or lags behind, says nothing. */
export async function othersHold({ ctx, chain, nodes }: Watch, node: ChainNode, block: KnownBlock): Promise<boolean> {
  const others = nodes.filter((other) => other !== node)
  const answers = await Promise.all(others.map((other) => other.block(block.number).catch(() => null)))
  const against = others.filter((_, i) => answers[i] && answers[i].hash !== block.hash)
  if (against.length > 0) {
    const names = { node: node.name, others: against.map(({ name }) => name) }
    raiseAlarm(ctx, { area: 'watcher', chainId: chain.chainId, reason: 'nodes_disagree' }, { ...block, ...names })
  }
  return against.length === 0
}

/** Null while another process watches the chain. */
export async function takeCursor({ ctx, chain, watcher }: Watch): Promise<Cursor | null> {
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
export async function commit(
  { ctx, watcher }: Watch,
  from: Cursor,
  to: Pick<Cursor, 'seen' | 'final'>,
  write: (tx: Tx, now: Date) => Promise<void>,
): Promise<Cursor> {
  await ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now()
    const [isMoved] = await Promise.all([moveCursor(tx, from, to, { watcher, now }), write(tx, now)])
    if (!isMoved) throw new Overtaken('another process watches the chain')
  })
  return { ...from, ...to }
}
