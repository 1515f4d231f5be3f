// pure
import type { KycStatus } from '../../lib/kyc-status.ts'
import type { AccountStatus } from '../../lib/user-status.ts'

/** The personal data that a bank requires in addition to country and nationality. */
const requiredFields = ['firstName', 'lastName', 'birthDate', 'street', 'city', 'postalCode'] as const

/** A user who requests an IBAN. Unknown fields are null. */
export type IbanApplicant = Readonly<
  Record<(typeof requiredFields)[number] | 'country' | 'nationality', string | null>
> & {
  readonly kycStatus: KycStatus
  readonly account: { readonly currency: string; readonly status: AccountStatus } | null
}

/** Returns the personal data that banks require, or null if a field is missing. */
export function personForBank({ country, nationality, ...applicant }: IbanApplicant) {
  const { firstName, lastName, birthDate, street, city, postalCode } = applicant
  if (!firstName || !lastName || !birthDate || !street || !city || !postalCode || !country || !nationality) return null
  return { firstName, lastName, birthDate, street, city, postalCode, country, nationality }
}

export const ibanStatuses = ['pending', 'assigned', 'refused'] as const
export type IbanStatus = (typeof ibanStatuses)[number]

/** The wire names of the states. A rejected request is shown as not started, because it can be repeated. */
export const wireStatuses = {
  none: 'NOTSTARTED',
  refused: 'NOTSTARTED',
  pending: 'PENDING',
  assigned: 'ASSIGNED',
} as const satisfies Record<IbanStatus | 'none', string>

/**
 * Returns whether the user may have an IBAN: a verified resident and national of supported countries with a euro
 * account.
 */
export function isEligible(applicant: IbanApplicant, supportedCountries: readonly string[]): boolean {
  const { kycStatus, account, country, nationality } = applicant
  return (
    kycStatus === 'approved' &&
    account?.status === 'active' &&
    account.currency === 'EUR' &&
    personForBank(applicant) !== null &&
    [country, nationality].every((code) => code !== null && supportedCountries.includes(code))
  )
}
