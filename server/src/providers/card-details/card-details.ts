import type { IssuedCard } from '../issuer/issuer.ts'

/** What is printed on a card. Only ever on its way into the owner's frame: in no log, no table, no JSON body. */
export type CardDetails = {
  /** 12 to 19 digits */
  readonly number: string
  readonly expiryMonth: number
  readonly expiryYear: number
  /** 3 or 4 digits */
  readonly securityCode: string
}

/** Whoever keeps the numbers of the cards. A failure, or an answer about another card, is an `UpstreamError`. */
export type CardDetailsProvider = {
  readDetails(card: IssuedCard): Promise<CardDetails>
  /** 4 to 12 digits */
  readPin(card: IssuedCard): Promise<string>
}
