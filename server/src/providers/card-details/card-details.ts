import type { IssuedCard } from '../issuer/issuer.ts'

/** The printed data of a card. It may only go to the secure frame: never to a log, a table or a JSON body. */
export type CardDetails = {
  /** 12 to 19 digits. */
  readonly number: string
  readonly expiryMonth: number
  readonly expiryYear: number
  /** 3 or 4 digits. */
  readonly securityCode: string
}

/** Reads card numbers and PINs. A failure, or a response about another card, is an `UpstreamError`. */
export type CardDetailsProvider = {
  readDetails(card: IssuedCard): Promise<CardDetails>
  /** Returns 4 to 12 digits. */
  readPin(card: IssuedCard): Promise<string>
}
