import { Type } from 'typebox'
import type { Currency } from '../../lib/money.ts'
import type { Queryable, Tx } from '../../platform/db/db.ts'
import { OneOf, withRowShape } from '../../platform/db/row-shapes.ts'
import { type MessageType, messageTypes, type TransactionKind, transactionKinds, transactionStatuses } from './rules.ts'
import type { CardTransaction } from './statement-item.ts'

/** A card transaction or a deferred message that an operator should check. A deferred full reversal has no amount. */
export type CardReview = {
  readonly userId: string
  readonly refId: string
  readonly kind: TransactionKind | MessageType
  readonly status: CardTransaction['status'] | 'deferred'
  readonly currency: Currency
  readonly amountMinor: bigint | null
  readonly createdAt: Date
}

const scanReviews = withRowShape(
  Type.Object({
    kind: OneOf([...transactionKinds, ...messageTypes]),
    status: OneOf([...transactionStatuses, 'deferred']),
  }),
  `-- scanDueReviews
   select user_id as "userId", card_transaction_id as "refId", kind, status, currency,
     amount_minor as "amountMinor", created_at as "createdAt"
   from card_transaction where needs_review
   union all
   select m.user_id, m.card_message_id, m.type, 'deferred', c.currency, m.amount_minor, m.created_at
   from card_message m join card c on c.user_id = m.user_id and c.card_id = m.card_id where m.needs_review
   order by "createdAt" desc limit $1`,
)

export async function scanDueReviews(db: Queryable, limit: number): Promise<CardReview[]> {
  return db.query<CardReview>(scanReviews, [limit])
}

/** The number of open reviews. Dashboards depend on the kinds, which are metric labels. */
export type ReviewCount = {
  readonly kind: 'payment' | 'deferred'
  readonly reviews: bigint
  readonly oldest: Date | null
}

const scanReviewCounts = withRowShape(
  Type.Object({ kind: OneOf(['payment', 'deferred']) }),
  `-- scanDueReviewCounts
   select 'payment' as kind, count(*) as reviews, min(created_at) as oldest from card_transaction where needs_review
   union all
   select 'deferred', count(*), min(created_at) from card_message where needs_review`,
)

export async function scanDueReviewCounts(db: Queryable): Promise<ReviewCount[]> {
  return db.query<ReviewCount>(scanReviewCounts)
}

/** Finds the user of an open review. */
export async function scanDueReviewUser(db: Queryable, refId: string): Promise<string | null> {
  const [row] = await db.query<{ userId: string }>(
    `-- scanDueReviewUser
     select user_id as "userId" from card_transaction where needs_review and card_transaction_id = $1
     union all
     select user_id from card_message where needs_review and card_message_id = $1`,
    [refId],
  )
  return row?.userId ?? null
}

export async function clearTransactionReview(tx: Tx, userId: string, id: string): Promise<boolean> {
  const cleared = await tx.query(
    `update card_transaction set needs_review = false
     where user_id = $1 and card_transaction_id = $2 and needs_review returning user_id`,
    [userId, id],
  )
  return cleared.length > 0
}

export async function clearMessageReview(tx: Tx, userId: string, id: string): Promise<boolean> {
  const cleared = await tx.query(
    `update card_message set needs_review = false
     where user_id = $1 and card_message_id = $2 and needs_review returning user_id`,
    [userId, id],
  )
  return cleared.length > 0
}

/** Clears the reviews of several messages. The statement travels with the next one, or with the commit. */
export function sendClearMessageReviews(tx: Tx, userId: string, ids: readonly string[]): void {
  tx.send('update card_message set needs_review = false where user_id = $1 and card_message_id = any($2)', [
    userId,
    ids,
  ])
}

export async function insertReview(
  tx: Tx,
  userId: string,
  { reviewId, refId, doneBy, doneAt }: { reviewId: string; refId: string; doneBy: string; doneAt: Date },
): Promise<void> {
  await tx.query('insert into review (user_id, review_id, ref_id, done_by, done_at) values ($1, $2, $3, $4, $5)', [
    userId,
    reviewId,
    refId,
    doneBy,
    doneAt,
  ])
}
