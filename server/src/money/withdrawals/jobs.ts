import type { Chore, DueWork } from '../../platform/jobs/jobs.ts'
import { measurePayouts } from './payout-wallet.ts'
import { advanceWithdrawal } from './payouts.ts'
import { findLostPayouts } from './recover-payouts.ts'

/** Pays withdrawals and follows their payouts until they are final. */
export const withdrawalWork: DueWork = {
  table: 'withdrawal',
  id: 'withdrawal_id',
  async run(ctx, key) {
    await advanceWithdrawal(ctx, key)
  },
}

export const payoutGauges: Chore = {
  name: 'measure payouts',
  everySeconds: () => 60,
  run: measurePayouts,
}

export const lostPayoutChore: Chore = {
  name: 'recover lost payouts',
  everySeconds: () => 60,
  run: findLostPayouts,
}
