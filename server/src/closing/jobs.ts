import type { DueWork } from '../platform/jobs/jobs.ts'
import { eraseUser } from './closing.ts'

/** Erases closed users when their retention period ends. */
export const erasureWork: DueWork = {
  table: 'app_user',
  id: 'user_id',
  async run(ctx, { userId }) {
    await eraseUser(ctx, userId)
  },
}
