import { type Static, Type } from 'typebox'
import type { Queryable, Tx } from '../../platform/db/db.ts'
import { Instant, OneOf, OrNull, Row, withRowShape } from '../../platform/db/row-shapes.ts'
import type { Part } from './postings.ts'
import { type DeclineCode, declineMessages, entryModes, transactionKinds, transactionStatuses } from './rules.ts'
import type { CardTransaction } from './statement-item.ts'

// No check constraint lists the decline codes, so only this shape detects an unknown one.
export const DeclineCodeColumn = OrNull(Type.Unsafe<DeclineCode>({ enum: Object.keys(declineMessages) }))

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
  entryMode: OneOf(entryModes),
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

const selectAllParts = withRowShape(
  PartRow,
  `select p.card_transaction_id as "cardTransactionId", p.token, p.held, p.settled
   from card_transaction t
     join card_transaction_part p on p.user_id = $1 and p.card_transaction_id = t.card_transaction_id
   where t.user_id = $1`,
)

export async function findAllParts(db: Queryable, userId: string): Promise<StoredPart[]> {
  return db.query<StoredPart>(selectAllParts, [userId])
}

export async function scanDueTransactionUser(db: Queryable, cardTransactionId: string): Promise<string | null> {
  const [row] = await db.query<{ userId: string }>(
    `-- scanDueTransactionUser
     select user_id as "userId" from card_transaction where card_transaction_id = $1`,
    [cardTransactionId],
  )
  return row?.userId ?? null
}
