import type { Config } from '../../config/config.ts'
import { convert } from './convert.ts'
import type { PaymentDecision } from './decide.ts'
import { countsInFold, type FoldedPayment, type ReviewReason, raises, reviewReason } from './fold.ts'
import type { MessageFacts } from './load.ts'
import type { StoredMessage } from './message-sql.ts'
import type { CardDecision, CardMessage } from './messages.ts'
import { newAuthorizationId, newTransaction } from './new-transaction.ts'
import { nothingPosted, type Posted, reachTarget } from './postings.ts'
import { holdExpiry, isOpening, isRefundType, mayBeDeclined } from './rules.ts'
import type { CardTransaction } from './statement-item.ts'

/** The changes that a card message makes. */
export type MessageChange = {
  readonly decision: CardDecision
  /** The amount that the fold uses for the message, in minor units of the card's currency. */
  readonly amount: bigint | null
  /** The new or changed card transaction; null: none. */
  readonly transaction: CardTransaction | null
  readonly posted: Posted
  /** When the hold expires; null: nothing is held. */
  readonly dueAt: Date | null
  /** Deferred full reversals, with the amounts that they receive now. */
  readonly resolved: readonly { readonly messageId: string; readonly amount: bigint }[]
  /** Messages that are no longer deferred. */
  readonly undeferred: readonly string[]
  /** Messages that stay deferred, but no longer need a review. */
  readonly unreviewed: readonly string[]
  /** Whether an operator should review the message while it is deferred. */
  readonly reviewsDeferred: boolean
  /** Why an operator should review the card transaction; null: no reason, or its review is already open. */
  readonly review: ReviewReason | null
}

export const noChange = {
  transaction: null,
  posted: nothingPosted,
  dueAt: null,
  resolved: [],
  undeferred: [],
  unreviewed: [],
  reviewsDeferred: true,
  review: null,
} satisfies Partial<MessageChange>

/** Turns a decision about a payment into the card transaction and its postings. */
export function applyPayment(
  { tokens: allTokens, clearingTolerance, holdDays }: Config,
  facts: MessageFacts,
  message: CardMessage,
  amount: bigint | null,
  decided: PaymentDecision,
): MessageChange {
  const { card, code, transactions, payment } = facts
  const named = { authorizationCode: code, declineCode: null, approvedAmount: null }
  if (decided.outcome === 'deferred') {
    const ownId = payment?.authorizationId ?? unusedId(facts) ?? transactions[0]?.authorizationId
    const decision = { ...named, outcome: 'deferred', authorizationId: ownId ?? newAuthorizationId() } as const
    // The network reverses an authorization that was declined as late. Nothing is missing, so nobody has to act.
    const isLateReversal = message.type === 'reversal' && transactions.some(({ declineCode }) => declineCode === 'TMO')
    return { ...noChange, decision, amount, reviewsDeferred: payment !== null || !isLateReversal }
  }
  if (decided.outcome === 'declined') {
    // A declined authorization stays on the statement as its own card transaction. A declined increment changes
    // nothing.
    const declined = isOpening(message.type)
      ? newTransaction(facts, message, { kind: 'Payment', authorizationId: newAuthorizationId() })
      : null
    const { authorizationId } = declined ?? payment ?? transactions[0] ?? { authorizationId: newAuthorizationId() }
    const { code: declineCode } = decided
    const asked = amount ?? 0n
    // A reversal that overtook its authorization needs no review if the authorization is then declined as late.
    const explainsReversals = declined !== null && declineCode === 'TMO' && payment === null
    return {
      ...noChange,
      decision: { ...named, outcome: 'declined', declineCode, authorizationId },
      amount: asked,
      transaction: declined && { ...declined, status: 'declined', amountMinor: asked, declineCode },
      unreviewed: explainsReversals ? idsOf(facts.messages.filter(({ type }) => type === 'reversal')) : [],
    }
  }

  const { payment: folded, reversedInFull } = decided.after
  const approvedAmount = message.isPartialAllowed ? approvedPart(facts, message, amount, decided.amount) : null
  const authorizationId = payment?.authorizationId ?? unusedId(facts) ?? newAuthorizationId()
  const opened = payment ?? newTransaction(facts, message, { kind: 'Payment', authorizationId, approvedAmount })
  const isForeign = opened.originalCurrency !== opened.currency
  const review = reviewReason(folded, { mcc: opened.mcc, isForeign }, clearingTolerance)
  const transaction = {
    ...opened,
    status: folded.status,
    amountMinor: folded.amount,
    clearedAt: folded.clearedAt,
    needsReview: review !== null,
  }
  const tokens = allTokens.filter(({ currency }) => currency === card.currency)
  const mayOwe = !mayBeDeclined(message.type)
  return {
    decision: { ...named, outcome: 'approved', authorizationId, approvedAmount },
    amount: decided.amount,
    transaction,
    posted: reachTarget(tokens, facts.balances, payment?.parts ?? [], folded, { mayOwe }),
    dueAt:
      folded.status === 'pending' ? holdExpiry(folded.lastApprovedAt ?? facts.now, transaction.mcc, holdDays) : null,
    resolved: reversedInFull === null ? [] : resolvedReversals(facts, reversedInFull),
    undeferred: idsOf(facts.messages.filter((one) => isEndOfWait(folded, one))),
    unreviewed: [],
    reviewsDeferred: false,
    review: payment?.needsReview ? null : review,
  }
}

/** Returns the amounts of the deferred full reversals: the first one gets the whole amount, the others zero. */
function resolvedReversals({ messages }: MessageFacts, amount: bigint): MessageChange['resolved'] {
  const waiting = messages.filter((one) => countsInFold(one) && one.type === 'reversal' && one.amount === null)
  return waiting.map(({ messageId }, i) => ({ messageId, amount: i === 0 ? amount : 0n }))
}

/**
 * Returns whether the message that a deferred one waits for has arrived. A single message ends the wait of an
 * increment, but not of a reversal.
 */
function isEndOfWait({ isAuthorized, mayHold }: FoldedPayment, { type, amount, deferredMessage }: StoredMessage) {
  if (deferredMessage === null || isRefundType(type)) return false
  return raises(type, amount ?? 0n) ? isAuthorized : mayHold
}

function idsOf(messages: readonly StoredMessage[]): readonly string[] {
  return messages.map(({ messageId }) => messageId)
}

/** Returns the part of the message's amount that was approved, in the message's currency. */
function approvedPart(
  { card, rates }: MessageFacts,
  { amount, billed }: CardMessage,
  asked: bigint | null,
  approved: bigint | null,
): bigint | null {
  if (amount === null) return null
  if (asked === approved) return amount.minor
  // The requested and the billed amount give the network's own rate.
  if (billed) return (amount.minor * (approved ?? 0n)) / (asked ?? 1n)
  return convert(rates, approved ?? 0n, card.currency, amount.currency, 'down')
}

/** Returns the authorization id that this payment's deferred messages received, unless a card transaction has it. */
function unusedId({ messages, transactions }: MessageFacts): bigint | null {
  const used = new Set(transactions.map(({ authorizationId }) => authorizationId))
  const unused = messages.find(({ type, authorizationId }) => !isRefundType(type) && !used.has(authorizationId))
  return unused?.authorizationId ?? null
}
