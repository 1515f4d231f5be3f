import type { DueWork } from '../../platform/jobs/jobs.ts'
import { refreshApplicant } from './kyc.ts'

/** What the provider of identity verification thinks is asked when it calls, and while it decides. */
export const applicantWork: DueWork = {
  table: 'kyc_applicant',
  id: 'user_id',
  run: refreshApplicant,
}
