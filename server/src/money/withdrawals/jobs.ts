import type { Chore, DueWork } from '../../platform/jobs/jobs.ts'
import { measurePayouts } from './payout-wallet.ts'
import { advanceWithdrawal } from './payouts.ts'
import { findLostPayouts } from './recover-payouts.ts'

/** Pays, and follows the payment until the chain has decided: what was not sent, or is not known, is sent again. */
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
  name: 'find payouts that the books do not know',
  everySeconds: () => 60,
  run: findLostPayouts,
}
