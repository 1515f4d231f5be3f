import type { Chore, DueWork } from '../../platform/jobs/jobs.ts'
import { advanceDeposits, measureScreenings } from './deposits.ts'

/**
 * Finality and screening are asked for until both have answered: a provider that is down only delays the credit.
 * Claimed by user: all that is due of one is asked and written together.
 */
export const depositWork: DueWork = {
  table: 'deposit',
  id: 'user_id',
  run: (ctx, { userId }) => advanceDeposits(ctx, userId),
}

export const screeningGauges: Chore = {
  name: 'measure waiting screenings',
  everySeconds: () => 60,
  run: measureScreenings,
}
