import type { Queryable, Tx } from '../platform/db/db.ts'
import type { KillSwitch, SwitchState } from './rules.ts'

export function findSwitches(db: Queryable): Promise<SwitchState[]> {
  return db.query<SwitchState>('select name, is_on as "isOn", changed_at as "changedAt" from kill_switch order by name')
}

export async function lockSwitch(tx: Tx, name: KillSwitch): Promise<SwitchState | null> {
  const [row] = await tx.query<SwitchState>(
    `select name, is_on as "isOn", changed_at as "changedAt" from kill_switch where name = $1 for no key update`,
    [name],
  )
  return row ?? null
}

/** Returns false when the switch is already in this state. */
export async function updateSwitch(tx: Tx, name: KillSwitch, isOn: boolean, at: Date): Promise<boolean> {
  const rows = await tx.query(
    'update kill_switch set is_on = $2, changed_at = $3 where name = $1 and is_on <> $2 returning name',
    [name, isOn, at],
  )
  return rows.length > 0
}
