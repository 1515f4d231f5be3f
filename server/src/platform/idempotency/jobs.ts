import type { Chore } from '../jobs/jobs.ts'
import { deleteExpired } from './idempotency.ts'

export const idempotencyChore: Chore = {
  name: 'delete expired idempotency keys',
  everySeconds: () => 60,
  run: deleteExpired,
}
