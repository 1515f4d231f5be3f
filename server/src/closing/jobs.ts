import type { DueWork } from '../platform/jobs/jobs.ts'
import { eraseUser } from './closing.ts'

/** The time that the law wants it kept is over. */
export const erasureWork: DueWork = {
  table: 'app_user',
  id: 'user_id',
  run: (ctx, { userId }) => eraseUser(ctx, userId),
}
