import type { VerifiedPerson } from '../kyc/kyc.ts'

/** A user's request for an IBAN, with the wallet that signed `ibanSigningMessage` and receives the funds. */
export type IbanRequest = {
  readonly userId: string
  readonly person: VerifiedPerson
  /** In EIP-55 form. */
  readonly address: string
  readonly signature: string
  /** Returns a share token for a client of the KYC provider; null: no verification can be shared. */
  readonly share: ((forClientId: string) => Promise<string>) | null
}

export type AssignedIban = { readonly iban: string; readonly bic: string }

/** `pending`: the provider is still working on it. `refused`: it rejected the person or the signature. */
export type IbanAnswer = AssignedIban | 'pending' | 'refused'

/** Assigns bank account numbers. A failure or a timeout is an `UpstreamError`. */
export type IbanProvider = {
  /** Performs the next steps. Idempotent: a user gets one number, however often this is called. */
  advance(request: IbanRequest): Promise<IbanAnswer>
}

/** The exact text that providers require the wallet to sign. */
export const ibanSigningMessage = 'I hereby declare that I am the address owner.'
