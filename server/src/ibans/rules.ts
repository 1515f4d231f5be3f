import type { KycStatus } from '../lib/kyc-status.ts'
import type { AccountStatus } from '../users/rules.ts'

/** What a bank must know of the person to whom it gives a number. */
const identity = ['firstName', 'lastName', 'birthDate', 'street', 'city', 'postalCode'] as const

/** Who asks for an IBAN; null: not known. */
export type Applicant = Readonly<Record<(typeof identity)[number] | 'country' | 'nationality', string | null>> & {
  readonly kycStatus: KycStatus
  readonly account: { readonly currency: string; readonly status: AccountStatus } | null
}

/** IBANs hold euros, for verified people who live in, and are nationals of, the supported countries. */
export function isEligible(applicant: Applicant, supportedCountries: readonly string[]): boolean {
  const { kycStatus, account, country, nationality } = applicant
  return (
    kycStatus === 'approved' &&
    account?.status === 'active' &&
    account.currency === 'EUR' &&
    identity.every((field) => (applicant[field] ?? '') !== '') &&
    [country, nationality].every((code) => code !== null && supportedCountries.includes(code))
  )
}
