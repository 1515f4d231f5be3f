import { Type } from 'typebox'
import type { Clock } from '../../lib/clock.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { isLuhn } from '../../lib/luhn.ts'
import type { IssuerProvider } from './issuer.ts'
import { createSignedCall, type Processor, parseIssuerResponse } from './signed-call.ts'

const CreatedCard = Type.Object({
  cardToken: Type.String({ pattern: '^[!-~]{1,200}$' }),
  last4: Type.String({ pattern: '^[0-9]{4}$' }),
  expiryMonth: Type.Integer({ minimum: 1, maximum: 12 }),
  expiryYear: Type.Integer({ minimum: 2000, maximum: 9999 }),
})

/**
 * Creates the adapter of a card processor over HTTP, as docs/issuer-gateway.md specifies. Both calls are idempotent:
 * creation by the card id, and the status by PUT. After a failure the outcome is unknown, and due work retries.
 */
export function createHttpIssuer(processor: Processor, clock: Clock): IssuerProvider {
  const call = createSignedCall(processor, clock)

  return {
    async createCard(request) {
      const text = await call('POST', '/v1/cards', request, { 'idempotency-key': request.cardId })
      // Other fields are dropped, since they could contain a card number.
      const { cardToken, last4, expiryMonth, expiryYear } = parseIssuerResponse(CreatedCard, text)
      if (isCardNumber(cardToken)) {
        throw new UpstreamError('issuer', 'invalid_response', new Error('the card token is a card number'))
      }
      return { cardToken, last4, expiryMonth, expiryYear }
    },
    async setCardStatus(cardToken, status) {
      await call('PUT', `/v1/cards/${encodeURIComponent(cardToken)}/status`, { status })
    },
  }
}

/**
 * Returns whether the text could be a card number. Such a text is rejected as a card token, so that no card number is
 * stored (PCI DSS 4.0.1, requirement 3.5.1).
 */
function isCardNumber(text: string): boolean {
  return /^[0-9]{12,19}$/.test(text) && isLuhn(text)
}
