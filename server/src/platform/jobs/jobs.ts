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
const leaseSeconds = 60
const batchSize = 100
const maxRounds = 10_000

export function createJobs(ctx: Ctx, works: readonly DueWork[], chores: readonly Chore[]): Jobs {
  const tables = works.map(({ table }) => table)
  const runners = works.map((work) => rowRunner(ctx, work))

  async function runRound({ query, tablesOf }: DataNode): Promise<number> {
    const found = await query<DueKey & { work: number }>(scanOf(works, tablesOf), [ctx.clock.now()])
    let leased = 0
    for (const [i, runRow] of runners.entries()) {
      // Work whose id is the user appears once for each of the user's rows.
      const keys = new Map(found.filter(({ work }) => work === i).map((key) => [`${key.userId} ${key.id}`, key]))
      // The rows that still work keep the round open: after the last round, a stop closes the connections.
      const ran = await waitForAll([...keys.values()].map(runRow))
      leased += ran.filter(Boolean).length
    }
    return leased
  }

  const running = new Map<string, Promise<unknown>>()
  /** Serializes the rounds of a node, so that `runDue` cannot return while the loop still works on leased rows. */
  function round(node: DataNode): Promise<number> {
    const next = (running.get(node.name) ?? Promise.resolve()).then(() => runRound(node))
    running.set(
      node.name,
      next.catch(() => {}),
    )
    return next
  }

  return {
    async runDue() {
      for (let rounds = 0; rounds < maxRounds; rounds++) {
        const leased = await Promise.all((await ctx.db.nodes(tables)).map(round))
        if (leased.every((count) => count === 0)) return
      }
      ctx.log.error('due work did not end within the maximum number of rounds')
    },
    async loop(signal) {
      // Chores run concurrently, so that a long one does not delay due work.
      const choreLoops = chores.map((chore) => repeat(ctx, chore, signal))
      const dueWork = { name: 'due work', busyMilliseconds: 0, idleMilliseconds }
      await loopOverNodes(ctx, tables, dueWork, refreshedRound, signal)
      await Promise.all(choreLoops)
    },
  }

  async function refreshedRound(node: DataNode): Promise<number> {
    await ctx.sandbox?.clock.refresh()
    return round(node)
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

/** Scans all tables of a node in one query, since it is almost the only work of an idle service. */
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

/** Makes the work of a killed process due again. On a node that is down, it waits for the end of the lease. */
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
