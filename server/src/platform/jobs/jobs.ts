import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../../config/config.ts'
import type { Ctx } from '../../context.ts'
import { addSeconds } from '../../lib/clock.ts'
import { waitForAll } from '../../lib/wait-for-all.ts'
import type { DataNode } from '../db/nodes.ts'
import { shortageOf } from '../db/shortage.ts'
import { createBackOff, isLogged } from './back-off.ts'
import { loopOverNodes } from './node-loops.ts'

/**
 * Runs due work: rows whose `due_at` has passed (null: nothing to do), in the fact's own table, with their `attempts`.
 * A lease moves `due_at` ahead, so that the row becomes due again if its worker dies. `leased_by` names the process.
 */
export type DueKey = { readonly userId: string; readonly id: string }

export type DueWork = {
  /** The table whose rows become due, and the column that identifies a row beside user_id. */
  readonly table: string
  readonly id: string
  /** Must be idempotent. Clears or moves `due_at` in the transaction that does the work. An error causes a retry. */
  run(ctx: Ctx, key: DueKey): Promise<void>
}

/** Periodic work that belongs to no row, such as deleting expired nonces or sealing the ledger. */
export type Chore = {
  readonly name: string
  /** 0 turns the chore off. */
  everySeconds(config: Config): number
  run(ctx: Ctx, signal: AbortSignal): Promise<void>
}

export type Jobs = {
  /** Runs all due work, including the work that becomes due as a result. */
  runDue(): Promise<void>
  /** Runs due work and chores until the signal aborts. */
  loop(signal: AbortSignal): Promise<void>
}

const idleMilliseconds = 150
/** The loop waits no longer than this for the rows of a table, so that a vendor that hangs does not stop other work. */
const maxWaitMilliseconds = 150
const leaseSeconds = 60
/** A scan finds at most this many rows of a table, and a process works on at most this many of them on each node. */
const batchSize = 100
const maxRounds = 10_000

export function createJobs(ctx: Ctx, works: readonly DueWork[], chores: readonly Chore[]): Jobs {
  const tables = works.map(({ table }) => table)
  const runners = works.map((work) => rowRunner(ctx, work))
  /** The rows of each node, by table, that this process works on. */
  const queues = new Map<string, readonly RowQueue[]>()

  function queuesOf({ name }: DataNode): readonly RowQueue[] {
    const opened = queues.get(name) ?? runners.map(createRowQueue)
    queues.set(name, opened)
    return opened
  }

  async function runRound(node: DataNode, wait: (rows: Row[]) => Promise<boolean[]>): Promise<number> {
    const found = await node.query<DueKey & { work: number }>(scanOf(works, node.tablesOf), [ctx.clock.now()])
    let leased = 0
    for (const [i, queue] of queuesOf(node).entries()) {
      const ran = await wait(found.filter(({ work }) => work === i).flatMap(queue.start))
      leased += ran.filter(Boolean).length
    }
    return leased
  }

  /** Waits for the rows of earlier rounds, then for those of its own. If it leases none, no work is left. */
  async function completeRound(node: DataNode): Promise<number> {
    await Promise.allSettled(rowsOf(queuesOf(node)))
    return runRound(node, waitForAll)
  }

  /** Leaves slow rows behind: they continue beside later rounds. */
  async function briefRound(node: DataNode): Promise<number> {
    await ctx.sandbox?.clock.refresh()
    return runRound(node, async (rows) => {
      const all = waitForAll(rows)
      const ran = await Promise.race([all, delay(maxWaitMilliseconds, null)])
      if (ran !== null) return ran
      all.catch((error: unknown) => {
        if (shortageOf(error) === null) ctx.log.error({ err: error, node: node.name }, 'round of due work failed')
      })
      return rows.map(() => true)
    })
  }

  const rounds = new Map<string, Promise<unknown>>()
  /** Serializes the rounds of a node, so that the loop starts no rows during a round of `runDue`. */
  function inTurn(node: DataNode, round: (node: DataNode) => Promise<number>): Promise<number> {
    const next = (rounds.get(node.name) ?? Promise.resolve()).then(() => round(node))
    rounds.set(
      node.name,
      next.catch(() => {}),
    )
    return next
  }

  return {
    async runDue() {
      for (let count = 0; count < maxRounds; count++) {
        const nodes = await ctx.db.nodes(tables)
        const leased = await Promise.all(nodes.map((node) => inTurn(node, completeRound)))
        if (leased.every((rows) => rows === 0)) return
      }
      ctx.log.error('due work did not end within the maximum number of rounds')
    },
    async loop(signal) {
      // Chores run concurrently, so that a long one does not delay due work.
      const choreLoops = chores.map((chore) => repeat(ctx, chore, signal))
      const dueWork = { name: 'due work', busyMilliseconds: 0, idleMilliseconds }
      await loopOverNodes(ctx, tables, dueWork, (node) => inTurn(node, briefRound), signal)
      // The caller closes the connections after this loop, so all rows must end first.
      await Promise.allSettled([...queues.values()].flatMap(rowsOf))
      await Promise.all(choreLoops)
    },
  }
}

/** A row that is worked on. Resolves to whether this process had the lease. */
type Row = Promise<boolean>

type RowQueue = {
  readonly running: ReadonlyMap<string, Row>
  /** Starts a row, unless it still runs or the queue is full. */
  readonly start: (key: DueKey) => Row[]
}

const rowsOf = (queues: readonly RowQueue[]) => queues.flatMap(({ running }) => [...running.values()])

function createRowQueue(runRow: (key: DueKey) => Row): RowQueue {
  const running = new Map<string, Row>()
  return {
    running,
    start(key) {
      // A scan of work that is identified by its user alone returns one key for each row of the user.
      const name = `${key.userId} ${key.id}`
      if (running.has(name) || running.size >= batchSize) return []
      const row = runRow(key).finally(() => running.delete(name))
      running.set(name, row)
      return [row]
    },
  }
}

async function repeat(ctx: Ctx, chore: Chore, signal: AbortSignal): Promise<void> {
  const seconds = chore.everySeconds(ctx.config)
  while (seconds > 0 && !signal.aborted) {
    try {
      await chore.run(ctx, signal)
    } catch (error) {
      if (shortageOf(error) === null) ctx.log.error({ err: error, chore: chore.name }, 'chore failed')
    }
    await delay(seconds * 1000, undefined, { signal }).catch(() => {})
  }
}

/** Scans all tables of a node in one query, because an idle service does little else than scan. */
export function scanOf(works: readonly DueWork[], tablesOf: DataNode['tablesOf']): string {
  return scanEach(works, tablesOf, `due_at <= $1 order by due_at limit ${batchSize}`)
}

function scanEach(works: readonly DueWork[], tablesOf: DataNode['tablesOf'], condition: string): string {
  const each = works.flatMap(({ table, id }, i) => {
    const parts = tablesOf(table).map((part) => `select user_id, ${id} as id, due_at, leased_by from ${part}`)
    // One limit for all shards of a table: PostgreSQL merges their indexes.
    const rows = parts.join(' union all ')
    return rows ? [`(select ${i} as work, user_id as "userId", id from (${rows}) as due where ${condition})`] : []
  })
  return `-- scanDue\n${each.join('\nunion all ')}`
}

/** Makes the work of a killed process due again. On a node that is down, the work waits for the end of its lease. */
export async function releaseDueWork(ctx: Ctx, works: readonly DueWork[], deadProcess: string): Promise<void> {
  const now = ctx.clock.now()
  const latest = addSeconds(now, leaseSeconds)
  const nodes = await ctx.db.nodes(works.map(({ table }) => table))
  await Promise.all(nodes.map(release))

  async function release({ name, query, tablesOf }: DataNode): Promise<void> {
    const scan = scanEach(works, tablesOf, 'due_at > $2 and due_at <= $3 and leased_by = $1')
    try {
      const scanned = await query<DueKey & { work: number }>(scan, [deadProcess, now, latest])
      for (const { work, userId, id } of scanned) {
        const leased = works[work]
        if (leased === undefined) continue
        await ctx.db.query(
          `update ${leased.table} set due_at = $4, leased_by = null
           where user_id = $1 and ${leased.id} = $2 and leased_by = $3 and due_at > $4 and due_at <= $5`,
          [userId, id, deadProcess, now, latest],
        )
      }
    } catch (error) {
      ctx.log.warn({ err: error, node: name }, 'due work of a killed process not released')
    }
  }
}

/** Builds the statements for one table. Its names come from the code, never from a request. */
function rowRunner(ctx: Ctx, { table, id, run }: DueWork) {
  const take = `update ${table} set due_at = $4, attempts = attempts + 1, leased_by = $5
    where user_id = $1 and ${id} = $2 and due_at <= $3 returning attempts`
  const postpone = `update ${table} set due_at = $4 where user_id = $1 and ${id} = $2 and due_at = $3`
  const backOff = createBackOff()

  return async (key: DueKey): Promise<boolean> => {
    const now = ctx.clock.now()
    const lease = addSeconds(now, leaseSeconds)
    const [leased] = await ctx.db.query<{ attempts: number }>(take, [key.userId, key.id, now, lease, ctx.processId])
    if (!leased) return false
    try {
      await run(ctx, key)
    } catch (error) {
      const failedAt = ctx.clock.now()
      const next = addSeconds(failedAt, backOff(leased.attempts, failedAt))
      if (shortageOf(error) === null && isLogged(leased.attempts))
        ctx.log.warn({ err: error, table, id: key.id, attempts: leased.attempts }, 'due work failed, retry scheduled')
      await ctx.db.query(postpone, [key.userId, key.id, lease, next])
    }
    return true
  }
}
