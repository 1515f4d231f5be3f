import type { Ctx } from '../../context.ts'
import { postMovement } from '../../ledger/ledger.ts'
import type { MovementKind } from '../../ledger/movements.ts'
import { newId } from '../../lib/id.ts'
import type { Tx } from '../../platform/db/db.ts'
import { raiseAlarm } from '../../platform/observability/alarms.ts'
import { putItem } from '../../statement-items/statement-items.ts'
import type { MessageChange } from './apply-payment.ts'
import type { MessageFacts } from './load.ts'
import { insertMessage, setMessageAmount, undeferMessages } from './message-sql.ts'
import { type CardMessage, hashCardMessage, serializeMessage } from './messages.ts'
import type { MessageType } from './rules.ts'
import { upsertParts, upsertTransaction } from './sql.ts'
import { cardStatementItem } from './statement-item.ts'

/** Writes a message, its decision and its changes, all in one round trip. */
export async function record(
  ctx: Ctx,
  tx: Tx,
  facts: MessageFacts,
  message: CardMessage,
  change: MessageChange,
): Promise<void> {
  const { decision, amount, review, transaction } = change
  const { source, eventId, type, cardId, networkId = null, isFinal } = message
  await Promise.all([
    ...changeStatements(tx, facts, type, change),
    insertMessage(tx, facts.account.userId, {
      ...decision,
      messageId: newId(facts.now),
      source,
      eventId,
      bodyHash: hashCardMessage(message),
      cardId,
      networkId,
      type,
      amount,
      isFinal,
      deferredMessage: decision.outcome === 'deferred' ? serializeMessage(message) : null,
      at: facts.now,
    }),
  ])
  if (review !== null && transaction !== null) {
    const id = transaction.cardTransactionId
    tx.afterCommit(() => raiseAlarm(ctx, { area: 'card', reason: review }, { id, type }))
  }
}

/** Writes the changes of a deferred message once it is posted. The message itself is already stored. */
export async function recordDeferred(
  tx: Tx,
  facts: MessageFacts,
  type: MessageType,
  change: MessageChange,
): Promise<void> {
  await Promise.all(changeStatements(tx, facts, type, change))
}

function changeStatements(
  tx: Tx,
  { account, now }: MessageFacts,
  type: MessageType,
  { transaction, posted, dueAt, resolved, undeferred }: MessageChange,
): Promise<unknown>[] {
  const { userId } = account
  const statements: Promise<unknown>[] = resolved.map((one) => setMessageAmount(tx, userId, one.messageId, one.amount))
  if (undeferred.length > 0) statements.push(undeferMessages(tx, userId, undeferred))
  if (transaction === null) return statements

  const updated = { ...transaction, updatedAt: now }
  const refId = transaction.cardTransactionId
  const { postings, parts } = posted
  statements.push(upsertTransaction(tx, userId, updated, dueAt))
  if (postings.length > 0) statements.push(upsertParts(tx, userId, refId, parts))
  statements.push(postMovement(tx, account, { kind: movementKinds[type], refId, at: now, postings }))
  statements.push(putItem(tx, userId, cardStatementItem(updated), now))
  return statements
}

const movementKinds: Readonly<Record<MessageType, MovementKind>> = {
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
