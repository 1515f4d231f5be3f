import type { CardTransactionHistory, WholeCardTransactionHistory } from '@purser/client'
import { useState } from 'react'
import { useLanguage } from '../lib/language.tsx'
import { Badge, type Tone } from './badge.tsx'
import { CopyId, shortened } from './copy.tsx'
import { When } from './date.tsx'
import { formatMoney, useMoney } from './money.tsx'
import { declineText, useUiText } from './text.ts'

/** The life of a card transaction, message by message. A scrubber goes back to the amounts after any message. */

type Step = CardTransactionHistory['messages'][number]
type Movement = WholeCardTransactionHistory['movements'][number]
type Event = WholeCardTransactionHistory['events'][number]

type Token = { readonly address: string; readonly symbol: string; readonly decimals: number }

type Props = {
  readonly history: CardTransactionHistory | WholeCardTransactionHistory
  /** The present spendable amount, in minor units, from which the amount after each message follows. */
  readonly spendableMinor?: bigint | null
  readonly tokens?: readonly Token[]
}

const outcomeTones: Readonly<Record<Step['outcome'], Tone>> = { approved: 'good', declined: 'bad', deferred: 'warn' }

export function History({ history, spendableMinor = null, tokens = [] }: Props) {
  const { transaction, messages } = history
  const [chosen, setChosen] = useState<number | null>(null)
  // Follows the newest message until somebody scrubs back.
  const step = Math.min(chosen ?? messages.length, messages.length)
  const choose = (next: number) => setChosen(next >= messages.length ? null : Math.max(0, next))
  const current = messages[step - 1]
  const amounts = current?.after ?? { held: '0', settled: '0' }
  const last = messages.at(-1)?.after ?? amounts
  const sign = transaction.isCredit ? 1n : -1n
  const used = ({ held, settled }: Step['after']) => BigInt(held) + BigInt(settled)
  const available = spendableMinor === null ? null : spendableMinor + sign * (used(amounts) - used(last))
  const whole = 'movements' in history ? history : null

  return (
    <div className="grid gap-6">
      <Bar held={BigInt(amounts.held)} settled={BigInt(amounts.settled)} available={available} unit={transaction} />
      <Scrubber step={step} count={messages.length} onStep={choose} />
      <ol className="relative grid">
        {messages.map((message, index) => (
          <StepRow
            key={index}
            message={message}
            unit={transaction}
            isLast={index === messages.length - 1}
            isCurrent={index === step - 1}
            isLater={index > step - 1}
            onPick={() => choose(index + 1)}
          />
        ))}
      </ol>
      {whole !== null && current !== undefined && (
        <Causes
          movements={whole.movements.filter(({ at }) => at === current.at)}
          tokens={tokens}
          events={whole.events.filter(({ createdAt }) => createdAt === current.at)}
        />
      )}
    </div>
  )
}

type Unit = { readonly currency: string; readonly decimals: number }

function Bar({
  held,
  settled,
  available,
  unit,
}: {
  held: bigint
  settled: bigint
  available: bigint | null
  unit: Unit
}) {
  const ui = useUiText()
  const money = useMoney()
  const rest = available !== null && available > 0n ? available : 0n
  const total = held + settled + rest
  const share = (part: bigint) => (total === 0n ? 0 : Number((part * 10_000n) / total) / 100)
  const parts = [
    { label: ui.history.settled, value: settled, fill: 'fill-accent', dot: 'bg-accent' },
    { label: ui.history.held, value: held, fill: 'fill-warn', dot: 'bg-warn' },
    ...(available === null
      ? []
      : [
          {
            label: ui.history.available,
            value: available,
            fill: 'fill-line',
            dot: 'border border-line-strong bg-line',
          },
        ]),
  ]
  let x = 0
  return (
    <div className="grid gap-4">
      <svg
        viewBox="0 0 100 3"
        preserveAspectRatio="none"
        className="h-3 w-full rounded-full bg-sunken"
        aria-hidden="true"
      >
        {parts.map(({ label, value, fill }) => {
          const width = share(value > 0n ? value : 0n)
          const at = x
          x += width
          return (
            <rect key={label} x={at} y="0" width={width} height="3" className={`${fill} transition-all duration-200`} />
          )
        })}
      </svg>
      <dl className="grid grid-cols-[repeat(auto-fit,minmax(6rem,1fr))] gap-4">
        {parts.map(({ label, value, dot }) => (
          <div key={label}>
            <dt className="flex items-center gap-2 text-sm text-soft">
              <span aria-hidden="true" className={`size-2.5 rounded-full ${dot}`} />
              {label}
            </dt>
            <dd className="mt-0.5 text-lg font-semibold tabular-nums">{money({ ...unit, amount: value })}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

function Scrubber({ step, count, onStep }: { step: number; count: number; onStep: (step: number) => void }) {
  const ui = useUiText()
  const text = step === 0 ? ui.history.start : ui.history.stepOf(step, count)
  const arrow =
    'grid size-9 shrink-0 place-items-center rounded-md border border-line-strong hover:bg-sunken disabled:opacity-45'
  return (
    <div className="flex items-center gap-3">
      <button
        type="button"
        className={arrow}
        disabled={step === 0}
        onClick={() => onStep(step - 1)}
        aria-label={ui.history.previous}
      >
        <Chevron isBack />
      </button>
      <div className="min-w-0 grow">
        <input
          type="range"
          min={0}
          max={count}
          value={step}
          onChange={(event) => onStep(Number(event.currentTarget.value))}
          aria-label={ui.history.scrub}
          aria-valuetext={text}
          className="block w-full accent-accent"
        />
        <p className="mt-1 text-center text-xs text-soft tabular-nums">{text}</p>
      </div>
      <button
        type="button"
        className={arrow}
        disabled={step === count}
        onClick={() => onStep(step + 1)}
        aria-label={ui.history.next}
      >
        <Chevron />
      </button>
    </div>
  )
}

function Chevron({ isBack = false }: { isBack?: boolean }) {
  return (
    <svg viewBox="0 0 16 16" className={`size-4 ${isBack ? 'rotate-180' : ''}`} aria-hidden="true">
      <path
        d="M6 3l5 5-5 5"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.600"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}

type RowProps = {
  readonly message: Step
  readonly unit: Unit
  readonly isLast: boolean
  readonly isCurrent: boolean
  readonly isLater: boolean
  readonly onPick: () => void
}

function StepRow({ message, unit, isLast, isCurrent, isLater, onPick }: RowProps) {
  const ui = useUiText()
  const money = useMoney()
  const { type, at, amount, outcome, declineReason, isFinal } = message
  return (
    <li className="relative pl-7">
      {!isLast && (
        <span
          aria-hidden="true"
          className="absolute top-6 bottom-0 left-[0.3125rem] w-px translate-y-0 bg-line-strong/40"
        />
      )}
      <span
        aria-hidden="true"
        className={`absolute top-5 left-0 size-[0.6875rem] rounded-full border-2 ${isLater ? 'border-line-strong bg-surface' : 'border-accent bg-accent'}`}
      />
      <button
        type="button"
        onClick={onPick}
        aria-current={isCurrent ? 'step' : undefined}
        className="-mx-2 flex w-[calc(100%+1rem)] flex-wrap items-start justify-between gap-x-4 gap-y-1 rounded-lg px-3 py-3 text-left hover:bg-sunken aria-[current=step]:bg-sunken"
      >
        <span className="min-w-0">
          <span className="flex flex-wrap items-center gap-2">
            <span className="font-medium">{ui.words.messages[type]}</span>
            <Badge tone={outcomeTones[outcome]}>{ui.words.outcomes[outcome]}</Badge>
          </span>
          <span className="block text-sm text-soft">
            <When at={at} form="full" />
            {type === 'clearing' && ` · ${isFinal ? ui.history.final : ui.history.notFinal}`}
          </span>
          {declineReason !== null && (
            <span className="block text-sm text-bad">
              {declineText(ui, declineReason)} <span className="font-mono text-xs">{declineReason.code}</span>
            </span>
          )}
        </span>
        {amount !== null && <span className="font-medium tabular-nums">{money({ ...unit, amount })}</span>}
      </button>
    </li>
  )
}

type CausesProps = {
  readonly movements: readonly Movement[]
  readonly events: readonly Event[]
  readonly tokens: readonly Token[]
}

function Causes({ movements, events, tokens }: CausesProps) {
  const ui = useUiText()
  const { locale } = useLanguage()
  const quantity = (amount: string, address: string) => {
    const token = tokens.find((each) => each.address.toLowerCase() === address.toLowerCase())
    if (token === undefined) return `${amount} ${shortened(address)}`
    return formatMoney(locale, { amount, decimals: token.decimals, currency: token.symbol })
  }
  const postings = movements.flatMap(({ seq, kind, postings: rows }) =>
    rows.map((row, index) => ({ ...row, kind, key: `${seq}.${index}` })),
  )
  return (
    <div className="grid gap-5 border-t border-line pt-5">
      <section aria-labelledby="postings" className="min-w-0">
        <h3 id="postings" className="mb-2 text-sm font-medium">
          {ui.history.postings}
        </h3>
        {postings.length === 0 ? (
          <p className="text-sm text-soft">{ui.history.noPostings}</p>
        ) : (
          <ul className="grid gap-1">
            {postings.map(({ key, from, to, amount, token, kind }) => (
              <li
                key={key}
                className="flex flex-wrap items-baseline justify-between gap-x-4 rounded-md bg-sunken px-3 py-2 font-mono text-xs"
              >
                <span className="wrap-anywhere">
                  {from} → {to}
                </span>
                <span className="text-soft">{kind}</span>
                <span className="wrap-anywhere tabular-nums">{quantity(amount, token)}</span>
              </li>
            ))}
          </ul>
        )}
      </section>
      <section aria-labelledby="events">
        <h3 id="events" className="mb-2 text-sm font-medium">
          {ui.history.events}
        </h3>
        {events.length === 0 ? (
          <p className="text-sm text-soft">{ui.history.noEvents}</p>
        ) : (
          <ul className="grid gap-1 text-sm">
            {events.map(({ id, type, deliveries }) => (
              <li
                key={id}
                className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 rounded-md bg-sunken px-3 py-2"
              >
                <code className="text-xs">{type}</code>
                <span className="flex flex-wrap items-center gap-2">
                  {deliveries.length === 0 && <Badge>{ui.history.noEndpoint}</Badge>}
                  {deliveries.map((delivery) => (
                    <DeliveryBadge key={delivery.endpointId} delivery={delivery} />
                  ))}
                  <CopyId id={id} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </section>
    </div>
  )
}

type Delivery = Event['deliveries'][number]

const deliveryTones: Readonly<Record<Delivery['status'], Tone>> = { pending: 'warn', delivered: 'good', dead: 'bad' }

function DeliveryBadge({ delivery: { status, responseStatus, error } }: { delivery: Delivery }) {
  const ui = useUiText()
  const cause = responseStatus ?? error
  return (
    <Badge tone={deliveryTones[status]}>
      {ui.history.deliveries[status]}
      {cause !== null && ` · ${cause}`}
    </Badge>
  )
}
