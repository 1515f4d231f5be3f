import type { Ctx } from '../../context.ts'
import { shortageKinds } from '../db/shortage.ts'
import type { OwnMetrics } from './metrics.ts'

/** The reasons of alarms, by area. docs/runbooks.md describes the actions. */
export const alarmReasons = {
  card: ['over_clearing', 'over_reversal', 'unmatched_clearing', 'deferred_message'],
  payout: [
    'low_funds',
    'no_gas',
    'stuck',
    'nonce_gap',
    'unknown_nonce',
    'nodes_disagree',
    'replaced',
    'paid_twice',
    'unpaid',
    'no_signer',
    'credited_return',
  ],
  screening: ['contradiction', 'unknown_deposit'],
  database: shortageKinds,
  watcher: ['nodes_disagree', 'transfers_repaired', 'arrival_unknown', 'arrival_differs'],
} as const

type Area = keyof typeof alarmReasons
type AlarmOf<Of extends Area> = { readonly area: Of; readonly reason: (typeof alarmReasons)[Of][number] }

/** An event that an operator must review. */
type Alarm =
  | AlarmOf<'card'>
  | AlarmOf<'payout'>
  | AlarmOf<'screening'>
  | AlarmOf<'database'>
  | (AlarmOf<'watcher'> & { readonly chainId: number })

const counters = {
  card: 'cardAlarms',
  payout: 'payoutAlarms',
  screening: 'screeningAlarms',
  database: 'databaseAlarms',
  watcher: 'watcherAlarms',
} as const satisfies Record<Area, keyof OwnMetrics>

/** Counts an alarm and logs it. Fields are ids, never amounts of a card or names of a merchant. */
export function raiseAlarm(ctx: Pick<Ctx, 'log' | 'metrics'>, alarm: Alarm, fields: object): void {
  const { area, reason } = alarm
  const labels = area === 'watcher' ? { chain: String(alarm.chainId), reason } : { reason }
  ctx.metrics[counters[area]].inc(labels)
  // A card alarm reports a message for review. The others can block funds until an operator acts.
  const level = area === 'card' ? 'warn' : 'error'
  ctx.log[level]({ ...alarm, ...fields }, 'alarm raised')
}
