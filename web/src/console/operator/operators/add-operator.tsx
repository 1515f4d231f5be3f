import type { Operator } from '@purser/client'
import { useState } from 'react'
import { SelectField, TextField } from '../../../ui/field.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import type { DecisionRequest } from '../sign-decision.tsx'
import { useControlText } from '../text/control.ts'
import { type OperatorRole, RoleField } from './role-field.tsx'

type Props = {
  readonly known: readonly Operator[]
  readonly onClose: () => void
  readonly onNext: (request: DecisionRequest) => void
}

/** Asks for a wallet, its role, and the person who holds it. */
export function AddOperator({ known, onClose, onNext }: Props) {
  const { operators: t, next } = useControlText()
  const [wallet, setWallet] = useState('')
  const [role, setRole] = useState<OperatorRole>('viewer')
  const [personId, setPersonId] = useState('')
  const [name, setName] = useState('')
  const people = [...new Map(known.map((operator) => [operator.personId, operator.name]))]
  const person = personId === '' ? name.trim() : personId
  return (
    <FormDialog
      title={t.add}
      action={next}
      onClose={onClose}
      onSubmit={() => onNext({ command: 'operator add', subject: wallet.trim(), arguments: { role, person } })}
    >
      <TextField
        label={t.wallet}
        hint={t.walletHint}
        required
        pattern="\s*(eip155:[1-9][0-9]{0,9}:)?0x[0-9a-fA-F]{40}\s*"
        spellCheck={false}
        value={wallet}
        onChange={(event) => setWallet(event.currentTarget.value)}
      />
      <RoleField role={role} onPick={setRole} />
      <SelectField
        label={t.person}
        hint={t.personHint}
        value={personId}
        options={[{ value: '', label: t.newPerson }, ...people.map(([value, label]) => ({ value, label }))]}
        onPick={setPersonId}
      />
      {personId === '' && (
        <TextField
          label={t.personName}
          required
          pattern=".*\S.*"
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      )}
    </FormDialog>
  )
}
