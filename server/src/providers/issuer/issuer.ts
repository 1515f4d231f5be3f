export type CardRequest = {
  /** Our id of the card, also the idempotency key at the issuer. */
  readonly cardId: string
  readonly cardholder: {
    readonly userId: string
    readonly firstName: string | null
    readonly lastName: string | null
    /** In E.164 form. */
    readonly phone: string
  }
  readonly cardName: string
  readonly currency: string
}

/** The card data that may be stored. The card number and security code never pass through this port. */
export type IssuedCard = {
  readonly cardToken: string
  readonly last4: string
  readonly expiryMonth: number
  readonly expiryYear: number
}

/** The statuses that Purser reports to the issuer. The last three are final. */
export type ReportedStatus = 'active' | 'blocked' | 'canceled' | 'lost' | 'stolen'

/** The card processor. Every call is idempotent. A failure or a timeout is an `UpstreamError`. */
export type IssuerProvider = {
  createCard(request: CardRequest): Promise<IssuedCard>
  setCardStatus(cardToken: string, status: ReportedStatus): Promise<void>
}
