import type { Chore } from '../../platform/jobs/jobs.ts'
import { deleteExpiredEmailCodes } from './registration.ts'

export const emailCodeChore: Chore = {
  name: 'delete expired email codes',
  everySeconds: () => 60,
  run: deleteExpiredEmailCodes,
}
