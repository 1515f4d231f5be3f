import type { OperatorUser, RevealedPersonalData } from '@purser/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { Notice } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/field.tsx'
import { Facts, Panel } from '../../../ui/layout.tsx'
import { ErrorNote } from '../../../ui/states.tsx'
import { useUiText } from '../../../ui/text.ts'
import { useOperator } from '../session.tsx'
import { useText } from '../text.ts'
import { linkClass } from '../values.tsx'

/** Personal data: masked until the operator gives a reason, and again once the operator leaves the screen. */
export function Person({ user }: { user: OperatorUser }) {
  const { user: t } = useText()
  const { may } = useOperator()
  const [revealed, setRevealed] = useState<RevealedPersonalData | null>(null)
  const [isAsking, setAsking] = useState(false)
  const person = revealed ?? user.person
  const { email, firstName, lastName, birthDate, nationality, street, city, postalCode, phone, iban } = person
  return (
    <Panel
      title={t.person}
      action={
        revealed !== null ? (
          <Button look="secondary" size="sm" onClick={() => setRevealed(null)}>
            {t.hide}
          </Button>
        ) : (
          may('users:reveal') && (
            <Button look="secondary" size="sm" onClick={() => setAsking(true)}>
              {t.reveal}
            </Button>
          )
        )
      }
    >
      {revealed !== null && (
        <div className="mb-4">
          <Notice tone="warn">{t.revealed}</Notice>
        </div>
      )}
      <Facts
        rows={[
          [t.email, email ?? '–'],
          [t.name, [firstName, lastName].filter((part) => part !== null).join(' ') || '–'],
          [t.birthDate, birthDate ?? '–'],
          [t.nationality, nationality ?? '–'],
          [
            t.address,
            [street, [postalCode, city].filter((part) => part !== null).join(' ')].filter(Boolean).join(', ') || '–',
          ],
          [t.phone, phone ?? '–'],
          ['IBAN', iban ?? '–'],
          ...(revealed === null
            ? []
            : [[t.cardNames, revealed.cards.map(({ name }) => name).join(', ') || '–'] as const]),
        ]}
      />
      {may('reads:read') && (
        <p className="mt-4">
          <Link to="/operator/reads" search={{ userId: user.userId } as never} className={linkClass}>
            {t.readings}
          </Link>
        </p>
      )}
      {isAsking && (
        <Reveal
          userId={user.userId}
          onClose={() => setAsking(false)}
          onRevealed={(data) => {
            setRevealed(data)
            setAsking(false)
          }}
        />
      )}
    </Panel>
  )
}

type RevealProps = {
  readonly userId: string
  readonly onClose: () => void
  readonly onRevealed: (data: RevealedPersonalData) => void
}

function Reveal({ userId, onClose, onRevealed }: RevealProps) {
  const { user: t } = useText()
  const ui = useUiText()
  const { purser } = useOperator()
  const queries = useQueryClient()
  const form = useId()
  const [reason, setReason] = useState('')
  const reveal = useMutation({
    // Otherwise the cache would keep the data for five minutes.
    gcTime: 0,
    mutationFn: async () => purser.operator.users.reveal(userId, { reason: reason.trim() }),
    async onSuccess(data) {
      onRevealed(data)
      await queries.invalidateQueries({ queryKey: ['operator', 'reads'] })
    },
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t.revealTitle}
      text={t.revealText}
      actions={
        <>
          <Button look="secondary" onClick={onClose}>
            {ui.cancel}
          </Button>
          <Button type="submit" form={form} isPending={reveal.isPending}>
            {t.reveal}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="grid gap-5"
        onSubmit={(event) => {
          event.preventDefault()
          reveal.mutate()
        }}
      >
        <TextField
          label={t.reason}
          required
          pattern=".*\S.*"
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        {reveal.error !== null && <ErrorNote error={reveal.error} />}
      </form>
    </Dialog>
  )
}
