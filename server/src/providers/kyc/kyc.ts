/** A verified person. Dates as `YYYY-MM-DD`, countries as ISO 3166 alpha-2. */
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

/** Identity verification. A failure, or no answer in time, is an `UpstreamError`. */
export type KycProvider = {
  /** The page where the user proves who they are. */
  verificationUrl(userId: string): Promise<string>
  /** The person that a partner has verified and shared with us; null: the token is not good for one. */
  importApplicant(shareToken: string): Promise<VerifiedPerson | null>
  /** A token with which the partner client can import our applicant. A secret. */
  shareApplicant(request: { userId: string; forClientId: string; ttlSeconds: number }): Promise<string>
}
