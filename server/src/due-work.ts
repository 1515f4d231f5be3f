import { nonceChore } from './auth/jobs.ts'
import { holdExpiryWork, holdGauges, reviewGauges } from './card-transactions/jobs.ts'
import { cardWork } from './cards/jobs.ts'
import { erasureWork } from './closing/jobs.ts'
import { depositWork, screeningGauges } from './deposits/jobs.ts'
import { ibanWork } from './ibans/jobs.ts'
import type { Chore, DueWork } from './jobs/jobs.ts'
import { applicantWork } from './kyc/jobs.ts'
import { debtGauges } from './ledger/jobs.ts'
import { emailCodeChore } from './onboarding/jobs.ts'
import { reconcileChore, sealChore } from './reconcile/jobs.ts'
import { chainPaceChore } from './sandbox/jobs.ts'
import { sweepChore } from './sweeps/jobs.ts'
import { incomingTransferWork } from './watcher/jobs.ts'
import { oldEventsChore, webhookChore, webhookGauges } from './webhooks/jobs.ts'
import { lostPayoutChore, payoutGauges, withdrawalWork } from './withdrawals/jobs.ts'

/** Every kind of follow-up work, and every chore. A new one is a line here. */
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
  sealChore,
  reconcileChore,
  holdGauges,
  reviewGauges,
  screeningGauges,
  debtGauges,
  webhookChore,
  oldEventsChore,
  webhookGauges,
  payoutGauges,
  lostPayoutChore,
  chainPaceChore,
  sweepChore,
]
