import type { Queryable, Tx } from '../platform/db/db.ts'
import type { KillSwitch, SwitchState } from './rules.ts'

export function findSwitches(db: Queryable): Promise<SwitchState[]> {
  return db.query<SwitchState>('select name, is_on as "isOn", changed_at as "changedAt" from kill_switch')
}

export async function lockSwitch(tx: Tx, name: KillSwitch): Promise<SwitchState | null> {
  const [row] = await tx.query<SwitchState>(
    `select name, is_on as "isOn", changed_at as "changedAt" from kill_switch where name = $1 for no key update`,
    [name],
  )
  return row ?? null
}

/** Returns false when the switch is already in this state. A missing row is written in any case. */
export async function upsertSwitch(tx: Tx, name: KillSwitch, isOn: boolean, at: Date): Promise<boolean> {
  const rows = await tx.query(
    `insert into kill_switch (name, is_on, changed_at) values ($1, $2, $3)
     on conflict (name) do update set is_on = excluded.is_on, changed_at = excluded.changed_at
       where kill_switch.is_on <> excluded.is_on
     returning name`,
    [name, isOn, at],
  )
  return rows.length > 0
}
