import type { Ctx } from '../../context.ts'

/** What a person should look at; docs/operations.md says what to do about each. */
export type PayoutAlarm =
  | 'low_funds'
  | 'no_gas'
  | 'stuck'
  | 'nonce_gap'
  | 'unknown_nonce'
  | 'nodes_disagree'
  | 'replaced'
  | 'unpaid'

export function alarm(ctx: Ctx, reason: PayoutAlarm, about: Readonly<Record<string, unknown>>): void {
  ctx.metrics.payoutAlarms.inc({ reason })
  ctx.log.error({ reason, ...about }, 'payout alarm')
}
