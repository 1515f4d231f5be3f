import type { ReceivedCardMessage, WholeCardTransactionHistory } from '@purser/client'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTitle } from '../../../lib/session.tsx'
import { BackLink } from '../../../ui/back-link.tsx'
import { Badge, Notice, type Tone } from '../../../ui/badge.tsx'
import { CopyId, shortened } from '../../../ui/copy.tsx'
import { When } from '../../../ui/date.tsx'
import { Facts, Panel } from '../../../ui/layout.tsx'
import { Money } from '../../../ui/money.tsx'
import { Loaded, Skeleton } from '../../../ui/states.tsx'
import { ItemBadge } from '../../../ui/status.tsx'
import { declineText, useUiText } from '../../../ui/text.ts'
import { CloseReview } from '../reviews/close-review.tsx'
import { useReviewText } from '../reviews/text.ts'
import { useOperator } from '../session.tsx'
import { useText } from '../text.ts'
import { IdLink, TokenAmount } from '../values.tsx'
import { effectOf, KindName, MovementLink, Postings } from './ledger-parts.tsx'
import { useUserText } from './text.ts'
import { useUserId } from './user.tsx'

type Movement = WholeCardTransactionHistory['movements'][number]
type Event = WholeCardTransactionHistory['events'][number]

/** A card transaction with its fold: every message, the amounts before and after it, and the money that it moved. */
export function CardTransaction() {
  const { payment: t } = useUserText()
  const { errors } = useText()
  const { purser } = useOperator()
  const userId = useUserId()
  const { cardTransactionId = '' }: { cardTransactionId?: string } = useParams({ strict: false })
  useTitle(t.titleOf(shortened(cardTransactionId)))
  const history = useQuery({
    queryKey: ['operator', 'user', userId, 'card-transaction', cardTransactionId],
    queryFn: async () => purser.operator.users.getCardTransaction(userId, cardTransactionId),
  })
  return (
    <>
      <BackLink to={`/operator/users/${userId}/statement`}>{t.back}</BackLink>
      <Loaded query={history} loading={<Skeleton className="h-[36rem]" />} sentences={errors}>
        {(found) => (
          <div className="grid grid-cols-1 gap-5">
            {found.needsReview && <ReviewNotice id={found.transaction.id} />}
            <div className="grid grid-cols-1 items-start gap-5 xl:grid-cols-[minmax(0,5fr)_minmax(0,2fr)]">
              <Fold history={found} userId={userId} />
              <Summary history={found} userId={userId} />
            </div>
          </div>
        )}
      </Loaded>
    </>
  )
}

function ReviewNotice({ id }: { id: string }) {
  const t = useReviewText()
  return (
    <Notice tone="warn" action={<CloseReview reviewId={id} label={t.closeReview} />}>
      {t.needed}
    </Notice>
  )
}

function Summary({ history: { transaction }, userId }: { history: WholeCardTransactionHistory; userId: string }) {
  const { payment: t, amount, status, at, id } = useUserText()
  const ui = useUiText()
  const { merchant, declineReason } = transaction
  const place = [merchant.city, merchant.country].filter((part) => part !== null && part !== '').join(', ')
  return (
    <div className="text-sm">
      <Panel title={t.facts}>
        <Facts
          rows={[
            [
              amount,
              <span key="amount" className="font-medium">
                <Money {...transaction} isCredit={transaction.isCredit} />
              </span>,
            ],
            ...(transaction.originalCurrency === transaction.currency
              ? []
              : [
                  [
                    t.original,
                    <Money
                      key="original"
                      amount={transaction.originalAmount}
                      decimals={transaction.originalDecimals}
                      currency={transaction.originalCurrency}
                    />,
                  ] as const,
                ]),
            [status, <ItemBadge key="status" item={transaction} />],
            ...(declineReason === null ? [] : [[declineReason.code, declineText(ui, declineReason)] as const]),
            [
              t.merchant,
              <span key="merchant">
                {merchant.name} <span className="block text-soft">{place}</span>
              </span>,
            ],
            [t.category, transaction.mcc],
            [t.entry, transaction.entryMode],
            [t.code, <CopyId key="code" id={transaction.authorizationCode} />],
            [
              t.card,
              <IdLink
                key="card"
                to={`/operator/users/${userId}/cards`}
                id={transaction.cardId}
                marked={transaction.cardId}
              />,
            ],
            [at, <When key="at" at={transaction.createdAt} form="exact" />],
            [id, <CopyId key="id" id={transaction.id} />],
          ]}
        />
      </Panel>
    </div>
  )
}

/** Money that a message moved was posted at the time of the message. */
function Fold({ history, userId }: { history: WholeCardTransactionHistory; userId: string }) {
  const { payment: t } = useUserText()
  const { transaction, messages, movements, events } = history
  const times = new Set(messages.map(({ at }) => at))
  const others = movements.filter(({ at }) => !times.has(at))
  // Messages can share a time. The first of them shows what was posted then.
  const isFirst = (index: number) => messages.findIndex(({ at }) => at === messages[index]?.at) === index
  return (
    <Panel title={t.fold}>
      <p className="-mt-3 mb-6 text-sm text-soft">{t.foldText}</p>
      <ol className="grid grid-cols-1 gap-6">
        {messages.map((message, index) => (
          <Step
            key={message.messageId}
            number={index + 1}
            message={message}
            unit={{ currency: transaction.currency, decimals: transaction.decimals }}
            userId={userId}
            movements={isFirst(index) ? movements.filter(({ at }) => at === message.at) : []}
            events={isFirst(index) ? events.filter(({ createdAt }) => createdAt === message.at) : []}
          />
        ))}
      </ol>
      {others.length > 0 && (
        <section className="mt-6 grid grid-cols-1 gap-2 border-t border-line pt-5">
          <h3 className="font-medium">{t.others}</h3>
          <p className="text-sm text-soft">{t.othersText}</p>
          <Moved movements={others} userId={userId} />
        </section>
      )}
    </Panel>
  )
}

const outcomeTones: Readonly<Record<ReceivedCardMessage['outcome'], Tone>> = {
  approved: 'good',
  declined: 'bad',
  deferred: 'warn',
}

type StepProps = {
  readonly number: number
  readonly message: ReceivedCardMessage
  readonly unit: { readonly currency: string; readonly decimals: number }
  readonly userId: string
  readonly movements: readonly Movement[]
  readonly events: readonly Event[]
}

function Step({ number, message, unit, userId, movements, events }: StepProps) {
  const { payment: t } = useUserText()
  const ui = useUiText()
  const { type, at, amount, isFinal, outcome, declineReason, eventId, source } = message
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 sm:gap-x-3">
      <span
        aria-hidden="true"
        className="grid size-6 place-items-center rounded-full border sm:size-7 border-line-strong/60 text-xs font-medium tabular-nums"
      >
        {number}
      </span>
      <article aria-label={t.step(number)} className="grid grid-cols-1 gap-3">
        <header className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
          <h3 className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
            {ui.words.messages[type]}
            <Badge tone={outcomeTones[outcome]}>{ui.words.outcomes[outcome]}</Badge>
          </h3>
          {amount !== null && (
            <span className="font-medium">
              {amount.startsWith('-') && '−'}
              <Money {...unit} amount={amount.replace('-', '')} />
            </span>
          )}
          <p className="flex w-full flex-wrap items-baseline gap-x-4 text-sm text-soft">
            <When at={at} form="exact" />
            {type === 'clearing' && <span>{isFinal ? ui.history.final : ui.history.notFinal}</span>}
            <span className="inline-flex items-baseline gap-1.5">
              {t.eventId} <CopyId id={eventId} />
            </span>
            <span>{source}</span>
          </p>
          {declineReason !== null && (
            <p className="w-full text-sm text-bad">
              {declineText(ui, declineReason)} <span className="font-mono text-xs">{declineReason.code}</span>
            </p>
          )}
        </header>
        <Amounts message={message} unit={unit} movements={movements} />
        <Moved movements={movements} userId={userId} />
        {events.length > 0 && (
          <ul aria-label={ui.history.events} className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
            {events.map((event) => (
              <li key={event.id} className="flex items-baseline gap-2">
                <code className="text-xs text-soft">{event.type}</code> <CopyId id={event.id} />
              </li>
            ))}
          </ul>
        )}
      </article>
    </li>
  )
}

/** The held and settled amounts before and after a message, and the change of the available funds. */
function Amounts({ message: { before, after }, unit, movements }: Pick<StepProps, 'message' | 'unit' | 'movements'>) {
  const { payment: t } = useUserText()
  const ui = useUiText()
  const available = [...effectOf(movements.flatMap(({ postings }) => postings))].flatMap(([token, accounts]) => {
    const change = accounts.get('available') ?? 0n
    return change === 0n ? [] : [{ token, change }]
  })
  const parts = [
    [ui.history.held, before.held, after.held],
    [ui.history.settled, before.settled, after.settled],
  ] as const
  return (
    <dl className="grid grid-cols-[repeat(auto-fit,minmax(9rem,1fr))] gap-x-6 gap-y-2 rounded-md bg-sunken px-4 py-3 text-sm">
      {parts.map(([label, from, to]) => (
        <div key={label}>
          <dt className="text-xs text-soft">{label}</dt>
          <dd className={`mt-0.5 ${from === to ? 'text-soft' : 'font-medium'}`}>
            {from !== to && (
              <span className="font-normal text-soft">
                <Money {...unit} amount={from} /> →{' '}
              </span>
            )}
            <Money {...unit} amount={to} />
          </dd>
        </div>
      ))}
      <div>
        <dt className="text-xs text-soft">{t.availableChange}</dt>
        <dd className={`mt-0.5 ${available.length === 0 ? 'text-soft' : 'font-medium'}`}>
          {available.length === 0
            ? '±0'
            : available.map(({ token, change }) => (
                <span key={token} className="block">
                  {change > 0n && '+'}
                  <TokenAmount token={token} amount={String(change)} />
                </span>
              ))}
        </dd>
      </div>
    </dl>
  )
}

function Moved({ movements, userId }: { movements: readonly Movement[]; userId: string }) {
  const { payment: t, ledger } = useUserText()
  if (movements.length === 0) return <p className="text-sm text-soft">{t.nothing}</p>
  return movements.map(({ seq, kind, postings }) => (
    <div key={seq} className="overflow-clip rounded-md border border-line">
      <p className="flex flex-wrap items-baseline justify-between gap-x-4 border-b border-line px-4 py-2 text-sm">
        <MovementLink userId={userId} seq={seq} />
        <span className="text-soft">
          <KindName kind={kind} />
        </span>
      </p>
      <Postings postings={postings} label={`${ledger.titleOf(seq)}: ${ledger.postings}`} />
    </div>
  ))
}
