import type { Ctx } from '../../context.ts'
import { addSeconds } from '../../lib/clock.ts'
import { maxRetrySeconds } from './back-off.ts'
import type { DueWork } from './jobs.ts'

const graceSeconds = 60

/**
 * Counts the rows of due work that are overdue by more than a minute, or that a worker has tried more than once. A
 * worker that takes a row counts an attempt and moves `due_at`, so a row in its first try does not count.
 */
export async function countOverdue({ db, clock }: Pick<Ctx, 'db' | 'clock'>, { table }: DueWork): Promise<number> {
  const now = clock.now()
  const [row] = await db.query<{ rows: bigint }>(
    `-- scanDueOverdue
     select count(*) as rows from ${table} where due_at <= $2 and (due_at <= $1 or attempts > 1)`,
    [addSeconds(now, -graceSeconds), addSeconds(now, maxRetrySeconds)],
  )
  return Number(row?.rows ?? 0n)
}
