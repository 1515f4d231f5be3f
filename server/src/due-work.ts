import { cardGauges, cardWork } from './cards/cards/jobs.ts'
import { holdExpiryWork, holdGauges, reviewGauges } from './cards/transactions/jobs.ts'
import { erasureWork } from './closing/jobs.ts'
import { nonceChore } from './identity/auth/jobs.ts'
import { applicantWork } from './identity/kyc/jobs.ts'
import { emailCodeChore } from './identity/onboarding/jobs.ts'
import { debtGauges } from './ledger/jobs.ts'
import { depositWork, screeningGauges } from './money/deposits/jobs.ts'
import { ibanWork } from './money/ibans/jobs.ts'
import { reconcileChore, sealChore } from './money/reconcile/jobs.ts'
import { sweepChore } from './money/sweeps/jobs.ts'
import { incomingTransferWork } from './money/watcher/jobs.ts'
import { releaseWatchedChains } from './money/watcher/watcher.ts'
import { lostPayoutChore, payoutGauges, withdrawalWork } from './money/withdrawals/jobs.ts'
import { breakGlassGauge } from './operators/jobs.ts'
import { activityChore, oldRequestsChore } from './partners/jobs.ts'
import { releaseKeys } from './platform/idempotency/idempotency.ts'
import { idempotencyChore } from './platform/idempotency/jobs.ts'
import { type Chore, type DueWork, releaseDueWork } from './platform/jobs/jobs.ts'
import type { ReleaseLeases } from './platform/processes/processes.ts'
import { chainPaceChore } from './sandbox/jobs.ts'
import { switchGauges } from './switches/jobs.ts'
import { releaseLeasedDeliveries } from './webhooks/delivery.ts'
import { deliveryEndChore, expiredEventsChore, webhookChore, webhookGauges } from './webhooks/jobs.ts'

/** Every kind of due work, and every chore. Add new ones here. */
export const dueWorks: readonly DueWork[] = [
  cardWork,
  holdExpiryWork,
  incomingTransferWork,
  depositWork,
  withdrawalWork,
  applicantWork,
  ibanWork,
  erasureWork,
]
export const chores: readonly Chore[] = [
  nonceChore,
  emailCodeChore,
  idempotencyChore,
  sealChore,
  reconcileChore,
  cardGauges,
  holdGauges,
  reviewGauges,
  screeningGauges,
  debtGauges,
  webhookChore,
  expiredEventsChore,
  deliveryEndChore,
  webhookGauges,
  payoutGauges,
  lostPayoutChore,
  chainPaceChore,
  sweepChore,
  switchGauges,
  breakGlassGauge,
  activityChore,
  oldRequestsChore,
]

/** Every kind of lease that a killed process may leave behind. */
export const leases: readonly ReleaseLeases[] = [
  releaseKeys,
  async (ctx, deadProcess) => {
    // Only the database role of a worker has the privileges. Elsewhere, due work waits until its lease ends.
    if (ctx.config.roles.includes('worker')) await releaseDueWork(ctx, dueWorks, deadProcess)
  },
  releaseWatchedChains,
  releaseLeasedDeliveries,
]
