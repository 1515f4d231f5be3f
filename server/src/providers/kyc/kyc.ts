import type { IncomingHttpHeaders } from 'node:http'
import type { KycStatus } from '../../lib/kyc-status.ts'

/** A verified person. Dates are `YYYY-MM-DD`, countries ISO 3166-1 alpha-2, unknown fields empty. */
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

/** A user as the provider knows them. `person` is null before approval, or if required data is missing. */
export type Applicant = {
  readonly applicantId: string
  readonly status: KycStatus
  readonly person: VerifiedPerson | null
}

export type ApplyingUser = { readonly userId: string; readonly email: string | null }

/** Identity verification. A failure or a timeout is an `UpstreamError`. */
export type KycProvider = {
  /**
   * False: the provider simulates verifications, so other companies cannot import its applicants, and its applicants
   * never change by themselves.
   */
  readonly verifiesPeople: boolean
  /** Returns the provider's id of the user. Idempotent. */
  createApplicant(user: ApplyingUser): Promise<string>
  /** Returns the URL of the page where the user verifies their identity. */
  verificationUrl(user: ApplyingUser & { readonly applicantId: string }): Promise<string>
  /**
   * Returns the applicant's current state. Returns null if the applicant is of no use: the provider has deleted it, or
   * it was imported with incomplete data.
   */
  readApplicant(known: { readonly applicantId: string; readonly userId: string }): Promise<Applicant | null>
  /**
   * Imports an approved applicant that a partner shared. Returns null if the token is invalid, the applicant is not
   * approved, or the data of the person is incomplete. The status is `processing` if the import succeeded, but the
   * applicant could not be read.
   */
  importApplicant(shareToken: string): Promise<Applicant | null>
  /** Returns a share token with which a partner's KYC client can import our applicant. */
  shareApplicant(request: { applicantId: string; forClientId: string; ttlSeconds: number }): Promise<string>
  /** Returns the applicant of a callback, if it names one; null if the signature is invalid. */
  readCallback(headers: IncomingHttpHeaders, body: Uint8Array): { readonly applicantId: string | null } | null
}
