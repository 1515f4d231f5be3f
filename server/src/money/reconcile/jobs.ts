import { setTimeout as delay } from 'node:timers/promises'
import { tokenOf } from '../../config/stablecoins.ts'
import type { Ctx } from '../../context.ts'
import type { Balances } from '../../ledger/rules.ts'
import { tryEach } from '../../lib/attempts.ts'
import type { Chore } from '../../platform/jobs/jobs.ts'
import { tokenLabels } from '../../platform/observability/token-labels.ts'
import { logEnds } from './check-logs.ts'
import { type Custody, checkCustodyOf } from './custody.ts'
import { checkAll } from './reconcile.ts'
import { storeRun } from './runs.ts'
import { sealDue, sealEverySeconds } from './seals.ts'

export const sealChore: Chore = { name: 'seal the books', everySeconds: () => sealEverySeconds, run: seal }

async function seal(ctx: Ctx, signal: AbortSignal): Promise<void> {
  await sealDue(ctx, signal)
  await logEnds(ctx)
}

export const reconcileChore: Chore = {
  name: 'check the books',
  everySeconds: (config) => config.reconcileEverySeconds,
  run: reconcile,
}

/** A check of all users works a quarter of the time. At full speed, it would make payments wait for a CPU. */
const restPerWork = 3

/**
 * Checks the invariants in the live database, then custody. Reports problems in the log and the metrics, and stores the
 * result.
 */
async function reconcile(ctx: Ctx, signal: AbortSignal): Promise<void> {
  const { reconcileRuns, reconcileBadRows } = ctx.metrics
  const began = performance.now()
  const startedAt = ctx.clock.now()
  try {
    const report = await checkAll(ctx, {
      rest: (worked) => delay(restPerWork * worked, undefined, { signal }),
      signal,
    })
    reconcileRuns.inc({ result: report.badRows === 0 ? 'clean' : 'bad' })
    reconcileBadRows.set(report.badRows)
    ctx.metrics.noteBooksChecked()
    for (const row of report.firstBadRows) ctx.log.error(row, 'bad row found in the books')
    const { users, movements, badRows, unsealed, totals } = report
    const seconds = (performance.now() - began) / 1000
    ctx.log.info({ users, movements, badRows, unsealed, seconds }, 'books checked')
    await storeRun(ctx, startedAt, report, await reconcileCustody(ctx, { totals, startedAt, signal }))
  } catch (error) {
    if (signal.aborted) return
    reconcileRuns.inc({ result: 'failed' })
    throw error
  }
}

/**
 * Checks custody, and returns the results of the chains that could be read. An unreachable chain does not mean a
 * shortfall, and is read again in the next run.
 */
async function reconcileCustody(
  ctx: Ctx,
  read: { totals: Balances; startedAt: Date; signal: AbortSignal },
): Promise<Custody[] | null> {
  if (ctx.custody.length === 0) return null
  const { custodyChecks } = ctx.metrics
  const found: Custody[] = []
  try {
    await tryEach(ctx.custody, async (chain) => {
      const checks = await checkCustodyOf(ctx, chain, read)
      reportCustody(ctx, checks)
      found.push(...checks)
    })
    custodyChecks.inc({ result: found.some(({ isShort }) => isShort) ? 'short' : 'clean' })
  } catch (error) {
    if (read.signal.aborted) return null
    custodyChecks.inc({ result: 'failed' })
    ctx.log.warn({ err: error }, 'custody check failed')
  }
  return found.length > 0 ? found : null
}

function reportCustody(ctx: Ctx, checks: readonly Custody[]): void {
  for (const { isShort, surplus, maxOutgoing, chainId, token: address, block } of checks) {
    const token = tokenOf(ctx.config.tokens, address)
    const missing = isShort ? -surplus - maxOutgoing : 0n
    // A floating-point number is precise enough for an alarm, its only use.
    ctx.metrics.custodyMissing.set(tokenLabels(token), Number(missing) / 10 ** token.decimals)
    if (isShort) ctx.log.error({ chainId, token: address, block, missing: String(missing) }, 'custody shortfall found')
  }
}
