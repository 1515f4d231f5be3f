import { randomUUID } from 'node:crypto'
import { addSeconds, type Clock } from '../../lib/clock.ts'
import type { Db } from '../../platform/db/db.ts'

export type SandboxClock = Clock & {
  /** Moves the clock of every process on this database forward. A repeated step does nothing. */
  advance(seconds: number, stepId?: string): Promise<void>
  /** Reads the offset again, because another process may have changed it. */
  refresh(): Promise<void>
}

const maxSteps = 100

/** Creates the system clock plus an offset, which all processes share and restarts preserve. Owns `sandbox_clock`. */
export async function createSandboxClock(db: Db): Promise<SandboxClock> {
  let offsetSeconds = 0
  const now = () => addSeconds(new Date(), offsetSeconds)

  async function refresh(): Promise<void> {
    const [row] = await db.query<{ offsetSeconds: bigint }>(
      'select offset_seconds as "offsetSeconds" from sandbox_clock where id = 1',
    )
    // The clock never moves back, even when two query results arrive out of order.
    offsetSeconds = Math.max(offsetSeconds, Number(row?.offsetSeconds ?? 0n))
  }

  await refresh()
  return {
    now,
    refresh,
    async advance(seconds, stepId = randomUUID()) {
      // Citus crashes on a slice of an array in 'on conflict', so trim_array drops the oldest steps.
      await db.query(
        `insert into sandbox_clock (id, offset_seconds, steps) values (1, $1, array[$2::uuid])
         on conflict (id) do update set offset_seconds = sandbox_clock.offset_seconds + excluded.offset_seconds,
           steps = trim_array(excluded.steps || sandbox_clock.steps,
             greatest(cardinality(sandbox_clock.steps) + 1 - ${maxSteps}, 0))
         where not sandbox_clock.steps @> excluded.steps`,
        [seconds, stepId],
      )
      await refresh()
    },
  }
}
