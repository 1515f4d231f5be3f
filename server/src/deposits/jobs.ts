import type { Chore, DueWork } from '../jobs/jobs.ts'
import { advanceDeposit, measureScreenings } from './deposits.ts'

/** Finality and screening are asked for until both have answered: a provider that is down only delays the credit. */
export const depositWork: DueWork = {
  table: 'deposit',
  id: 'deposit_id',
  async run(ctx, key) {
    await advanceDeposit(ctx, key)
  },
}

export const screeningGauges: Chore = {
  name: 'measure waiting screenings',
  everySeconds: () => 60,
  run: measureScreenings,
}
