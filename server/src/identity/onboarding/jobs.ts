import type { Chore } from '../../platform/jobs/jobs.ts'
import { forgetExpiredCodes } from './registration.ts'

export const emailCodeChore: Chore = {
  name: 'forget expired e-mail codes',
  everySeconds: () => 60,
  run: forgetExpiredCodes,
}
