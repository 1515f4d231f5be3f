import type { Ctx } from '../context.ts'
import type { Chore } from '../jobs/jobs.ts'
import { checkAll } from './reconcile.ts'
import { sealDue, sealEverySeconds } from './seals.ts'

export const sealChore: Chore = { name: 'seal the books', everySeconds: () => sealEverySeconds, run: sealDue }

export const reconcileChore: Chore = {
  name: 'check the books',
  everySeconds: (config) => config.reconcileEverySeconds,
  run: reconcile,
}

/** The invariants over the live database; what is wrong is said in the log and by the metrics. */
async function reconcile(ctx: Ctx, signal: AbortSignal): Promise<void> {
  const { reconcileRuns, reconcileBadRows } = ctx.metrics
  const startedAt = performance.now()
  try {
    const report = await checkAll(ctx, { signal })
    reconcileRuns.inc({ result: report.badRows === 0 ? 'clean' : 'bad' })
    reconcileBadRows.set(report.badRows)
    for (const row of report.firstBadRows) ctx.log.error(row, 'a bad row in the books')
    const { users, movements, badRows, unsealed } = report
    const seconds = (performance.now() - startedAt) / 1000
    ctx.log.info({ users, movements, badRows, unsealed, seconds }, 'books checked')
  } catch (error) {
    if (signal.aborted) return
    reconcileRuns.inc({ result: 'failed' })
    throw error
  }
}
