import type { Ctx } from '../../context.ts'
import { movementColumns } from '../../ledger/ledger.ts'
import type { MovementKind } from '../../ledger/movements.ts'
import { newId } from '../../lib/id.ts'
import { nulls } from '../../platform/db/call.ts'
import type { Tx } from '../../platform/db/db.ts'
import { raiseAlarm } from '../../platform/observability/alarms.ts'
import { itemRow } from '../../statement-items/statement-items.ts'
import type { MessageChange } from './apply-payment.ts'
import type { MessageFacts } from './load.ts'
import { type CardMessage, hashCardMessage, serializeMessage } from './messages.ts'
import type { Posted } from './postings.ts'
import { messageParameters, sendRecordCardMessage, transactionParameters } from './record-sql.ts'
import { sendClearMessageReviews } from './review-sql.ts'
import type { MessageType } from './rules.ts'
import { type CardTransaction, cardStatementItem } from './statement-item.ts'

/** Writes a message, its decision and its changes, in one round trip that the commit shares. */
export function record(ctx: Ctx, tx: Tx, facts: MessageFacts, message: CardMessage, change: MessageChange): void {
  const { decision, amount, review, reviewsDeferred, transaction, unreviewed } = change
  const isDeferred = decision.outcome === 'deferred'
  const { source, eventId, type, networkId = null, isFinal } = message
  sendRecordCardMessage(tx, {
    ...changeColumns(facts, type, change),
    message_id: newId(facts.now),
    source,
    event_id: eventId,
    body_hash: hashCardMessage(message),
    authorization_id: decision.authorizationId,
    network_id: networkId,
    type,
    amount,
    is_final: isFinal,
    outcome: decision.outcome,
    decline_code: decision.declineCode,
    approved_amount: decision.approvedAmount,
    deferred_message: isDeferred ? serializeMessage(message) : null,
    message_needs_review: isDeferred && reviewsDeferred,
  })
  if (unreviewed.length > 0) sendClearMessageReviews(tx, facts.account.userId, unreviewed)
  if (isDeferred && reviewsDeferred) {
    const about = { source, eventId, type, cardId: message.cardId }
    tx.afterCommit(() => raiseAlarm(ctx, { area: 'card', reason: 'deferred_message' }, about))
  }
  if (review !== null && transaction !== null) {
    const id = transaction.cardTransactionId
    tx.afterCommit(() => raiseAlarm(ctx, { area: 'card', reason: review }, { id, type }))
  }
}

/** Writes the changes of a deferred message once it is posted. The message itself is already stored. */
export function recordDeferred(tx: Tx, facts: MessageFacts, type: MessageType, change: MessageChange): void {
  sendRecordCardMessage(tx, { ...changeColumns(facts, type, change), ...nulls(messageParameters) })
}

/** Returns the parameters of `record_card_message` that do not describe the message itself. */
function changeColumns(
  facts: MessageFacts,
  type: MessageType,
  { transaction, posted, dueAt, resolved, undeferred }: MessageChange,
) {
  const { account, card, code, now } = facts
  return {
    user_id: account.userId,
    at: now,
    card_id: card.cardId,
    authorization_code: code,
    resolved_ids: resolved.map(({ messageId }) => messageId),
    resolved_amounts: resolved.map(({ amount }) => amount),
    undeferred_ids: undeferred,
    ...(transaction === null ? nulls(transactionParameters) : transactionColumns(facts, transaction, dueAt)),
    ...postedColumns(posted),
    movement_kind: movementKindOf[type],
  }
}

function postedColumns(posted: Posted) {
  const { parts } = posted
  return {
    part_tokens: parts.map(({ token }) => token),
    part_held: parts.map(({ held }) => held),
    part_settled: parts.map(({ settled }) => settled),
    ...movementColumns([posted]),
  }
}

function transactionColumns({ partnerId, now }: MessageFacts, transaction: CardTransaction, dueAt: Date | null) {
  const row = itemRow(cardStatementItem({ ...transaction, updatedAt: now }), now)
  return {
    transaction_id: transaction.cardTransactionId,
    transaction_card_token: transaction.cardToken,
    transaction_authorization_id: transaction.authorizationId,
    kind: transaction.kind,
    status: transaction.status,
    is_credit: transaction.isCredit,
    currency: transaction.currency,
    amount_minor: transaction.amountMinor,
    original_currency: transaction.originalCurrency,
    original_amount_minor: transaction.originalAmountMinor,
    merchant_name: transaction.merchantName,
    merchant_city: transaction.merchantCity,
    merchant_country: transaction.merchantCountry,
    mcc: transaction.mcc,
    entry_mode: transaction.entryMode,
    transaction_decline_code: transaction.declineCode,
    linked_id: transaction.linkedId,
    needs_review: transaction.needsReview,
    due_at: dueAt,
    created_at: transaction.createdAt,
    cleared_at: transaction.clearedAt,
    item: row.item,
    item_event_id: partnerId === null ? null : row.eventId,
    item_event_type: row.type,
  }
}

const movementKindOf: Readonly<Record<MessageType, MovementKind>> = {
  authorization: 'card_authorization',
  incremental: 'card_authorization',
  replacement: 'card_authorization',
  advice: 'card_authorization',
  single_message: 'card_clearing',
  clearing: 'card_clearing',
  reversal: 'card_reversal',
  expiry: 'card_expiry',
  refund: 'card_refund',
  refund_reversal: 'card_refund_reversal',
  clearing_cancellation: 'card_clearing_cancellation',
}
