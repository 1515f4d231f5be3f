import type { DueWork } from '../jobs/jobs.ts'
import { expireHold } from './card-transactions.ts'

/** A hold ends when its lifetime is over. */
export const holdExpiryWork: DueWork = {
  table: 'card_transaction',
  id: 'card_transaction_id',
  run: (ctx, { userId, id }) => expireHold(ctx, userId, id),
}
