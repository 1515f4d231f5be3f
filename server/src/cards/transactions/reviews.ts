import type { Ctx } from '../../context.ts'
import { lockAccount } from '../../identity/users/users.ts'
import { secondsSince } from '../../lib/clock.ts'
import { isId, newId } from '../../lib/id.ts'
import type { Queryable } from '../../platform/db/db.ts'
import {
  type CardReview,
  clearMessageReview,
  clearTransactionReview,
  insertReview,
  scanDueReviewCounts,
  scanDueReviews,
  scanDueReviewUser,
} from './review-sql.ts'

/**
 * Reviews: card transactions that were posted but look wrong, and deferred messages. Owns `review`. A review is open
 * until an operator closes it, or a later message makes it unnecessary. A later message opens the review of its card
 * transaction again if the transaction looks wrong.
 */
export type { CardReview }

/** Lists open reviews, newest first. */
export async function listReviews(ctx: Pick<Ctx, 'db'>): Promise<CardReview[]> {
  return scanDueReviews(ctx.db, 100)
}

/** Returns the user of an open review; null if no review with this id is open. */
export async function findReview(db: Queryable, refId: string): Promise<string | null> {
  return isId(refId) ? scanDueReviewUser(db, refId) : null
}

/**
 * Closes a review and stores who closed it, and when. Moves no money. A deferred message stays deferred. Returns false
 * if the review is not open.
 */
export async function finishReview(ctx: Pick<Ctx, 'db' | 'clock'>, refId: string, doneBy: string): Promise<boolean> {
  const userId = await findReview(ctx.db, refId)
  if (userId === null) return false
  return ctx.db.transaction(async (tx) => {
    await lockAccount(tx, userId)
    const isDone = (await clearTransactionReview(tx, userId, refId)) || (await clearMessageReview(tx, userId, refId))
    const now = ctx.clock.now()
    if (isDone) await insertReview(tx, userId, { reviewId: newId(now), refId, doneBy, doneAt: now })
    return isDone
  })
}

export async function measureReviews(ctx: Ctx): Promise<void> {
  const { openReviews, openReviewSeconds } = ctx.metrics
  const now = ctx.clock.now()
  for (const { kind, reviews, oldest } of await scanDueReviewCounts(ctx.db)) {
    openReviews.set({ kind }, Number(reviews))
    openReviewSeconds.set({ kind }, secondsSince(oldest, now))
  }
}
