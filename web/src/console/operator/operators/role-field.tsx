import type { Operator } from '@purser/client'
import { SelectField } from '../../../ui/field.tsx'
import { useControlText } from '../text/control.ts'
import { useText } from '../text.ts'

export type OperatorRole = Operator['role']
const roles = ['viewer', 'support', 'money', 'admin', 'auditor'] as const satisfies readonly OperatorRole[]

/** The choice of a role, with what it permits. */
export function RoleField({ role, onPick }: { role: OperatorRole; onPick: (role: OperatorRole) => void }) {
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
