import type { DueWork } from '../../platform/jobs/jobs.ts'
import { refreshApplicant } from './kyc.ts'

/** Refreshes applicants after a callback, and regularly while the KYC provider reviews them. */
export const applicantWork: DueWork = {
  table: 'kyc_applicant',
  id: 'user_id',
  run: refreshApplicant,
}
