import type { MerchantTypes } from '../../config/card-programme.ts'
import { firstIdAt } from '../../lib/id.ts'
import type { Currency } from '../../lib/money.ts'
import type { Queryable, Tx } from '../../platform/db/db.ts'
import type { Part } from './postings.ts'
import type { MessageType, Standing } from './rules.ts'
import type { CardTransaction } from './statement-item.ts'

export type StoredMessage = {
  readonly messageId: string
  readonly authorizationId: bigint
  readonly type: MessageType
  readonly amount: bigint | null
  readonly isFinal: boolean
  readonly outcome: 'approved' | 'declined' | 'kept'
  /** of a kept one: what it said, while it waits for the message that it is about */
  readonly waiting: string | null
  readonly at: Date
}

export type Card = Omit<Standing, 'accountStatus'> & { readonly currency: string; readonly cardToken: string | null }

export async function findCard(tx: Tx, userId: string, cardId: string): Promise<Card> {
  const [row] = await tx.query<Card>(
    `select c.status as "cardStatus", c.currency, c.card_token as "cardToken", u.status as "userStatus",
       u.kyc_status as "kycStatus"
     from card c join app_user u on u.user_id = c.user_id where c.user_id = $1 and u.user_id = $1 and c.card_id = $2`,
    [userId, cardId],
  )
  if (!row) throw new Error('a card that the directory names is not there')
  return row
}

type EventName = { readonly source: string; readonly eventId: string }

/** Of a message that came before; `answer` null: it was told that it is too late, and has not had its turn. */
export async function findAnswer(
  db: Queryable,
  userId: string,
  { source, eventId }: EventName,
): Promise<{ bodyHash: string; answer: string | null } | null> {
  const [row] = await db.query<{ bodyHash: string; answer: string | null }>(
    `select body_hash as "bodyHash", answer from card_message where user_id = $1 and source = $2 and event_id = $3
     union all
     select body_hash, null from late_decline where user_id = $1 and source = $2 and event_id = $3
     order by answer nulls last limit 1`,
    [userId, source, eventId],
  )
  return row ?? null
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

/** The code of the payment that the network names, if a message with both came before. */
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

const messageColumns = `card_message_id as "messageId", authorization_id as "authorizationId", type,
  amount_minor as amount, is_final as "isFinal", outcome, waiting, created_at as at`

export async function findMessages(tx: Tx, userId: string, cardId: string, code: string): Promise<StoredMessage[]> {
  return tx.query<StoredMessage>(
    `select ${messageColumns} from card_message where user_id = $1 and card_id = $2 and authorization_code = $3
     order by created_at, card_message_id`,
    [userId, cardId, code],
  )
}

/** Of all the user's cards. */
export async function findAllMessages(
  db: Queryable,
  userId: string,
): Promise<(StoredMessage & { cardId: string; code: string })[]> {
  return db.query<StoredMessage & { cardId: string; code: string }>(
    `select ${messageColumns}, card_id as "cardId", authorization_code as code from card_message where user_id = $1`,
    [userId],
  )
}

export async function insertMessage(
  tx: Tx,
  userId: string,
  message: StoredMessage & {
    source: string
    eventId: string
    bodyHash: string
    cardId: string
    authorizationCode: string
    networkId: string | null
    answer: string
  },
): Promise<void> {
  await tx.query(
    `insert into card_message (user_id, card_message_id, source, event_id, body_hash, card_id, authorization_code,
       authorization_id, type, amount_minor, is_final, outcome, answer, created_at, network_id, waiting, needs_review)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $16::text is not null)`,
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
      message.answer,
      message.at,
      message.networkId,
      message.waiting,
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

/** What they were kept for has come. */
export async function endWait(tx: Tx, userId: string, messageIds: readonly string[]): Promise<void> {
  await tx.query(
    `update card_message set waiting = null, needs_review = false
     where user_id = $1 and card_message_id = any($2::uuid[])`,
    [userId, messageIds],
  )
}

const columns = `card_transaction_id as "cardTransactionId", card_id as "cardId", card_token as "cardToken",
  authorization_id as "authorizationId", authorization_code as "authorizationCode", kind, status,
  is_credit as "isCredit", currency, amount_minor as "amountMinor", original_currency as "originalCurrency",
  original_amount_minor as "originalAmountMinor", merchant_name as "merchantName", merchant_city as "merchantCity",
  merchant_country as "merchantCountry", mcc, entry_mode as "entryMode", decline_code as "declineCode",
  linked_id as "linkedId", needs_review as "needsReview", created_at as "createdAt", updated_at as "updatedAt",
  cleared_at as "clearedAt"`

/** Oldest first. */
export async function findTransactionsByCode(
  tx: Tx,
  userId: string,
  cardId: string,
  code: string,
): Promise<CardTransaction[]> {
  return tx.query<CardTransaction>(
    `select ${columns} from card_transaction where user_id = $1 and card_id = $2 and authorization_code = $3
     order by created_at, card_transaction_id`,
    [userId, cardId, code],
  )
}

export async function findTransaction(tx: Tx, userId: string, id: string): Promise<CardTransaction | null> {
  const [row] = await tx.query<CardTransaction>(
    `select ${columns} from card_transaction where user_id = $1 and card_transaction_id = $2`,
    [userId, id],
  )
  return row ?? null
}

export async function findTransactions(db: Queryable, userId: string): Promise<CardTransaction[]> {
  return db.query<CardTransaction>(`select ${columns} from card_transaction where user_id = $1`, [userId])
}

/** What is derived from the messages changes with them; what the first message said never does. */
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

export type Use = { readonly spent: bigint; readonly spentOnTypes: bigint; readonly authorizations: bigint }

/**
 * What a user has spent, and how often authorized. Ids begin with their time, so the primary key finds the rows. What was
 * refused for its number is not counted again: who tries on and on gets back in when the window has passed.
 */
export async function countUse(
  tx: Tx,
  userId: string,
  wanted: {
    currency: Currency
    types: MerchantTypes
    except: string | null
    spentSince: Date
    authorizedSince: Date
  },
): Promise<Use> {
  const { currency, types, except, spentSince, authorizedSince } = wanted
  const spentFrom = firstIdAt(spentSince)
  const authorizedFrom = firstIdAt(authorizedSince)
  const [use] = await tx.query<Use>(
    `with payment as (
       select card_transaction_id as id, status, currency, mcc, amount_minor, decline_code from card_transaction
       where user_id = $1 and card_transaction_id >= least($2::uuid, $3::uuid) and kind = 'Payment'
         and card_transaction_id is distinct from $4
     ), spent as (
       select amount_minor, mcc from payment where id >= $2 and currency = $5 and status in ('pending', 'settled')
     )
     select (select coalesce(sum(amount_minor), 0) from spent) as spent,
       (select coalesce(sum(amount_minor), 0) from spent where mcc between $6 and $7) as "spentOnTypes",
       (select count(*) from payment where id >= $3 and decline_code is distinct from 'VEL') as authorizations`,
    [userId, spentFrom, authorizedFrom, except, currency, types.first, types.last],
  )
  if (!use) throw new Error('an aggregate returned no row')
  return use
}

export async function setDueAt(tx: Tx, userId: string, id: string, dueAt: Date | null): Promise<void> {
  await tx.query(
    `update card_transaction set due_at = $3, attempts = 0 where user_id = $1 and card_transaction_id = $2`,
    [userId, id, dueAt],
  )
}

export type StoredPart = Part & { readonly cardTransactionId: string }

const partColumns = 'card_transaction_id as "cardTransactionId", token, held, settled'

export async function findAllParts(db: Queryable, userId: string): Promise<StoredPart[]> {
  return db.query<StoredPart>(`select ${partColumns} from card_transaction_part where user_id = $1`, [userId])
}

export async function findParts(tx: Tx, userId: string, transactionIds: readonly string[]): Promise<StoredPart[]> {
  return tx.query<StoredPart>(
    `select ${partColumns} from card_transaction_part
     where user_id = $1 and card_transaction_id = any($2::uuid[])`,
    [userId, transactionIds],
  )
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
