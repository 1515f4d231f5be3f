import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useText } from '../console/text.ts'
import { Button } from '../ui/button.tsx'
import { CopyId } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Panel } from '../ui/layout.tsx'
import { useMoney } from '../ui/money.tsx'
import { ErrorNote } from '../ui/states.tsx'
import { CardBadge } from '../ui/status.tsx'
import { useUiText } from '../ui/text.ts'
import { Initial } from '../ui/wallet-picker.tsx'
import { createCard, createCardholder, nameOf, ownerOf } from './people.ts'
import { refreshPayments, type Sandbox, type SandboxPerson } from './sandbox.ts'

const start = { currency: 'EUR', deposit: '100.00' }
const shownPeople = 8

type Props = {
  readonly sandbox: Sandbox
  readonly people: readonly SandboxPerson[]
  readonly person: SandboxPerson | null
  readonly cardId: string | null
  readonly onCard: (cardId: string) => void
}

export function PeopleList({ sandbox, people, person, cardId, onCard }: Props) {
  const t = useText().playground
  const queries = useQueryClient()
  const [isAll, setAll] = useState(false)
  const refresh = () => queries.invalidateQueries()
  const add = useMutation({
    mutationFn: () => createCardholder(sandbox, start),
    async onSuccess(holder) {
      await refresh()
      onCard(holder.cardId)
    },
  })
  const selected = people.indexOf(person ?? people[0] ?? nobody)
  const shown = isAll ? people : people.slice(0, Math.max(shownPeople, selected + 1))
  return (
    <div className="grid grid-cols-1 gap-4 lg:sticky lg:top-6">
      <Panel
        title={t.people}
        isFlush
        action={
          <Button look="secondary" size="sm" isPending={add.isPending} onClick={() => add.mutate()}>
            {t.newUser}
          </Button>
        }
      >
        <ul className="grid grid-cols-1 gap-1 px-2 pb-2">
          {shown.map((each) => (
            <PersonRow
              key={each.userId}
              sandbox={sandbox}
              person={each}
              isSelected={each === person}
              cardId={cardId}
              onCard={onCard}
            />
          ))}
        </ul>
        {shown.length < people.length && (
          <div className="px-4 pb-3">
            <Button look="quiet" size="sm" onClick={() => setAll(true)}>
              {t.allPeople(people.length)}
            </Button>
          </div>
        )}
      </Panel>
      {add.error !== null && <ErrorNote error={add.error} sentences={t.errors} />}
      <Reset sandbox={sandbox} />
    </div>
  )
}

const nobody: SandboxPerson = {
  userId: '',
  createdAt: '',
  owners: [],
  partnerId: null,
  country: null,
  kyc: 'notStarted',
  accountStatus: null,
  accountAddress: null,
  currency: null,
  cards: [],
}

type RowProps = {
  readonly sandbox: Sandbox
  readonly person: SandboxPerson
  readonly isSelected: boolean
  readonly cardId: string | null
  readonly onCard: (cardId: string) => void
}

function PersonRow({ sandbox, person, isSelected, cardId, onCard }: RowProps) {
  const t = useText().playground
  const queries = useQueryClient()
  const money = useMoney()
  const currency = person.currency ?? start.currency
  const addCard = useMutation({
    mutationFn: () => createCard(person),
    async onSuccess(created) {
      await queries.invalidateQueries()
      onCard(created)
    },
  })
  const fund = useMutation({
    mutationFn: () => sandbox.deposit(person.userId, { amount: start.deposit, currency }),
    onSuccess: () => refreshPayments(queries),
  })
  const isOwn = ownerOf(person) !== null
  return (
    <li className={`rounded-lg px-2 py-2 ${isSelected ? 'bg-sunken' : ''}`}>
      <div className="flex items-center gap-3">
        <Initial name={nameOf(person)} />
        <div className="min-w-0 grow">
          <p className="truncate font-medium">{nameOf(person)}</p>
          <p className="text-xs text-soft">
            <CopyId id={person.userId} />
          </p>
        </div>
      </div>
      <ul className="mt-1.5 grid grid-cols-1 gap-0.5">
        {person.cards.map((card) => (
          <li key={card.cardId}>
            <button
              type="button"
              onClick={() => onCard(card.cardId)}
              aria-pressed={card.cardId === cardId}
              className="flex min-h-9 w-full items-center justify-between gap-2 rounded-md px-2 text-left text-sm hover:bg-page aria-pressed:bg-raised aria-pressed:font-medium aria-pressed:shadow-card"
            >
              <span className="min-w-0 truncate">
                {card.cardName} <span className="tabular-nums">{card.last4 === null ? '' : `·· ${card.last4}`}</span>
              </span>
              {card.status !== 'active' && <CardBadge status={card.status} />}
            </button>
          </li>
        ))}
      </ul>
      {isSelected && (
        <div className="mt-2 flex flex-wrap gap-1.5">
          <Button look="secondary" size="sm" isPending={fund.isPending} onClick={() => fund.mutate()}>
            {t.addMoney(money({ amount: '100', decimals: 0, currency }))}
          </Button>
          {isOwn && (
            <Button look="secondary" size="sm" isPending={addCard.isPending} onClick={() => addCard.mutate()}>
              {t.newCard}
            </Button>
          )}
        </div>
      )}
      {(addCard.error ?? fund.error) !== null && <ErrorNote error={addCard.error ?? fund.error} />}
    </li>
  )
}

function Reset({ sandbox }: { sandbox: Sandbox }) {
  const t = useText().playground
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button look="quiet" size="sm" className="justify-self-start text-soft" onClick={() => setOpen(true)}>
        {t.reset}
      </Button>
      {isOpen && <ResetDialog sandbox={sandbox} onClose={() => setOpen(false)} />}
    </>
  )
}

/** The mutation ends with the dialog, so the dialog never shows the failure of an earlier attempt. */
function ResetDialog({ sandbox, onClose }: { sandbox: Sandbox; onClose: () => void }) {
  const t = useText().playground
  const ui = useUiText()
  const reset = useMutation({
    mutationFn: async () => sandbox.purser.sandbox.reset({ confirm: 'reset' }),
    onSuccess: () => location.assign(location.pathname),
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t.resetTitle}
      text={t.resetText}
      actions={
        <>
          <Button look="secondary" onClick={onClose}>
            {ui.cancel}
          </Button>
          <Button look="danger" isPending={reset.isPending} onClick={() => reset.mutate()}>
            {t.reset}
          </Button>
        </>
      }
    >
      {reset.error !== null && <ErrorNote error={reset.error} />}
    </Dialog>
  )
}
