import type { KycStatus } from '../../lib/kyc-status.ts'
import type { AccountStatus } from '../../lib/user-status.ts'

/** What a bank must know of the person to whom it gives a number. */
const identity = ['firstName', 'lastName', 'birthDate', 'street', 'city', 'postalCode'] as const

/** Who asks for an IBAN; null: not known. */
export type Applicant = Readonly<Record<(typeof identity)[number] | 'country' | 'nationality', string | null>> & {
  readonly kycStatus: KycStatus
  readonly account: { readonly currency: string; readonly status: AccountStatus } | null
}

/** Whom a bank is told of; null: something that it must know is missing. */
export function bankPerson({ country, nationality, ...applicant }: Applicant) {
  const { firstName, lastName, birthDate, street, city, postalCode } = applicant
  if (!firstName || !lastName || !birthDate || !street || !city || !postalCode || !country || !nationality) return null
  return { firstName, lastName, birthDate, street, city, postalCode, country, nationality }
}

export type IbanStatus = 'pending' | 'assigned' | 'refused'

/** As clients of the field know them. What was refused can be started again. */
export const shownStatuses = {
  none: 'NOTSTARTED',
  refused: 'NOTSTARTED',
  pending: 'PENDING',
  assigned: 'ASSIGNED',
} as const satisfies Record<IbanStatus | 'none', string>

/** IBANs hold euros, for verified people who live in, and are nationals of, the supported countries. */
export function isEligible(applicant: Applicant, supportedCountries: readonly string[]): boolean {
  const { kycStatus, account, country, nationality } = applicant
  return (
    kycStatus === 'approved' &&
    account?.status === 'active' &&
    account.currency === 'EUR' &&
    bankPerson(applicant) !== null &&
    [country, nationality].every((code) => code !== null && supportedCountries.includes(code))
  )
}
