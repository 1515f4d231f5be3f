import type { Chore } from '../../platform/jobs/jobs.ts'
import { sweepDeposits } from './sweeps.ts'

export const sweepChore: Chore = {
  name: 'sweep deposits to the treasury',
  everySeconds: ({ sweeps }) => sweeps.everySeconds,
  run: sweepDeposits,
}
