import type { Ctx } from '../../context.ts'
import { currencySpendable } from '../../ledger/rules.ts'
import { Refusal } from '../../lib/errors.ts'
import type { Tx } from '../../platform/db/db.ts'
import { applyPayment, type MessageChange } from './apply-payment.ts'
import { applyRefund, decideRefund, postDeferredRefunds } from './apply-refund.ts'
import { convert } from './convert.ts'
import { decidePayment } from './decide.ts'
import { countsInFold, foldPayment, replacementChange } from './fold.ts'
import { limitCode } from './limits.ts'
import { load, type MessageFacts } from './load.ts'
import { type CardDecision, type CardMessage, declineUnknownCard } from './messages.ts'
import { merchantOf } from './new-transaction.ts'
import { record } from './record.ts'
import { reportDecision } from './report-decision.ts'
import { isOpening, isRefundType, mayBeDeclined } from './rules.ts'

/**
 * `receivedAt` is the time of `performance.now()` at which the message arrived. `isLate` is called under the lock,
 * after all facts are loaded. A late message is declined and posts nothing.
 */
export type MessageTiming = { readonly receivedAt: number; readonly isLate?: () => boolean }

/**
 * Takes one card message: load → decide → fold → post → record. A repeated message gets its stored decision.
 *
 * `userId` is the card's user, or null for an unknown card.
 */
export async function receiveMessage(
  ctx: Ctx,
  tx: Tx,
  userId: string | null,
  message: CardMessage,
  { receivedAt, isLate = () => false }: MessageTiming = { receivedAt: performance.now() },
): Promise<CardDecision> {
  const report = (decision: CardDecision, isRepeated = false, partnerId: string | null = null) => {
    tx.afterCommit(() => reportDecision(ctx, message, decision, { isRepeated, receivedAt, partnerId }))
    return decision
  }
  if (userId === null) return report(declineUnknownCard(message))

  const facts = await load(ctx, tx, userId, message)
  if ('repeated' in facts) return report(facts.repeated, true)
  const change = decideMessage(ctx, facts, message, isLate)
  record(ctx, tx, facts, message, change)
  await postDeferredRefunds(ctx, tx, facts)
  return report(change.decision, false, facts.partnerId)
}

/** Decides the message, folds it with all earlier ones, and computes the postings from the present holds. */
function decideMessage(ctx: Ctx, facts: MessageFacts, message: CardMessage, isLate: () => boolean): MessageChange {
  const { account, card, messages, payment, now } = facts
  const { type, isFinal, isPartialAllowed } = message
  const billed = billedAmount(facts, message)
  if (isRefundType(type)) {
    const amount = billed ?? 0n
    return applyRefund(ctx.config, facts, message, type, amount, decideRefund(facts, message, type, amount))
  }

  const before = foldPayment(messages.filter(countsInFold))
  const amount = type === 'replacement' && billed !== null ? replacementChange(before, billed) : billed
  const limited = { card, isRaise: payment !== null, use: facts.use }
  const merchant = payment ?? merchantOf(message, null)
  const decided = decidePayment(
    { type, amount, isFinal, at: now },
    {
      before,
      wasDecided: messages.some((earlier) => isOpening(earlier.type)),
      hasPayment: payment !== null,
      mayApprove: facts.mayApprove,
      standing: { ...card, accountStatus: account.status },
      limitCode: (total) => limitCode(ctx.config.cardLimits, { ...limited, merchant }, total),
      spendable: currencySpendable(ctx.config.tokens, facts.balances, card.currency),
      isPartialAllowed,
      isLate: mayBeDeclined(type) && (facts.wasDeclinedLate || isLate()),
    },
  )
  return applyPayment(ctx.config, facts, message, amount, decided)
}

/** Returns the message's amount in the card's currency. */
function billedAmount({ card, rates }: MessageFacts, { amount, billed }: CardMessage): bigint | null {
  if (billed && billed.currency !== card.currency) throw new Refusal('BILLING_AMOUNT_NEEDED')
  if (billed) return billed.minor
  return amount === null ? null : convert(rates, amount.minor, amount.currency, card.currency)
}
