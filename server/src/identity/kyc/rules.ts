// pure
import type { KycStatus } from '../../lib/kyc-status.ts'

const daySeconds = 86_400
const reviewPollSeconds = 3600
const maxPollSeconds = 30 * daySeconds

/**
 * Returns the maximum time until the provider is asked again, in seconds. It is an hour during a KYC review. Otherwise
 * it is a tenth of the time since the applicant was created, but at least a day and at most 30 days. So millions of
 * applicants cause few requests per second.
 */
export function secondsToNextPoll(status: KycStatus, ageSeconds: number): number {
  if (status === 'pending' || status === 'processing') return reviewPollSeconds
  return Math.min(maxPollSeconds, Math.max(daySeconds, Math.floor(ageSeconds / 10)))
}
