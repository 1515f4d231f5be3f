import type { DueWork } from '../../platform/jobs/jobs.ts'
import { followDueTransfers } from './watcher.ts'

/** The lease is per user, so that all due transfers of one user are written together. */
export const incomingTransferWork: DueWork = {
  table: 'incoming_transfer',
  id: 'user_id',
  run: (ctx, { userId }) => followDueTransfers(ctx, userId),
}
