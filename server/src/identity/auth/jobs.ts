import type { Chore } from '../../platform/jobs/jobs.ts'
import { deleteOldNonces } from './auth.ts'

export const nonceChore: Chore = { name: 'delete expired nonces', everySeconds: () => 300, run: deleteOldNonces }
