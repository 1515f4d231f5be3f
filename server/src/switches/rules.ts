// pure

/** The kill switches, by the names that operators type. */
export const killSwitches = ['payouts', 'card-approvals'] as const
export type KillSwitch = (typeof killSwitches)[number]

export type SwitchState = { readonly name: KillSwitch; readonly isOn: boolean; readonly changedAt: Date | null }

/** Returns every switch. One without a row counts as off: a damaged table must not release money. */
export function everySwitch(stored: readonly SwitchState[]): SwitchState[] {
  return killSwitches.map(
    (name) => stored.find((state) => state.name === name) ?? { name, isOn: false, changedAt: null },
  )
}

/** Returns whether the switch is on, which is normal: off stops payouts or card approvals. */
export function isOn(states: readonly SwitchState[], name: KillSwitch): boolean {
  return states.some((state) => state.name === name && state.isOn)
}
