import { operatorCommands } from '../../config/operators.ts'
import { alarmReasons } from './alarms.ts'
import type { OwnMetrics } from './metrics.ts'

/**
 * Lets every counter whose first increment raises an alert begin at zero. Prometheus sees no increase in a series that
 * begins at one, so the alert would miss the first event of a process. Delivered webhooks also begin at zero, because
 * an alert needs their share even if there are none.
 */
export function beginAtZero(counters: OwnMetrics, chainIds: Iterable<number>): void {
  for (const reason of alarmReasons.card) counters.cardAlarms.inc({ reason }, 0)
  for (const reason of alarmReasons.payout) counters.payoutAlarms.inc({ reason }, 0)
  for (const reason of alarmReasons.screening) counters.screeningAlarms.inc({ reason }, 0)
  for (const reason of alarmReasons.database) counters.databaseAlarms.inc({ reason }, 0)
  for (const source of ['issuer', 'sandbox']) counters.eventConflicts.inc({ source }, 0)
  for (const was of ['outside', 'processing', 'credited', 'frozen', 'returned']) counters.lostDeposits.inc({ was }, 0)
  for (const result of ['clean', 'bad', 'failed']) counters.reconcileRuns.inc({ result }, 0)
  for (const result of ['clean', 'short', 'failed']) counters.custodyChecks.inc({ result }, 0)
  for (const outcome of ['delivered', 'retry', 'dead']) counters.webhookAttempts.inc({ outcome }, 0)
  for (const reason of ['failing', 'gone']) counters.webhooksDisabled.inc({ reason }, 0)
  for (const reason of Object.keys(operatorCommands))
    counters.securityEvents.inc({ event: 'operator_decided', reason }, 0)
  counters.securityEvents.inc({ event: 'access_denied', reason: 'DECISION_NOT_SIGNED' }, 0)
  for (const chainId of chainIds) {
    const chain = String(chainId)
    counters.watcherFailures.inc({ chain }, 0)
    for (const reason of alarmReasons.watcher) counters.watcherAlarms.inc({ chain, reason }, 0)
    for (const depth of ['above_final', 'below_final']) counters.reorganizations.inc({ chain, depth }, 0)
    for (const result of ['done', 'reverted', 'replaced', 'rejected']) counters.sweeps.inc({ chain, result }, 0)
  }
}
