import type { Chore, DueWork } from '../../platform/jobs/jobs.ts'
import { advanceDeposits, measureScreenings } from './deposits.ts'

/**
 * Checks deposits until they are final and screened. A provider that is down only delays the credit. The lease is
 * per user, so that all due deposits of one user are checked and written together.
 */
export const depositWork: DueWork = {
  table: 'deposit',
  id: 'user_id',
  run: (ctx, { userId }) => advanceDeposits(ctx, userId),
}

export const screeningGauges: Chore = {
  name: 'measure pending screenings',
  everySeconds: () => 60,
  run: measureScreenings,
}
