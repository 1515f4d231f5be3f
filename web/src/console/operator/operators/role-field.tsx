import type { Operator } from '@purser/client'
import { SelectField } from '../../../ui/field.tsx'
import { useControlText } from '../text/control.ts'
import { useText } from '../text.ts'

export type Role = Operator['role']
const roles = ['viewer', 'support', 'money', 'admin', 'auditor'] as const satisfies readonly Role[]

/** The choice of a role, with what it permits. */
export function RoleField({ role, onPick }: { role: Role; onPick: (role: Role) => void }) {
  const { operators: t } = useControlText()
  const { session } = useText()
  return (
    <SelectField
      label={t.role}
      hint={t.roles[role]}
      value={role}
      options={roles.map((value) => ({ value, label: session.roles[value] }))}
      onPick={(value) => onPick(roles.find((each) => each === value) ?? role)}
    />
  )
}
