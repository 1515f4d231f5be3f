import type { Operator } from '@purser/client'
import { useState } from 'react'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import type { DecisionRequest } from '../sign-decision.tsx'
import { useControlText } from '../text/control.ts'
import { RoleField } from './role-field.tsx'

type Props = {
  readonly operator: Operator
  readonly onClose: () => void
  readonly onNext: (request: DecisionRequest) => void
}

export function ChangeRole({ operator, onClose, onNext }: Props) {
  const { operators: t, next } = useControlText()
  const [role, setRole] = useState(operator.role)
  return (
    <FormDialog
      title={`${t.change}: ${operator.name}`}
      action={next}
      onClose={onClose}
      onSubmit={() => onNext({ command: 'operator change', subject: operator.address, arguments: { role } })}
    >
      <RoleField role={role} onPick={setRole} />
    </FormDialog>
  )
}
