import type { DueWork } from '../../platform/jobs/jobs.ts'
import { refreshApplicant } from './kyc.ts'

/**
 * Refreshes applicants after a callback, hourly while the KYC provider reviews them, and otherwise daily to monthly.
 */
export const applicantWork: DueWork = {
  table: 'kyc_applicant',
  id: 'user_id',
  run: refreshApplicant,
}
