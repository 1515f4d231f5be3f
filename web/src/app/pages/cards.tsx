import type { BodyOf } from '@purser/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useOnce } from '../../lib/decided.ts'
import { useSignedIn, useTitle } from '../../lib/session.tsx'
import { Button } from '../../ui/button.tsx'
import { useCloseIfOpen } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { PageHead, Panel } from '../../ui/layout.tsx'
import { Empty, ErrorNote, Loaded, Skeleton } from '../../ui/states.tsx'
import { CardFace } from '../card-face.tsx'
import { type CardRecord, useCards } from '../queries.ts'
import { useText } from '../text.ts'

export function Cards() {
  const { cards: t } = useText()
  useTitle(t.title)
  const cards = useCards()
  const [isOpen, setOpen] = useState(false)
  const create = <Button onClick={() => setOpen(true)}>{t.create}</Button>
  return (
    <>
      <PageHead title={t.title} actions={cards.data !== undefined && cards.data.length > 0 && create} />
      <Loaded query={cards} loading={<Skeleton className="aspect-[1.6] w-72" />}>
        {(list) =>
          list.length === 0 ? (
            <Panel>
              <Empty title={t.emptyTitle} text={t.emptyText} action={create} />
            </Panel>
          ) : (
            <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(17rem,100%),1fr))] gap-6">
              {list.toSorted(byUse).map((card) => (
                <li key={card.cardId}>
                  <Link
                    to="/cards/$cardId"
                    params={{ cardId: card.cardId }}
                    className="block rounded-xl transition-transform hover:-translate-y-0.5"
                  >
                    <CardFace card={card} />
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {isOpen && (
        <CreateCard
          isFirst={cards.data?.every(wasNeverIssued) ?? false}
          hasCanceled={cards.data?.some(wasNeverIssued) ?? false}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}

/** Cards that have ended come last. */
const byUse = (one: CardRecord, other: CardRecord) => Number(hasEnded(one)) - Number(hasEnded(other))
const hasEnded = ({ status }: CardRecord) => !['provisioning', 'active', 'blocked'].includes(status)

/**
 * Whether the processor never created the card. It may have rejected the phone number. The next card can have another
 * number once all cards are canceled and the processor has rejected each of them.
 */
const wasNeverIssued = ({ status, last4 }: CardRecord) => status === 'canceled' && last4 === null

type CreateCardProps = { readonly isFirst: boolean; readonly hasCanceled: boolean; readonly onClose: () => void }

function CreateCard({ isFirst, hasCanceled, onClose }: CreateCardProps) {
  const { cards: t } = useText()
  const { purser } = useSignedIn()
  const queries = useQueryClient()
  const navigate = useNavigate()
  // A card whose response was lost can appear behind the open form. A retry of the form must send the same fields.
  const [needsPhone] = useState(isFirst)
  const [cardName, setName] = useState('')
  const [phone, setPhone] = useState('')
  const send = useOnce(async (body: BodyOf<'cards.create'>, options) => purser.cards.create(body, options))
  const show = useCloseIfOpen((cardId: string) => navigate({ to: '/cards/$cardId', params: { cardId } }))
  const create = useMutation({
    mutationFn: send,
    async onSuccess({ cardId }) {
      await queries.invalidateQueries({ queryKey: ['cards'] })
      await show(cardId)
    },
  })
  return (
    <FormDialog
      title={t.createTitle}
      text={t.createText}
      action={t.create}
      isPending={create.isPending}
      onClose={onClose}
      onSubmit={() => create.mutate({ cardName, ...(needsPhone && { phone: phone.replaceAll(/[\s()-]/g, '') }) })}
    >
      <TextField
        label={t.name}
        required
        maxLength={50}
        value={cardName}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {needsPhone && (
        <TextField
          label={t.phone}
          hint={hasCanceled ? t.nextPhoneHint : t.phoneHint}
          type="tel"
          autoComplete="tel"
          required
          placeholder="+49 1512 3456789"
          value={phone}
          onChange={(event) => setPhone(event.currentTarget.value)}
        />
      )}
      {create.error !== null && <ErrorNote error={create.error} />}
    </FormDialog>
  )
}
