import type { IncomingHttpHeaders } from 'node:http'
import type { KycStatus } from '../../lib/kyc-status.ts'

/** A verified person. Dates as `YYYY-MM-DD`, countries as ISO 3166 alpha-2; what is not known is empty. */
export type VerifiedPerson = {
  readonly firstName: string
  readonly lastName: string
  readonly birthDate: string
  readonly nationality: string
  readonly street: string
  readonly city: string
  readonly postalCode: string
  readonly country: string
}

/** Somebody as the provider knows them; `person` is null until they are approved. */
export type Applicant = {
  readonly applicantId: string
  readonly status: KycStatus
  readonly person: VerifiedPerson | null
}

export type ApplyingUser = { readonly userId: string; readonly email: string | null }

/** Identity verification. A failure, or no answer in time, is an `UpstreamError`. */
export type KycProvider = {
  /** The provider's id of the user: the same one whenever it is asked. */
  createApplicant(user: ApplyingUser): Promise<string>
  /** The page where the user proves who they are. */
  verificationUrl(user: ApplyingUser): Promise<string>
  /** What the provider thinks now. */
  readApplicant(applicantId: string): Promise<Applicant>
  /** Somebody approved whom a partner has shared with us; null: the token is not good for one. */
  importApplicant(shareToken: string): Promise<Applicant | null>
  /** A token with which the partner client can import our applicant. A secret. */
  shareApplicant(request: { applicantId: string; forClientId: string; ttlSeconds: number }): Promise<string>
  /** Whom a callback is about, if about anybody; null: the provider has not signed it. */
  readCallback(headers: IncomingHttpHeaders, body: Uint8Array): { readonly applicantId: string | null } | null
}
