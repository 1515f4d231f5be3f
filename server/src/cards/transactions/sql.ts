import { type Static, Type } from 'typebox'
import { firstIdAt } from '../../lib/id.ts'
import { kycStatuses } from '../../lib/kyc-status.ts'
import type { Currency } from '../../lib/money.ts'
import { userStatuses } from '../../lib/user-status.ts'
import type { Queryable, Tx } from '../../platform/db/db.ts'
import { Instant, OneOf, OrNull, Row, withRowShape } from '../../platform/db/row-shapes.ts'
import { cardStatuses } from '../cards/rules.ts'
import type { MerchantUse } from './limits.ts'
import type { CardDecision } from './messages.ts'
import type { Part } from './postings.ts'
import {
  type DeclineCode,
  declineMessages,
  messageOutcomes,
  messageTypes,
  transactionKinds,
  transactionStatuses,
} from './rules.ts'
import type { CardTransaction } from './statement-item.ts'

// Not a state that a check constraint lists, but no row may have another.
const DeclineCodeColumn = OrNull(Type.Unsafe<DeclineCode>({ enum: Object.keys(declineMessages) }))

const ChargedCardRow = Row({
  cardId: Type.String(),
  cardStatus: OneOf(cardStatuses),
  currency: Type.String(),
  cardToken: OrNull(Type.String()),
  userStatus: OneOf(userStatuses),
  kycStatus: OneOf(kycStatuses),
})

/** The card that a message charges, and the states of its user. */
export type ChargedCard = Readonly<Static<typeof ChargedCardRow>>

const selectChargedCard = withRowShape(
  ChargedCardRow,
  `select c.card_id as "cardId", c.status as "cardStatus", c.currency, c.card_token as "cardToken",
     u.status as "userStatus", u.kyc_status as "kycStatus"
   from card c join app_user u on u.user_id = c.user_id where c.user_id = $1 and u.user_id = $1 and c.card_id = $2`,
)

export async function findChargedCard(tx: Tx, userId: string, cardId: string): Promise<ChargedCard> {
  const [row] = await tx.query<ChargedCard>(selectChargedCard, [userId, cardId])
  if (!row) throw new Error('a card of the directory has no row')
  return row
}

type EventName = { readonly source: string; readonly eventId: string }

/** `decision` is null for a message that was declined as late and has not had its turn under the lock. */
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

/** Finds the authorization code of the payment with the network's id, if an earlier message had both. */
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
  /** The content of a deferred message, as long as it waits for the message it refers to. */
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

/** Marks deferred messages as no longer waiting. */
export async function undeferMessages(tx: Tx, userId: string, messageIds: readonly string[]): Promise<void> {
  await tx.query(
    `update card_message set deferred_message = null, needs_review = false
     where user_id = $1 and card_message_id = any($2::uuid[])`,
    [userId, messageIds],
  )
}

const TransactionRow = Row({
  cardTransactionId: Type.String(),
  cardId: Type.String(),
  cardToken: OrNull(Type.String()),
  authorizationId: Type.BigInt(),
  authorizationCode: Type.String(),
  kind: OneOf(transactionKinds),
  status: OneOf(transactionStatuses),
  isCredit: Type.Boolean(),
  currency: Type.String(),
  amountMinor: Type.BigInt(),
  originalCurrency: Type.String(),
  originalAmountMinor: Type.BigInt(),
  merchantName: Type.String(),
  merchantCity: OrNull(Type.String()),
  merchantCountry: Type.String(),
  mcc: Type.String(),
  entryMode: Type.String(),
  declineCode: DeclineCodeColumn,
  linkedId: OrNull(Type.String()),
  needsReview: Type.Boolean(),
  createdAt: Instant,
  updatedAt: Instant,
  clearedAt: OrNull(Instant),
})
type TransactionRow = Static<typeof TransactionRow>

const columns = `card_transaction_id as "cardTransactionId", card_id as "cardId", card_token as "cardToken",
  authorization_id as "authorizationId", authorization_code as "authorizationCode", kind, status,
  is_credit as "isCredit", currency, amount_minor as "amountMinor", original_currency as "originalCurrency",
  original_amount_minor as "originalAmountMinor", merchant_name as "merchantName", merchant_city as "merchantCity",
  merchant_country as "merchantCountry", mcc, entry_mode as "entryMode", decline_code as "declineCode",
  linked_id as "linkedId", needs_review as "needsReview", created_at as "createdAt", updated_at as "updatedAt",
  cleared_at as "clearedAt"`

const selectByCode = withRowShape(
  TransactionRow,
  `select ${columns} from card_transaction where user_id = $1 and card_id = $2 and authorization_code = $3
   order by created_at, card_transaction_id`,
)

/** Finds the card transactions of an authorization code, oldest first. */
export async function findTransactionsByCode(
  tx: Tx,
  userId: string,
  cardId: string,
  code: string,
): Promise<CardTransaction[]> {
  return tx.query<TransactionRow>(selectByCode, [userId, cardId, code])
}

const selectTransaction = withRowShape(
  TransactionRow,
  `select ${columns} from card_transaction where user_id = $1 and card_transaction_id = $2`,
)

export async function findTransaction(tx: Tx, userId: string, id: string): Promise<CardTransaction | null> {
  const [row] = await tx.query<TransactionRow>(selectTransaction, [userId, id])
  return row ?? null
}

const selectTransactions = withRowShape(TransactionRow, `select ${columns} from card_transaction where user_id = $1`)

export async function findTransactions(db: Queryable, userId: string): Promise<CardTransaction[]> {
  return db.query<TransactionRow>(selectTransactions, [userId])
}

/** Writes a card transaction. Of an existing one, only the columns that later messages can change. */
export async function upsertTransaction(
  tx: Tx,
  userId: string,
  transaction: CardTransaction,
  dueAt: Date | null,
): Promise<void> {
  await tx.query(
    `insert into card_transaction (user_id, card_transaction_id, card_id, card_token, authorization_id,
       authorization_code, kind, status, is_credit, currency, amount_minor, original_currency, original_amount_minor,
       merchant_name, merchant_city, merchant_country, mcc, entry_mode, decline_code, linked_id, needs_review, due_at,
       created_at, updated_at, cleared_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
       $24, $25)
     on conflict (user_id, card_transaction_id) do update set status = excluded.status,
       amount_minor = excluded.amount_minor, needs_review = excluded.needs_review, due_at = excluded.due_at,
       attempts = 0, updated_at = excluded.updated_at, cleared_at = excluded.cleared_at`,
    [
      userId,
      transaction.cardTransactionId,
      transaction.cardId,
      transaction.cardToken,
      transaction.authorizationId,
      transaction.authorizationCode,
      transaction.kind,
      transaction.status,
      transaction.isCredit,
      transaction.currency,
      transaction.amountMinor,
      transaction.originalCurrency,
      transaction.originalAmountMinor,
      transaction.merchantName,
      transaction.merchantCity,
      transaction.merchantCountry,
      transaction.mcc,
      transaction.entryMode,
      transaction.declineCode,
      transaction.linkedId,
      transaction.needsReview,
      dueAt,
      transaction.createdAt,
      transaction.updatedAt,
      transaction.clearedAt,
    ],
  )
}

const MerchantUseRow = Row({ mcc: Type.String(), spent: Type.BigInt(), authorizations: Type.BigInt() })

// Ids begin with their time, so the primary key finds the rows. Declines for velocity do not count as authorizations:
// otherwise retries would keep the user locked out.
const selectUse = withRowShape(
  MerchantUseRow,
  `select mcc,
     coalesce(sum(amount_minor) filter (
       where card_transaction_id >= $2 and currency = $4 and status in ('pending', 'settled')), 0) as spent,
     count(*) filter (where card_transaction_id >= $3 and decline_code is distinct from 'VEL') as authorizations
   from card_transaction
   where user_id = $1 and card_transaction_id >= least($2::uuid, $3::uuid) and kind = 'Payment'
     and (card_id <> $5 or authorization_code <> $6 or status = 'declined')
   group by mcc`,
)

/** Finds what a user has spent and how often they were authorized, by merchant category, except for one payment. */
export async function findUse(
  tx: Tx,
  userId: string,
  wanted: {
    readonly currency: Currency
    readonly spentSince: Date
    readonly authorizedSince: Date
    readonly exceptCardId: string
    readonly exceptCode: string
  },
): Promise<MerchantUse[]> {
  const { currency, spentSince, authorizedSince, exceptCardId, exceptCode } = wanted
  const [spentFrom, authorizedFrom] = [firstIdAt(spentSince), firstIdAt(authorizedSince)]
  return tx.query<MerchantUse>(selectUse, [userId, spentFrom, authorizedFrom, currency, exceptCardId, exceptCode])
}

export async function setDueAt(tx: Tx, userId: string, id: string, dueAt: Date | null): Promise<void> {
  await tx.query(
    `update card_transaction set due_at = $3, attempts = 0 where user_id = $1 and card_transaction_id = $2`,
    [userId, id, dueAt],
  )
}

const PartRow = Row({
  cardTransactionId: Type.String(),
  token: Type.String(),
  held: Type.BigInt(),
  settled: Type.BigInt(),
})
type StoredPart = Part & { readonly cardTransactionId: string }

const partColumns = 'p.card_transaction_id as "cardTransactionId", p.token, p.held, p.settled'
const selectAllParts = withRowShape(PartRow, `select ${partColumns} from card_transaction_part p where p.user_id = $1`)

export async function findAllParts(db: Queryable, userId: string): Promise<StoredPart[]> {
  return db.query<StoredPart>(selectAllParts, [userId])
}

const selectParts = withRowShape(
  PartRow,
  `select ${partColumns}
   from card_transaction t join card_transaction_part p
     on p.user_id = t.user_id and p.card_transaction_id = t.card_transaction_id
   where t.user_id = $1 and p.user_id = $1 and t.card_id = $2 and t.authorization_code = $3`,
)

/** Finds the parts of all card transactions of an authorization code. */
export async function findParts(tx: Tx, userId: string, cardId: string, code: string): Promise<StoredPart[]> {
  return tx.query<StoredPart>(selectParts, [userId, cardId, code])
}

export async function upsertParts(tx: Tx, userId: string, id: string, parts: readonly Part[]): Promise<void> {
  await tx.query(
    `insert into card_transaction_part (user_id, card_transaction_id, token, held, settled)
     select $1, $2, token, held, settled
     from unnest($3::text[], $4::numeric[], $5::numeric[]) as p (token, held, settled)
     on conflict (user_id, card_transaction_id, token)
       do update set held = excluded.held, settled = excluded.settled`,
    [userId, id, parts.map(({ token }) => token), parts.map(({ held }) => held), parts.map(({ settled }) => settled)],
  )
}

export async function scanDueHolds(
  db: Queryable,
  { overdueSince, triedUntil }: { overdueSince: Date; triedUntil: Date },
): Promise<{ holds: bigint; oldest: Date | null }> {
  const [row] = await db.query<{ holds: bigint; oldest: Date | null }>(
    `-- scanDueHolds
     select count(*) as holds, min(created_at) as oldest from card_transaction
     where due_at <= $2 and (due_at <= $1 or attempts > 0)`,
    [overdueSince, triedUntil],
  )
  return row ?? { holds: 0n, oldest: null }
}
