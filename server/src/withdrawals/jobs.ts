import type { DueWork } from '../jobs/jobs.ts'
import { advanceWithdrawal } from './withdrawals.ts'

/** Pays, and follows the payment until the chain has decided: what was not sent, or is not known, is sent again. */
export const withdrawalWork: DueWork = {
  table: 'withdrawal',
  id: 'withdrawal_id',
  async run(ctx, key) {
    await advanceWithdrawal(ctx, key)
  },
}
