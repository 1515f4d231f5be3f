import type { Config } from '../../config/config.ts'
import type { Ctx } from '../../context.ts'
import { Refusal } from '../../lib/errors.ts'
import { sum } from '../../lib/money.ts'
import type { Tx } from '../../platform/db/db.ts'
import { type MessageChange, noChange } from './apply-payment.ts'
import { countsInFold, foldPayment } from './fold.ts'
import { type LoadedTransaction, type MessageFacts, reload } from './load.ts'
import { type CardMessage, parseMessage } from './messages.ts'
import { newAuthorizationId, newTransaction } from './new-transaction.ts'
import { creditCard, debitCard } from './postings.ts'
import { recordDeferred } from './record.ts'
import { isRefundType, type RefundMessageType, type TransactionKind } from './rules.ts'

export type RefundOutcome = 'approved' | 'deferred'

/**
 * Decides a refund, a refund reversal or a clearing cancellation. A cancellation must not exceed the cleared amount. A
 * refund reversal must not exceed the refunded amount. A message that arrives early or is too large is deferred until
 * it is covered.
 */
export function decideRefund(
  facts: MessageFacts,
  message: CardMessage,
  type: RefundMessageType,
  amount: bigint,
): RefundOutcome {
  const isCovered = covers(facts, type, amount)
  if (message.rejectsUnmatchedRefund) {
    const isUnknown = facts.transactions.length === 0 && message.authorizationCode !== null
    if (isUnknown) throw new Refusal('AUTHORIZATION_NOT_FOUND')
    if (!isCovered) throw new Refusal('AMOUNT_EXCEEDS_ORIGINAL')
  }
  return isCovered ? 'approved' : 'deferred'
}

/** Returns whether the cleared or refunded amount covers the message in addition to all earlier ones of its type. */
function covers({ messages, transactions }: MessageFacts, type: RefundMessageType, amount: bigint): boolean {
  if (type === 'refund') return true
  const total = (kind: TransactionKind, isCredit: boolean) =>
    sum(transactions.filter((one) => one.kind === kind && one.isCredit === isCredit).map((one) => one.amountMinor))
  const left =
    type === 'clearing_cancellation'
      ? foldPayment(messages.filter(countsInFold)).settled - total('Reversal', true)
      : total('Refund', true) - total('Reversal', false)
  return transactions.length > 0 && amount <= left
}

/** Turns a decision about a refund message into a separate card transaction, which is settled at once. */
export function applyRefund(
  config: Pick<Config, 'tokens'>,
  facts: MessageFacts,
  message: CardMessage,
  type: RefundMessageType,
  amount: bigint,
  outcome: RefundOutcome,
  authorizationId = newAuthorizationId(),
): MessageChange {
  const { card, balances, transactions, payment, code } = facts
  const decision = { outcome, authorizationId, authorizationCode: code, declineCode: null, approvedAmount: null }
  if (outcome === 'deferred') return { ...noChange, decision, amount }

  const tokens = config.tokens.filter(({ currency }) => currency === card.currency)
  const isCredit = type !== 'refund_reversal'
  const linked = isCredit ? payment : transactions.findLast(({ kind }) => kind === 'Refund')
  const kind = type === 'refund' ? 'Refund' : 'Reversal'
  return {
    ...noChange,
    decision,
    amount,
    transaction: {
      ...newTransaction(facts, message, { kind, authorizationId, linked }),
      isCredit,
      amountMinor: amount,
      clearedAt: facts.now,
    },
    posted: isCredit
      ? creditCard(tokens, balances, amount, stillPaid(transactions))
      : debitCard(tokens, balances, amount),
  }
}

/**
 * Posts the deferred refund messages of the authorization code that are now covered, in the order of their arrival. All
 * others stay deferred.
 */
export async function postDeferredRefunds(ctx: Ctx, tx: Tx, before: MessageFacts): Promise<void> {
  for (const { messageId, type, amount, authorizationId, deferredMessage } of before.messages) {
    if (deferredMessage === null || !isRefundType(type)) continue
    const message = parseMessage(deferredMessage)
    const facts = await reload(ctx, tx, before, message)
    const minor = amount ?? 0n
    if (decideRefund(facts, message, type, minor) === 'deferred') continue
    const change = applyRefund(ctx.config, facts, message, type, minor, 'approved', authorizationId)
    recordDeferred(tx, facts, type, { ...change, undeferred: [messageId] })
  }
}

/** Returns, per token, the units that the card transactions took and have not given back. */
function stillPaid(transactions: readonly LoadedTransaction[]): Map<string, bigint> {
  const paid = new Map<string, bigint>()
  for (const { isCredit, parts } of transactions) {
    for (const { token, settled } of parts) {
      paid.set(token, (paid.get(token) ?? 0n) + (isCredit ? -settled : settled))
    }
  }
  return paid
}
