import { type Static, Type } from 'typebox'
import { functionCall } from '../../platform/db/call.ts'
import type { Queryable } from '../../platform/db/db.ts'
import { Instant, OneOf, OrNull, Row, withRowShape } from '../../platform/db/row-shapes.ts'
import type { CardDecision } from './messages.ts'
import { messageOutcomes, messageTypes } from './rules.ts'
import { DeclineCodeColumn } from './sql.ts'

type EventName = { readonly source: string; readonly eventId: string }

/** `decision` is null for a message that was declined as late and is not processed yet. */
export type StoredDecision = { readonly bodyHash: string; readonly decision: CardDecision | null }

/** Null unless the message was decided. */
export const storedDecisionColumns = {
  outcome: OrNull(OneOf(messageOutcomes)),
  declineCode: DeclineCodeColumn,
  authorizationCode: OrNull(Type.String()),
  authorizationId: OrNull(Type.BigInt()),
  approvedAmount: OrNull(Type.BigInt()),
}
const StoredDecisionRow = Row({ bodyHash: Type.String(), ...storedDecisionColumns })

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

/** Finds the decision of an earlier message with the same event id, without the user's lock. */
export async function findStoredDecision(
  db: Queryable,
  userId: string,
  { source, eventId }: EventName,
): Promise<StoredDecision | null> {
  const [row] = await db.query<Static<typeof StoredDecisionRow>>(selectStoredDecision, [userId, source, eventId])
  return row ? { bodyHash: row.bodyHash, decision: decisionOf(row) } : null
}

/** Returns the decision in a row; null if the message is not decided. */
export function decisionOf(row: Omit<Static<typeof StoredDecisionRow>, 'bodyHash'>): CardDecision | null {
  const { outcome, declineCode, authorizationCode, authorizationId, approvedAmount } = row
  const isDecided = outcome !== null && authorizationCode !== null && authorizationId !== null
  return isDecided ? { outcome, declineCode, authorizationCode, authorizationId, approvedAmount } : null
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

const awaitCall = functionCall('select await_card_message', ['user_id', 'source', 'event_id'])

/** Waits while a transaction stores the message. */
export async function callAwaitCardMessage(
  db: Queryable,
  userId: string,
  { source, eventId }: EventName,
): Promise<void> {
  await db.query(awaitCall.text, awaitCall.values({ user_id: userId, source, event_id: eventId }))
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

export async function countCardMessages(db: Queryable, userId: string, cardId: string): Promise<bigint> {
  const [row] = await db.query<{ messages: bigint }>(
    'select count(*) as messages from card_message where user_id = $1 and card_id = $2',
    [userId, cardId],
  )
  return row?.messages ?? 0n
}
