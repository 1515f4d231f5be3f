import type { VerifiedPerson } from '../kyc/kyc.ts'

/** Who wants a number, and the wallet that has signed `ibanSigningMessage` and is paid. */
export type IbanRequest = {
  readonly userId: string
  readonly person: VerifiedPerson
  /** EIP-55 */
  readonly address: string
  readonly signature: string
  /** A token that shares the person's identity verification with a client of its provider; null: there is none to share. */
  readonly share: ((forClientId: string) => Promise<string>) | null
}

export type AssignedIban = { readonly iban: string; readonly bic: string }

/** `pending`: the provider is at it, or waits for its own checks. `refused`: it will not, or the signature is none. */
export type IbanAnswer = AssignedIban | 'pending' | 'refused'

/** Bank account numbers. A failure, or no answer in time, is an `UpstreamError`. */
export type IbanProvider = {
  /** Does what can be done now. Repeatable: the same user gets one number, however often it is asked for. */
  advance(request: IbanRequest): Promise<IbanAnswer>
}

/** The words that providers want signed, to the letter. */
export const ibanSigningMessage = 'I hereby declare that I am the address owner.'
