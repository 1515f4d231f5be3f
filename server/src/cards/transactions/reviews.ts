import type { Ctx } from '../../context.ts'
import { lockAccount } from '../../identity/users/users.ts'
import { secondsSince } from '../../lib/clock.ts'
import { newId } from '../../lib/id.ts'
import {
  clearMessageReview,
  clearTransactionReview,
  insertReview,
  type Review,
  scanDueReviewCounts,
  scanDueReviews,
  scanDueReviewUser,
} from './review-sql.ts'

/**
 * What a person should look at: card transactions that were posted all the same, and messages that were kept. Owns
 * `review`. It is open until somebody says that it is done; a later message that brings another reason opens it again.
 */
export type { Review }

/** Newest first. */
export async function listReviews(ctx: Pick<Ctx, 'db'>): Promise<Review[]> {
  return scanDueReviews(ctx.db, 100)
}

/** Who looked at it, and when, is kept. Moves nothing: a kept message goes on waiting. False: there is none to be done. */
export async function finishReview(ctx: Pick<Ctx, 'db' | 'clock'>, refId: string, doneBy: string): Promise<boolean> {
  const userId = await scanDueReviewUser(ctx.db, refId)
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
