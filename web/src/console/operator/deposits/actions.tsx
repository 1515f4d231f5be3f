import { formatAmount, type OperatorDeposit } from '@purser/client'
import { useId, useState } from 'react'
import { readAmount } from '../../../lib/amount.ts'
import { useLanguage } from '../../../lib/language.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/field.tsx'
import { useUiText } from '../../../ui/text.ts'
import { DecideButton, useDeciding } from '../deciding.tsx'
import { useOperator } from '../session.tsx'
import { useToken } from '../values.tsx'
import { useDepositText } from './text.ts'

/** The change that a deposit waits for: the return of a rejected one, or the declaration of an unknown arrival. */
export function DepositActions({ deposit }: { deposit: OperatorDeposit }) {
  const t = useDepositText()
  const { may } = useOperator()
  const [isDeclaring, setDeclaring] = useState(false)
  const { decide } = useDeciding()
  const { depositId, transfer, screening, chainState, returnState } = deposit
  if (!may('payouts:write')) return null
  const isFrozen = screening === 'rejected' && chainState === 'final' && returnState === null
  return (
    <>
      {isFrozen && depositId !== null && (
        <DecideButton request={{ command: 'deposits return', subject: depositId }}>{t.giveBack}</DecideButton>
      )}
      {transfer !== null && (
        <Button look="secondary" size="sm" onClick={() => setDeclaring(true)}>
          {t.declare}
        </Button>
      )}
      {isDeclaring && transfer !== null && (
        <Declare
          token={deposit.token}
          onClose={() => setDeclaring(false)}
          onDeclared={(amount) => {
            setDeclaring(false)
            decide({ command: 'transfers tell', subject: transfer, arguments: { amount } })
          }}
        />
      )}
    </>
  )
}

type DeclareProps = {
  readonly token: string
  readonly onClose: () => void
  readonly onDeclared: (amount: string) => void
}

function Declare({ token, onClose, onDeclared }: DeclareProps) {
  const t = useDepositText()
  const ui = useUiText()
  const { locale } = useLanguage()
  const found = useToken(token)
  const symbol = found?.symbol ?? token
  const [text, setText] = useState('')
  const [isInvalid, setInvalid] = useState(false)
  const form = useId()
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t.declare}
      text={t.declareText}
      actions={
        <>
          <Button look="secondary" onClick={onClose}>
            {ui.cancel}
          </Button>
          <Button type="submit" form={form} disabled={found === undefined}>
            {t.next}
          </Button>
        </>
      }
    >
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault()
          if (found === undefined) return
          const amount = readAmount(text, found.decimals, locale)
          if (amount === null) setInvalid(true)
          else onDeclared(formatAmount({ amount, decimals: found.decimals }))
        }}
      >
        <TextField
          label={t.declared}
          hint={t.declaredHint(symbol)}
          error={isInvalid ? t.declaredInvalid : null}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value.trim())
            setInvalid(false)
          }}
          required
          inputMode="decimal"
          maxLength={80}
          suffix={symbol.length < 8 ? symbol : undefined}
        />
      </form>
    </Dialog>
  )
}
