import type { AccountStatus, KycStatus, Person } from '../users/rules.ts'

/** What is known of who asks for an IBAN; null: not known. */
export type Applicant = { readonly [K in keyof Person]: Person[K] | null } & {
  readonly kycStatus: KycStatus
  readonly account: { readonly currency: string; readonly status: AccountStatus } | null
}

/** What a bank must know of the person to whom it gives a number. */
const identity = ['firstName', 'lastName', 'birthDate', 'street', 'city', 'postalCode'] as const

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
