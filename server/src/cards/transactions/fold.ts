// pure
import type { ClearingTolerance } from '../../config/card-programme.ts'
import { max } from '../../lib/money.ts'
import { figureForMerchant } from './merchant-types.ts'
import {
  isRefundType,
  type MessageOutcome,
  type MessageType,
  type RefundMessageType,
  type TransactionStatus,
} from './rules.ts'

/** A card message of a payment that was not declined. Amounts are minor units of the card's currency. */
export type FoldMessage = {
  readonly type: Exclude<MessageType, RefundMessageType>
  /**
   * The amount that the message adds or takes away. For the type `replacement`, the change of the approved amount,
   * which can be negative. Null for an expiry, and for a full reversal until its authorization arrives.
   */
  readonly amount: bigint | null
  /** For a clearing: whether it is the last one. */
  readonly isFinal: boolean
  readonly at: Date
}

/** Returns whether the fold includes a message: it belongs to a payment and was not declined. */
export function countsInFold<M extends { readonly type: MessageType; readonly outcome: MessageOutcome }>(
  message: M,
): message is M & { readonly type: FoldMessage['type'] } {
  return !isRefundType(message.type) && message.outcome !== 'declined'
}

/** The sums over the messages of one authorization. Sums, maxima and flags do not depend on the order of arrival. */
type Sums = {
  readonly approved: bigint
  readonly reversed: bigint
  readonly settled: bigint
  /** Whether an authorization, advice or single message was approved. Until then, nothing is held. */
  readonly isAuthorized: boolean
  /** Whether an authorization or advice was approved. A single message holds nothing, so nothing of it is reversed. */
  readonly mayHold: boolean
  /**
   * Whether a final clearing, a single message or an expiry arrived. A full reversal does not close the payment: the
   * result would then depend on the order of arrival.
   */
  readonly isClosed: boolean
  /** Whether a full reversal waits for its authorization, so that its amount is not known. */
  readonly hasOpenReversal: boolean
  readonly clearedAt: Date | null
  readonly lastApprovedAt: Date | null
}

export type FoldedPayment = Sums & {
  readonly held: bigint
  readonly status: Exclude<TransactionStatus, 'declined'>
  /** The amount on the statement. */
  readonly amount: bigint
}

const noMessages: FoldedPayment = derive({
  approved: 0n,
  reversed: 0n,
  settled: 0n,
  isAuthorized: false,
  mayHold: false,
  isClosed: false,
  hasOpenReversal: false,
  clearedAt: null,
  lastApprovedAt: null,
})

/** Folds the messages of one authorization, in any order, into the held and settled amounts. */
export function foldPayment(messages: readonly FoldMessage[], before = noMessages): FoldedPayment {
  return messages.reduce(add, before)
}

export type FoldStep = {
  readonly payment: FoldedPayment
  /** The amount that a waiting full reversal receives with this message; null: there is none. */
  readonly reversedInFull: bigint | null
}

/**
 * Adds one message to a folded payment. A full reversal releases everything that is held when it arrives. If it arrives
 * first, it waits, and releases everything that its authorization holds. If several wait, only one takes the amount.
 */
export function foldMessage(before: FoldedPayment, message: FoldMessage): FoldStep {
  const payment = add(before, message)
  if (!payment.mayHold || !payment.hasOpenReversal) return { payment, reversedInFull: null }
  const { held, reversed } = payment
  return { payment: derive({ ...payment, reversed: reversed + held, hasOpenReversal: false }), reversedInFull: held }
}

function add(before: FoldedPayment, { type, amount, isFinal, at }: FoldMessage): FoldedPayment {
  const moved = amount ?? 0n
  const isRaise = raises(type, moved)
  const isReversal = type === 'reversal' || (type === 'replacement' && !isRaise)
  const isClearing = type === 'clearing' || type === 'single_message'
  const isEnd = type === 'expiry' || type === 'single_message' || (type === 'clearing' && isFinal)
  return derive({
    approved: before.approved + (isRaise ? moved : 0n),
    reversed: before.reversed + (isReversal ? abs(moved) : 0n),
    settled: before.settled + (isClearing ? moved : 0n),
    isAuthorized: before.isAuthorized || approvals.has(type),
    mayHold: before.mayHold || (approvals.has(type) && type !== 'single_message'),
    isClosed: before.isClosed || isEnd,
    hasOpenReversal: before.hasOpenReversal || (type === 'reversal' && amount === null),
    clearedAt: isClearing ? latest(before.clearedAt, at) : before.clearedAt,
    lastApprovedAt: isRaise ? latest(before.lastApprovedAt, at) : before.lastApprovedAt,
  })
}

function derive(sums: Sums): FoldedPayment {
  const { approved, reversed, settled, isAuthorized, isClosed } = sums
  const held = isClosed || !isAuthorized ? 0n : max(0n, approved - reversed - settled)
  const status = statusOf({ held, settled, isOver: isClosed || (isAuthorized && reversed > 0n) })
  const amount = status === 'cancelled' && isAuthorized ? approved : settled + held
  return { ...sums, held, status, amount }
}

function statusOf({ held, settled, isOver }: { held: bigint; settled: bigint; isOver: boolean }) {
  if (held > 0n) return 'pending'
  if (settled > 0n) return 'settled'
  return isOver ? 'cancelled' : 'pending'
}

const approvals: ReadonlySet<MessageType> = new Set(['authorization', 'advice', 'single_message'])

/** Returns whether a message raises the approved amount. */
export function raises(type: MessageType, amount: bigint): boolean {
  return approvals.has(type) || type === 'incremental' || (type === 'replacement' && amount > 0n)
}

/** Returns the difference between a replacement's new total and the present approved amount. */
export function replacementChange({ approved, reversed }: FoldedPayment, newTotal: bigint): bigint {
  return newTotal - (approved - reversed)
}

export type ReviewReason = 'unmatched_clearing' | 'over_clearing' | 'over_reversal'

/** Returns why an operator should review a payment, or null. The payment is posted in any case: the network decided. */
export function reviewReason(
  { isAuthorized, mayHold, approved, reversed, settled }: FoldedPayment,
  { mcc, isForeign }: { mcc: string; isForeign: boolean },
  tolerance: ClearingTolerance,
): ReviewReason | null {
  if (!isAuthorized) return settled > 0n ? 'unmatched_clearing' : null
  // A reversal of a single message is deferred, with a review of its own.
  const left = mayHold ? approved - reversed : approved
  if (left < 0n) return 'over_reversal'
  const percent = max(BigInt(figureForMerchant(tolerance, mcc)), isForeign ? BigInt(tolerance.foreign) : 0n)
  return settled * 100n > left * (100n + percent) ? 'over_clearing' : null
}

function latest(one: Date | null, other: Date): Date {
  return one !== null && one > other ? one : other
}

function abs(amount: bigint): bigint {
  return amount < 0n ? -amount : amount
}
