export type CardRequest = {
  /** Our id of the card, and the issuer's idempotency key: the same request again is the same card. */
  readonly cardId: string
  readonly cardholder: {
    readonly userId: string
    readonly firstName: string | null
    readonly lastName: string | null
    /** E.164 */
    readonly phone: string
  }
  readonly cardName: string
  readonly currency: string
}

/** What may be kept of a card. Its number and its code never pass here. */
export type IssuedCard = {
  readonly cardToken: string
  readonly last4: string
  readonly expiryMonth: number
  readonly expiryYear: number
}

/** The card processor. Every call may be repeated; a failure, or no answer in time, is an `UpstreamError`. */
export type IssuerProvider = {
  createCard(request: CardRequest): Promise<IssuedCard>
  setCardStatus(cardToken: string, status: 'active' | 'blocked' | 'canceled'): Promise<void>
}
