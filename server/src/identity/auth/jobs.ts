import type { Chore } from '../../platform/jobs/jobs.ts'
import { forgetExpiredNonces } from './auth.ts'

export const nonceChore: Chore = { name: 'forget expired nonces', everySeconds: () => 300, run: forgetExpiredNonces }
