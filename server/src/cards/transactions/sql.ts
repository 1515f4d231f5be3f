import { type Static, Type } from 'typebox'
import { firstIdAt } from '../../lib/id.ts'
import { kycStatuses } from '../../lib/kyc-status.ts'
import type { Currency } from '../../lib/money.ts'
import { userStatuses } from '../../lib/user-status.ts'
import type { Queryable, Tx } from '../../platform/db/db.ts'
import { Instant, OneOf, OrNull, Row, withRowShape } from '../../platform/db/row-shapes.ts'
import { cardStatuses } from '../cards/rules.ts'
import type { MerchantUse } from './limits.ts'
import type { Part } from './postings.ts'
import { type DeclineCode, declineMessages, transactionKinds, transactionStatuses } from './rules.ts'
import type { CardTransaction } from './statement-item.ts'

// No check constraint lists the decline codes, so only this shape detects an unknown one.
export const DeclineCodeColumn = OrNull(Type.Unsafe<DeclineCode>({ enum: Object.keys(declineMessages) }))

const ChargedCardRow = Row({
  cardId: Type.String(),
  cardStatus: OneOf(cardStatuses),
  currency: Type.String(),
  cardToken: OrNull(Type.String()),
  limitPerTransaction: OrNull(Type.BigInt()),
  limitDaily: OrNull(Type.BigInt()),
  userStatus: OneOf(userStatuses),
  kycStatus: OneOf(kycStatuses),
})

/** The card that a message charges, and the states of its user. */
export type ChargedCard = Readonly<Static<typeof ChargedCardRow>>

const selectChargedCard = withRowShape(
  ChargedCardRow,
  `select c.card_id as "cardId", c.status as "cardStatus", c.currency, c.card_token as "cardToken",
     c.limit_per_transaction as "limitPerTransaction", c.limit_daily as "limitDaily", u.status as "userStatus", u.kyc_status as "kycStatus"
   from card c join app_user u on u.user_id = c.user_id where c.user_id = $1 and u.user_id = $1 and c.card_id = $2`,
)

export async function findChargedCard(tx: Tx, userId: string, cardId: string): Promise<ChargedCard> {
  const [row] = await tx.query<ChargedCard>(selectChargedCard, [userId, cardId])
  if (!row) throw new Error('a card of the directory has no row')
  return row
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

export async function findTransaction(db: Queryable, userId: string, id: string): Promise<CardTransaction | null> {
  const [row] = await db.query<TransactionRow>(selectTransaction, [userId, id])
  return row ?? null
}

const selectTransactions = withRowShape(TransactionRow, `select ${columns} from card_transaction where user_id = $1`)

export async function findTransactions(db: Queryable, userId: string): Promise<CardTransaction[]> {
  return db.query<TransactionRow>(selectTransactions, [userId])
}

/** Writes a card transaction. Updates only the columns that later messages can change. */
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

const MerchantUseRow = Row({
  mcc: Type.String(),
  spent: Type.BigInt(),
  spentWithCard: Type.BigInt(),
  authorizations: Type.BigInt(),
})

// Ids begin with their time, so the primary key finds the recent rows. Velocity declines do not count as authorizations.
// Otherwise retries would keep the user locked out.
const selectUse = withRowShape(
  MerchantUseRow,
  `select mcc,
     coalesce(sum(amount_minor) filter (
       where card_transaction_id >= $2 and currency = $4 and status in ('pending', 'settled')), 0) as spent,
     coalesce(sum(amount_minor) filter (
       where card_transaction_id >= $2 and card_id = $5 and status in ('pending', 'settled')), 0) as "spentWithCard",
     count(*) filter (where card_transaction_id >= $3 and decline_code is distinct from 'VEL') as authorizations
   from card_transaction
   where user_id = $1 and card_transaction_id >= least($2::uuid, $3::uuid) and kind = 'Payment'
     and (card_id <> $5 or authorization_code <> $6 or status = 'declined')
   group by mcc`,
)

/** Returns a user's recent spending and authorizations by merchant category, without one payment. */
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

export async function scanDueTransactionUser(db: Queryable, cardTransactionId: string): Promise<string | null> {
  const [row] = await db.query<{ userId: string }>(
    `-- scanDueTransactionUser
     select user_id as "userId" from card_transaction where card_transaction_id = $1`,
    [cardTransactionId],
  )
  return row?.userId ?? null
}
