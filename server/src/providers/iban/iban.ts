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
export type IbanResult = AssignedIban | 'pending' | 'refused'

/** Assigns bank account numbers. A failure or a timeout is an `UpstreamError`. */
export type IbanProvider = {
  /** Performs the next steps. Idempotent: repeated calls give a user one number. */
  advance(request: IbanRequest): Promise<IbanResult>
}

/** The exact text that providers require the wallet to sign. */
export const ibanSigningMessage = 'I hereby declare that I am the address owner.'
