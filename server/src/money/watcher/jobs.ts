import type { DueWork } from '../../platform/jobs/jobs.ts'
import { followDueTransfers } from './watcher.ts'

/** Claimed by user: all that the books owe the transfers of one is written together. */
export const incomingTransferWork: DueWork = {
  table: 'incoming_transfer',
  id: 'user_id',
  run: (ctx, { userId }) => followDueTransfers(ctx, userId),
}
