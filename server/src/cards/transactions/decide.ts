// pure
import { Refusal } from '../../lib/errors.ts'
import { type FoldedPayment, type FoldMessage, type FoldStep, foldMessage, raises } from './fold.ts'
import { type DeclineCode, isOpening, type Standing, standingCode } from './rules.ts'

/** The facts that decide a message about a payment. */
export type PaymentFacts = {
  /** All earlier messages with the authorization code, folded. */
  readonly before: FoldedPayment
  /** Whether an authorization or single message with the code has already been approved or declined. */
  readonly wasDecided: boolean
  /** Whether a payment with the code exists that was not declined. */
  readonly hasPayment: boolean
  /** Whether the kill switch lets authorizations be approved. */
  readonly mayApprove: boolean
  readonly standing: Standing
  /** Returns the decline code of the limit that a payment with this total would exceed, or null. */
  readonly limitCode: (total: bigint) => DeclineCode | null
  /** Available funds, in minor units. */
  readonly spendable: bigint
  readonly isPartialAllowed: boolean
  /** Whether the deadline has passed. */
  readonly isLate: boolean
}

export type PaymentDecision =
  | {
      readonly outcome: 'approved'
      /** The amount that the fold uses for the message. */
      readonly amount: bigint | null
      /** The payment after this message. */
      readonly after: FoldStep
    }
  | { readonly outcome: 'declined'; readonly code: DeclineCode }
  | { readonly outcome: 'deferred' }

/**
 * Decides a message about a payment, and folds it with all earlier ones. Before the deadline, only authorizations,
 * single messages, and messages that raise an authorization can be declined. The network has already decided all other
 * messages. A reversal or increment that arrives before its authorization is deferred. So is a reversal of a single
 * message, which holds nothing. After the deadline, every increment and replacement is declined too, even one that
 * would be deferred or that lowers the authorization. A late message is checked before it is declined, because an
 * invalid one is rejected instead.
 */
export function decidePayment(message: FoldMessage, facts: PaymentFacts): PaymentDecision {
  const decision = decideInTime(message, facts)
  return facts.isLate ? { outcome: 'declined', code: 'TMO' } : decision
}

function decideInTime(message: FoldMessage, facts: PaymentFacts): PaymentDecision {
  const { type, amount } = message
  const { before, wasDecided } = facts
  const approve = (approved: FoldMessage, after = foldMessage(before, approved)): PaymentDecision => ({
    outcome: 'approved',
    amount: approved.amount ?? after.reversedInFull,
    after,
  })

  if (type === 'clearing' || type === 'advice') return approve(message)
  if (type === 'expiry') {
    if (!facts.hasPayment) throw new Refusal('AUTHORIZATION_NOT_FOUND')
    return approve(message)
  }
  if (isOpening(type)) {
    if (wasDecided) throw new Refusal('AUTHORIZATION_CODE_USED')
  } else {
    // The change that a replacement makes depends on the approved amount, which is not known yet.
    if (type === 'replacement' && !before.isAuthorized && !wasDecided) throw new Refusal('AUTHORIZATION_NOT_FOUND')
    const isRaise = raises(type, amount ?? 0n)
    if (!isRaise) return before.mayHold ? approve(message) : { outcome: 'deferred' }
    if (!before.isAuthorized) return wasDecided ? { outcome: 'declined', code: 'CLO' } : { outcome: 'deferred' }
  }

  // The order is fixed (switch, standing, closed, limits, funds): the same facts always give the same decline code.
  if (!facts.mayApprove) return { outcome: 'declined', code: 'OFF' }
  const standing = standingCode(facts.standing)
  if (standing !== null) return { outcome: 'declined', code: standing }
  if (!isOpening(type) && before.isClosed) return { outcome: 'declined', code: 'CLO' }
  const after = foldMessage(before, message)
  const total = after.payment.held + after.payment.settled
  const limit = facts.limitCode(total)
  if (limit !== null) return { outcome: 'declined', code: limit }

  const short = total - before.held - before.settled - facts.spendable
  if (short <= 0n) return approve(message, after)
  const asked = amount ?? 0n
  if (facts.isPartialAllowed && type === 'authorization' && asked > short) {
    return approve({ ...message, amount: asked - short })
  }
  return { outcome: 'declined', code: '810' }
}
