import { CardBadge } from '../ui/status.tsx'
import type { CardRecord } from './queries.ts'

/** A picture of a card. Its number exists only in the secure frame. */
export function CardFace({ card }: { card: CardRecord }) {
  const { cardName, last4, status, expiryMonth, expiryYear, currency } = card
  const isActive = status === 'active'
  return (
    <div
      className={`flex aspect-[1.6] w-full flex-col justify-between rounded-xl p-5 ${isActive ? 'bg-card text-on-card' : 'bg-sunken text-soft ring-1 ring-line ring-inset'}`}
    >
      <div className="flex items-start justify-between gap-3">
        <span className="line-clamp-2 font-medium wrap-anywhere">{cardName}</span>
        {isActive ? <span className="text-sm opacity-90">{currency}</span> : <CardBadge status={status} />}
      </div>
      <div className="flex items-end justify-between gap-3 tabular-nums">
        <span className="text-lg tracking-wider">{last4 === null ? '' : `···· ${last4}`}</span>
        <span className="text-sm">
          {expiryMonth !== null &&
            expiryYear !== null &&
            `${String(expiryMonth).padStart(2, '0')}/${String(expiryYear % 100).padStart(2, '0')}`}
        </span>
      </div>
    </div>
  )
}
