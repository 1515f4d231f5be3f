import type { Ctx } from '../context.ts'
import type { Queryable } from '../platform/db/db.ts'
import { reportSecurity } from '../platform/observability/security-events.ts'
import { isOn, type KillSwitch, killSwitches, type SwitchState } from './rules.ts'
import { findSwitches, updateSwitch } from './sql.ts'

/**
 * Kill switches, with which an operator stops payouts or card approvals. Owns `kill_switch`.
 *
 * Invariants:
 * - A change is written in one transaction with its operator decision, which the caller records.
 * - Every process notices a change within a second. Authorizations use a cached state, payouts always read the table.
 */
export type { SwitchState }

const maxAgeMilliseconds = 1000

type SwitchCtx = Pick<Ctx, 'caches' | 'log' | 'metrics'>

/**
 * Returns whether authorizations may be approved. `tx` reads the table if the cache is too old. A caller that sends it
 * together with its other statements needs no extra round trip.
 */
export async function mayApproveCards(ctx: SwitchCtx, tx: Queryable): Promise<boolean> {
  const states = await ctx.caches.killSwitches.read(maxAgeMilliseconds, () => readSwitches(ctx, tx))
  return isOn(states, 'card-approvals')
}

/** Returns whether payouts may be signed and sent, as of this moment. */
export async function mayPayOut(ctx: SwitchCtx, db: Queryable): Promise<boolean> {
  return isOn(await readSwitches(ctx, db), 'payouts')
}

/**
 * Reads the table. Reports the state of each switch as a metric, and each change that this process notices as a security
 * event.
 */
export async function readSwitches(ctx: SwitchCtx, db: Queryable): Promise<readonly SwitchState[]> {
  const states = await findSwitches(db)
  for (const name of killSwitches) {
    const isOnNow = isOn(states, name)
    const wasOn = ctx.caches.noticedSwitches.get(name) ?? true
    ctx.caches.noticedSwitches.set(name, isOnNow)
    ctx.metrics.killSwitches.set({ switch: name }, isOnNow ? 1 : 0)
    if (isOnNow !== wasOn) reportSecurity(ctx, 'kill_switch_changed', `${name} ${isOnNow ? 'on' : 'off'}`, {})
  }
  return states
}

/** Turns a switch on or off. Returns false when it is already in this state. */
export function turnSwitch(
  { db, clock }: Pick<Ctx, 'db' | 'clock'>,
  name: KillSwitch,
  state: { readonly isOn: boolean },
): Promise<boolean> {
  return db.transaction((tx) => updateSwitch(tx, name, state.isOn, clock.now()))
}
