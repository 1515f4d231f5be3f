import { type Static, Type } from 'typebox'
import type { Queryable, Tx } from '../../platform/db/db.ts'
import { Instant, OneOf, OrNull, Row, withRowShape } from '../../platform/db/row-shapes.ts'
import type { CardDecision } from './messages.ts'
import { messageOutcomes, messageTypes } from './rules.ts'
import { DeclineCodeColumn } from './sql.ts'

type EventName = { readonly source: string; readonly eventId: string }

/** `decision` is null for a message that was declined as late and is not processed yet. */
export type StoredDecision = { readonly bodyHash: string; readonly decision: CardDecision | null }

const StoredDecisionRow = Row({
  bodyHash: Type.String(),
  outcome: OrNull(OneOf(messageOutcomes)),
  declineCode: DeclineCodeColumn,
  authorizationCode: OrNull(Type.String()),
  authorizationId: OrNull(Type.BigInt()),
  approvedAmount: OrNull(Type.BigInt()),
})

const selectStoredDecision = withRowShape(
  StoredDecisionRow,
  `select body_hash as "bodyHash", outcome, decline_code as "declineCode", authorization_code as "authorizationCode",
     authorization_id as "authorizationId", approved_amount_minor as "approvedAmount"
   from card_message where user_id = $1 and source = $2 and event_id = $3
   union all
   select body_hash, null, null, null, null, null from late_decline
   where user_id = $1 and source = $2 and event_id = $3
   order by outcome nulls last limit 1`,
)

/** Finds the decision of an earlier message with the same event id. */
export async function findStoredDecision(
  db: Queryable,
  userId: string,
  { source, eventId }: EventName,
): Promise<StoredDecision | null> {
  const [row] = await db.query<Static<typeof StoredDecisionRow>>(selectStoredDecision, [userId, source, eventId])
  if (!row) return null
  const { bodyHash, outcome, declineCode, authorizationCode, authorizationId, approvedAmount } = row
  const isDecided = outcome !== null && authorizationCode !== null && authorizationId !== null
  const decision = isDecided ? { outcome, declineCode, authorizationCode, authorizationId, approvedAmount } : null
  return { bodyHash, decision }
}

export async function insertLateDecline(
  db: Queryable,
  userId: string,
  { source, eventId }: EventName,
  { bodyHash, now }: { bodyHash: string; now: Date },
): Promise<void> {
  await db.query(
    `insert into late_decline (user_id, source, event_id, body_hash, created_at) values ($1, $2, $3, $4, $5)
     on conflict (user_id, source, event_id) do nothing`,
    [userId, source, eventId, bodyHash, now],
  )
}

/** Returns the authorization code of an earlier message with the same network id, or null. */
export async function findLinkedCode(
  tx: Tx,
  userId: string,
  { cardId, networkId }: { cardId: string; networkId?: string },
): Promise<string | null> {
  if (networkId === undefined) return null
  const [row] = await tx.query<{ code: string }>(
    `select authorization_code as code from card_message where user_id = $1 and card_id = $2 and network_id = $3
     order by created_at, card_message_id limit 1`,
    [userId, cardId, networkId],
  )
  return row?.code ?? null
}

const messageColumns = {
  messageId: Type.String(),
  authorizationId: Type.BigInt(),
  type: OneOf(messageTypes),
  amount: OrNull(Type.BigInt()),
  isFinal: Type.Boolean(),
  outcome: OneOf(messageOutcomes),
  /** The content of a deferred message while it waits for the message that it refers to. */
  deferredMessage: OrNull(Type.String()),
  at: Instant,
}
const MessageRow = Row(messageColumns)
export type StoredMessage = Readonly<Static<typeof MessageRow>>

const messageFields = `card_message_id as "messageId", authorization_id as "authorizationId", type,
  amount_minor as amount, is_final as "isFinal", outcome, deferred_message as "deferredMessage", created_at as at`

const selectMessages = withRowShape(
  MessageRow,
  `select ${messageFields} from card_message where user_id = $1 and card_id = $2 and authorization_code = $3
   order by created_at, card_message_id`,
)

/** Finds the messages of an authorization code, oldest first. */
export async function findMessages(tx: Tx, userId: string, cardId: string, code: string): Promise<StoredMessage[]> {
  return tx.query<StoredMessage>(selectMessages, [userId, cardId, code])
}

const UserMessageRow = Row({ ...messageColumns, cardId: Type.String(), code: Type.String() })
type UserMessage = Readonly<Static<typeof UserMessageRow>>

const selectAllMessages = withRowShape(
  UserMessageRow,
  `select ${messageFields}, card_id as "cardId", authorization_code as code from card_message where user_id = $1`,
)

/** Finds the messages of all the user's cards. */
export async function findAllMessages(db: Queryable, userId: string): Promise<UserMessage[]> {
  return db.query<UserMessage>(selectAllMessages, [userId])
}

const HistoryMessageRow = Row({
  ...messageColumns,
  source: Type.String(),
  eventId: Type.String(),
  declineCode: DeclineCodeColumn,
})
export type HistoryMessage = Readonly<Static<typeof HistoryMessageRow>>

const selectHistory = withRowShape(
  HistoryMessageRow,
  `select ${messageFields}, source, event_id as "eventId", decline_code as "declineCode"
   from card_message where user_id = $1 and card_id = $2 and authorization_code = $3
   order by created_at, card_message_id`,
)

/** Finds the messages of an authorization code as they arrived, oldest first. */
export async function findHistory(
  db: Queryable,
  userId: string,
  cardId: string,
  code: string,
): Promise<HistoryMessage[]> {
  return db.query<HistoryMessage>(selectHistory, [userId, cardId, code])
}

export async function insertMessage(
  tx: Tx,
  userId: string,
  message: StoredMessage &
    CardDecision & { source: string; eventId: string; bodyHash: string; cardId: string; networkId: string | null },
): Promise<void> {
  await tx.query(
    `insert into card_message (user_id, card_message_id, source, event_id, body_hash, card_id, authorization_code,
       authorization_id, type, amount_minor, is_final, outcome, decline_code, approved_amount_minor, created_at,
       network_id, deferred_message, needs_review)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $17::text is not null)`,
    [
      userId,
      message.messageId,
      message.source,
      message.eventId,
      message.bodyHash,
      message.cardId,
      message.authorizationCode,
      message.authorizationId,
      message.type,
      message.amount,
      message.isFinal,
      message.outcome,
      message.declineCode,
      message.approvedAmount,
      message.at,
      message.networkId,
      message.deferredMessage,
    ],
  )
}

export async function countCardMessages(db: Queryable, userId: string, cardId: string): Promise<bigint> {
  const [row] = await db.query<{ messages: bigint }>(
    'select count(*) as messages from card_message where user_id = $1 and card_id = $2',
    [userId, cardId],
  )
  return row?.messages ?? 0n
}

export async function setMessageAmount(
  tx: Tx,
  userId: string,
  messageId: string,
  amount: bigint | null,
): Promise<void> {
  await tx.query('update card_message set amount_minor = $3 where user_id = $1 and card_message_id = $2', [
    userId,
    messageId,
    amount,
  ])
}

/** Marks messages as no longer deferred, which also closes their reviews. */
export async function undeferMessages(tx: Tx, userId: string, messageIds: readonly string[]): Promise<void> {
  await tx.query(
    `update card_message set deferred_message = null, needs_review = false
     where user_id = $1 and card_message_id = any($2::uuid[])`,
    [userId, messageIds],
  )
}
