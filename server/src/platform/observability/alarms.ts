import type { Ctx } from '../../context.ts'

/**
 * Alarms: conditions that an operator must look into. Each is counted by its reason and logged as an error with its
 * details. docs/operations.md says what to do about each reason.
 */
type AlarmCtx = Pick<Ctx, 'log' | 'metrics'>
type Details = Readonly<Record<string, unknown>>

type PayoutAlarm =
  | 'low_funds'
  | 'no_gas'
  | 'stuck'
  | 'nonce_gap'
  | 'unknown_nonce'
  | 'nodes_disagree'
  | 'replaced'
  | 'unpaid'

export function raisePayoutAlarm({ log, metrics }: AlarmCtx, reason: PayoutAlarm, details: Details): void {
  metrics.payoutAlarms.inc({ reason })
  log.error({ reason, ...details }, 'payout alarm')
}

type WatcherAlarm = 'nodes_disagree' | 'transfers_mended' | 'arrival_untold' | 'arrival_differs'

export function raiseWatcherAlarm(
  { log, metrics }: AlarmCtx,
  reason: WatcherAlarm,
  { chainId, ...details }: Details & { readonly chainId: number },
): void {
  metrics.watcherAlarms.inc({ chain: String(chainId), reason })
  log.error({ chainId, reason, ...details }, 'watcher alarm')
}

type ScreeningAlarm = 'unknown_deposit' | 'contradiction'

export function raiseScreeningAlarm({ log, metrics }: AlarmCtx, reason: ScreeningAlarm, details: Details): void {
  metrics.screeningAlarms.inc({ reason })
  log.error({ ...details, reason }, 'screening alarm')
}
