import type { Ctx } from '../context.ts'
import type { Queryable } from '../platform/db/db.ts'
import { reportSecurity } from '../platform/observability/security-events.ts'
import { everySwitch, isOn, type KillSwitch, type SwitchState } from './rules.ts'
import { findSwitches, lockSwitch, upsertSwitch } from './sql.ts'

/**
 * Kill switches, with which an operator stops payouts or card approvals. Owns `kill_switch`.
 *
 * Invariants:
 * - A change is written in one transaction with its operator decision, which the caller records.
 * - A change takes effect at once: each authorization (`load_card_message`) and each payout reads the table.
 */
export type { SwitchState }
export { lockSwitch }

type SwitchCtx = Pick<Ctx, 'caches' | 'log' | 'metrics'>

/** Returns whether payouts may be signed and sent, as of this moment. */
export async function mayPayOut(ctx: SwitchCtx, db: Queryable): Promise<boolean> {
  return isOn(await readSwitches(ctx, db), 'payouts')
}

/** Reads the state of each switch, and reports it. */
export async function readSwitches(ctx: SwitchCtx, db: Queryable): Promise<readonly SwitchState[]> {
  const states = everySwitch(await findSwitches(db))
  for (const state of states) noticeSwitch(ctx, state.name, state.isOn)
  return states
}

/** Reports the state of a switch as a metric, and a change that this process notices as a security event. */
export function noticeSwitch(ctx: SwitchCtx, name: KillSwitch, isOnNow: boolean): void {
  const wasOn = ctx.caches.noticedSwitches.get(name) ?? true
  ctx.caches.noticedSwitches.set(name, isOnNow)
  ctx.metrics.killSwitches.set({ switch: name }, isOnNow ? 1 : 0)
  if (isOnNow !== wasOn) reportSecurity(ctx, 'kill_switch_changed', `${name} ${isOnNow ? 'on' : 'off'}`, {})
}

/** Turns a switch on or off. Returns false when it is already in this state. */
export function turnSwitch(
  { db, clock }: Pick<Ctx, 'db' | 'clock'>,
  name: KillSwitch,
  state: { readonly isOn: boolean },
): Promise<boolean> {
  return db.transaction((tx) => upsertSwitch(tx, name, state.isOn, clock.now()))
}
