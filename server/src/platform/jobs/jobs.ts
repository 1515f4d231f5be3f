import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../../config/config.ts'
import type { Ctx } from '../../context.ts'
import { addSeconds } from '../../lib/clock.ts'

/**
 * Follow-up work is a due row in the fact's own table: `due_at` (null: nothing is owed) and `attempts`.
 * A claim moves `due_at` ahead by a lease, so that a worker that dies loses nothing: the row becomes due again.
 */
export type DueKey = { readonly userId: string; readonly id: string }

export type DueWork = {
  /** the user table whose rows become due, and its id column next to user_id */
  readonly table: string
  readonly id: string
  /** Idempotent. Clears or moves `due_at` in the transaction that does the work; throws to be tried again later. */
  run(ctx: Ctx, key: DueKey): Promise<void>
}

/** Work that belongs to no row: clearing out what expired, sealing and checking the books. */
export type Chore = {
  readonly name: string
  /** 0: never */
  everySeconds(config: Config): number
  run(ctx: Ctx, signal: AbortSignal): Promise<void>
}

export type Jobs = {
  /** Runs all that is due by the service's clock, and what becomes due through it. */
  runDue(): Promise<void>
  /** Runs due work and chores until the signal. */
  loop(signal: AbortSignal): Promise<void>
}

const idleMilliseconds = 150
const leaseSeconds = 60
const batch = 100
const mostRounds = 10_000

/** 1 s, 2 s, 4 s … one hour. */
function backOffSeconds(attempts: number): number {
  return Math.min(3600, 2 ** Math.min(attempts - 1, 12))
}

export function createJobs(ctx: Ctx, works: readonly DueWork[], chores: readonly Chore[]): Jobs {
  const scan = scanOf(works)
  const runners = works.map((work) => rowRunner(ctx, work))

  async function runRound(): Promise<number> {
    const found = await ctx.db.query<DueKey & { work: number }>(scan, [ctx.clock.now()])
    let claimed = 0
    for (const [i, runRow] of runners.entries()) {
      // Work that is claimed by user is found once for each of the user's rows.
      const keys = new Map(found.filter(({ work }) => work === i).map((key) => [`${key.userId} ${key.id}`, key]))
      const ran = await Promise.all([...keys.values()].map(runRow))
      claimed += ran.filter(Boolean).length
    }
    return claimed
  }

  let running: Promise<unknown> = Promise.resolve()
  /** One after the other, so that `runDue` does not answer while the loop still works on what it has claimed. */
  function round(): Promise<number> {
    const next = running.then(runRound)
    running = next.catch(() => {})
    return next
  }

  return {
    async runDue() {
      for (let rounds = 0; rounds < mostRounds; rounds++) if ((await round()) === 0) return
      ctx.log.error('due work does not come to an end')
    },
    async loop(signal) {
      // Chores run beside: one that takes an hour keeps nobody's money waiting.
      const aside = chores.map((chore) => repeat(ctx, chore, signal))
      while (!signal.aborted) {
        try {
          await ctx.sandbox?.clock.refresh()
          if ((await round()) > 0) continue
        } catch (error) {
          ctx.log.error({ err: error }, 'a round of due work failed')
        }
        await delay(idleMilliseconds, undefined, { signal }).catch(() => {})
      }
      await Promise.all(aside)
    },
  }
}

async function repeat(ctx: Ctx, chore: Chore, signal: AbortSignal): Promise<void> {
  const seconds = chore.everySeconds(ctx.config)
  while (seconds > 0 && !signal.aborted) {
    try {
      await chore.run(ctx, signal)
    } catch (error) {
      ctx.log.error({ err: error, chore: chore.name }, 'a chore failed')
    }
    await delay(seconds * 1000, undefined, { signal }).catch(() => {})
  }
}

/** Of all tables in one question: a service at rest hardly does anything else. */
function scanOf(works: readonly DueWork[]): string {
  const each = works.map(
    ({ table, id }, i) =>
      `(select ${i} as work, user_id as "userId", ${id} as id from ${table} where due_at <= $1 order by due_at limit ${batch})`,
  )
  return `-- scanDue\n${each.join('\nunion all ')}`
}

/** The statements on due rows are the same for every table; names come from the code, never from a request. */
function rowRunner(ctx: Ctx, { table, id, run }: DueWork) {
  const claim = `update ${table} set due_at = $4, attempts = attempts + 1
    where user_id = $1 and ${id} = $2 and due_at <= $3 returning attempts`
  const postpone = `update ${table} set due_at = $4 where user_id = $1 and ${id} = $2 and due_at = $3`

  return async (key: DueKey): Promise<boolean> => {
    const now = ctx.clock.now()
    const lease = addSeconds(now, leaseSeconds)
    const [claimed] = await ctx.db.query<{ attempts: number }>(claim, [key.userId, key.id, now, lease])
    if (!claimed) return false
    try {
      await run(ctx, key)
    } catch (error) {
      const next = addSeconds(ctx.clock.now(), backOffSeconds(claimed.attempts))
      ctx.log.warn({ err: error, table, id: key.id, attempts: claimed.attempts }, 'due work failed and is tried again')
      await ctx.db.query(postpone, [key.userId, key.id, lease, next])
    }
    return true
  }
}
