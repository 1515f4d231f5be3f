import type { Chore, DueWork } from '../../platform/jobs/jobs.ts'
import { countOverdue } from '../../platform/jobs/overdue.ts'
import { expireHold } from './holds.ts'
import { measureReviews } from './reviews.ts'

/** Ends holds that have expired. */
export const holdExpiryWork: DueWork = {
  table: 'card_transaction',
  id: 'card_transaction_id',
  run: (ctx, { userId, id }) => expireHold(ctx, userId, id),
}

export const holdGauges: Chore = {
  name: 'measure overdue holds',
  everySeconds: () => 60,
  run: async (ctx) => ctx.metrics.overdueHolds.set(await countOverdue(ctx, holdExpiryWork)),
}
export const reviewGauges: Chore = { name: 'measure open reviews', everySeconds: () => 60, run: measureReviews }
