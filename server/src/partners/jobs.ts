import type { Chore } from '../platform/jobs/jobs.ts'
import { deleteOldRequests, writeActivity } from './activity.ts'

/** Processes with an API also write at their own pace: see `observe-partners.ts`. */
export const activityChore: Chore = { name: 'write partner activity', everySeconds: () => 5, run: writeActivity }

export const oldRequestsChore: Chore = {
  name: 'delete old requests of partners',
  everySeconds: () => 3600,
  run: deleteOldRequests,
}
