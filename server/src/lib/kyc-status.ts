/** The states of an applicant's identity verification. */
export const kycStatuses = [
  'notStarted',
  'documentsRequested',
  'pending',
  'processing',
  'approved',
  'resubmissionRequested',
  'requiresAction',
  'rejected',
] as const
export type KycStatus = (typeof kycStatuses)[number]
