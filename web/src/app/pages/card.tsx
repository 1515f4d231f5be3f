import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useSignedIn, useTitle } from '../../lib/session.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { Notice } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Dialog, useCloseIfOpen } from '../../ui/dialog.tsx'
import { Checkbox, Segments, TextField } from '../../ui/field.tsx'
import { Panel } from '../../ui/layout.tsx'
import { Empty, ErrorNote, Loaded, Skeleton, SkeletonRows } from '../../ui/states.tsx'
import { useUiText } from '../../ui/text.ts'
import { CardFace } from '../card-face.tsx'
import { RecentList } from '../items.tsx'
import { type CardRecord, useCards, useLatest } from '../queries.ts'
import { type CardView, SecureFrame } from '../secure-frame.tsx'
import { useText } from '../text.ts'
import { CardLimits } from './card-limits.tsx'

const shownPayments = 10

export function CardPage() {
  const { cards: t } = useText()
  const ui = useUiText()
  const { cardId = '' } = useParams({ strict: false })
  const cards = useCards()
  const latest = useLatest({ cardId, limit: shownPayments + 1 })
  useTitle(t.title)
  return (
    <Loaded query={cards} loading={<Skeleton className="h-96" />}>
      {(list) => {
        const card = list.find((each) => each.cardId === cardId)
        if (card === undefined)
          return (
            <Empty
              isPage
              title={ui.notFoundTitle}
              text={ui.notFoundText}
              action={
                <LinkButton to="/cards" look="secondary" size="sm">
                  {t.all}
                </LinkButton>
              }
            />
          )
        const isUsable = card.status === 'active' || card.status === 'blocked'
        return (
          <div className="grid gap-6">
            <div className="-mb-4">
              <BackLink to="/cards">{t.all}</BackLink>
            </div>
            <div className="grid items-start gap-8 md:grid-cols-[20rem_minmax(0,1fr)]">
              <div className="grid gap-4">
                <CardFace card={card} />
                <Views card={card} />
              </div>
              <div className="grid gap-6">
                <h1 className="text-2xl font-semibold tracking-tight wrap-anywhere">{card.cardName}</h1>
                <Blocks card={card} />
                <Actions card={card} isUsable={isUsable} />
                {isUsable && <CardLimits cardId={cardId} />}
                <Panel isFlush title={t.payments}>
                  <Loaded query={latest} loading={<SkeletonRows count={2} />}>
                    {(items) =>
                      items.length === 0 ? (
                        <Empty title={t.noPayments} text={t.noPaymentsText} />
                      ) : (
                        <RecentList items={items} max={shownPayments} type="card_transaction" />
                      )
                    }
                  </Loaded>
                </Panel>
              </div>
            </div>
          </div>
        )
      }}
    </Loaded>
  )
}

function Views({ card }: { card: CardRecord }) {
  const { cards: t } = useText()
  const [view, setView] = useState<CardView | null>(null)
  if (card.status !== 'active') return null
  return (
    <div className="grid grid-cols-2 gap-2">
      <Button look="secondary" onClick={() => setView('view-details')}>
        {t.details}
      </Button>
      <Button look="secondary" onClick={() => setView('view-pin')}>
        {t.pin}
      </Button>
      <SecureFrame cardId={card.cardId} view={view} onClose={() => setView(null)} />
    </div>
  )
}

function Blocks({ card }: { card: CardRecord }) {
  const { cards: t } = useText()
  if (card.status !== 'blocked') return null
  const texts = { owner: t.blockedByOwner, issuer: t.blockedByIssuer, compliance: t.blockedByCompliance }
  return (
    <div className="grid gap-2">
      {card.blockedBy.map((party) => (
        <Notice key={party} tone="warn">
          {texts[party]}
        </Notice>
      ))}
    </div>
  )
}

type Asked = 'report' | 'cancel' | 'rename' | null

function Actions({ card, isUsable }: { card: CardRecord; isUsable: boolean }) {
  const { cards: t } = useText()
  const { purser } = useSignedIn()
  const queries = useQueryClient()
  const [asked, setAsked] = useState<Asked>(null)
  const [isWithoutReplacement, setWithoutReplacement] = useState(false)
  const isCreated = card.status !== 'provisioning'
  const isFrozen = card.blockedBy.includes('owner')
  const change = useMutation({
    mutationFn: async () => (isFrozen ? purser.cards.unblock(card.cardId) : purser.cards.block(card.cardId)),
    // A conflict means that somebody else changed the card, so its new state is shown.
    onSettled: () => queries.invalidateQueries({ queryKey: ['cards'] }),
  })
  const close = () => setAsked(null)
  if (!isUsable && isCreated) return isWithoutReplacement ? <Notice tone="warn">{t.noReplacement}</Notice> : null
  return (
    <div className="grid gap-4">
      <div className="flex flex-wrap gap-2">
        {isCreated && (
          <Button look="secondary" isPending={change.isPending} onClick={() => change.mutate()}>
            {isFrozen ? t.unfreeze : t.freeze}
          </Button>
        )}
        <Button look="secondary" onClick={() => setAsked('rename')}>
          {t.rename}
        </Button>
        {isCreated && (
          <Button look="danger" onClick={() => setAsked('report')}>
            {t.report}
          </Button>
        )}
        <Button look="danger" onClick={() => setAsked('cancel')}>
          {t.cancel}
        </Button>
      </div>
      {change.error !== null && <ErrorNote error={change.error} />}
      {asked === 'rename' && <Rename card={card} onClose={close} />}
      {asked === 'report' && (
        <Report card={card} onClose={close} onWithoutReplacement={() => setWithoutReplacement(true)} />
      )}
      {asked === 'cancel' && <Cancel card={card} onClose={close} />}
    </div>
  )
}

type DialogProps = { readonly card: CardRecord; readonly onClose: () => void }

/** Runs a change of the card, and closes the dialog. A conflict shows the new state of the card, too. */
function useChange<Input>(run: (input: Input) => Promise<unknown>, onClose: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: run,
    onSettled: () => queries.invalidateQueries({ queryKey: ['cards'] }),
    onSuccess: useCloseIfOpen(onClose),
  })
}

function Rename({ card, onClose }: DialogProps) {
  const { cards: t } = useText()
  const ui = useUiText()
  const { purser } = useSignedIn()
  const [cardName, setName] = useState(card.cardName)
  const rename = useChange(async () => purser.cards.rename(card.cardId, { cardName }), onClose)
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t.rename}
      actions={
        <Button isPending={rename.isPending} disabled={cardName === ''} onClick={() => rename.mutate(undefined)}>
          {ui.save}
        </Button>
      }
    >
      <TextField
        label={t.name}
        maxLength={50}
        value={cardName}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {rename.error !== null && <ErrorNote error={rename.error} />}
    </Dialog>
  )
}

function Report({ card, onClose, onWithoutReplacement }: DialogProps & { onWithoutReplacement: () => void }) {
  const { cards: t } = useText()
  const { purser } = useSignedIn()
  const [reason, setReason] = useState<'lost' | 'stolen'>('lost')
  const [replacement, setReplacement] = useState(true)
  const report = useChange(async () => {
    const { replacementCardId } = await purser.cards.report(card.cardId, { reason, replacement })
    if (replacement && replacementCardId === null) onWithoutReplacement()
  }, onClose)
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t.reportTitle}
      text={t.reportText}
      actions={
        <Button look="danger" isPending={report.isPending} onClick={() => report.mutate(undefined)}>
          {t.report}
        </Button>
      }
    >
      <Segments
        label={t.reportTitle}
        value={reason}
        options={[
          { value: 'lost', label: t.lost },
          { value: 'stolen', label: t.stolen },
        ]}
        onPick={(next) => setReason(next === 'stolen' ? 'stolen' : 'lost')}
      />
      <Checkbox
        label={t.replace}
        checked={replacement}
        onChange={(event) => setReplacement(event.currentTarget.checked)}
      />
      {report.error !== null && <ErrorNote error={report.error} />}
    </Dialog>
  )
}

function Cancel({ card, onClose }: DialogProps) {
  const { cards: t } = useText()
  const { purser } = useSignedIn()
  const cancel = useChange(async () => purser.cards.cancel(card.cardId), onClose)
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t.cancelTitle}
      text={t.cancelText}
      actions={
        <Button look="danger" isPending={cancel.isPending} onClick={() => cancel.mutate(undefined)}>
          {t.cancel}
        </Button>
      }
    >
      {cancel.error !== null && <ErrorNote error={cancel.error} />}
    </Dialog>
  )
}
