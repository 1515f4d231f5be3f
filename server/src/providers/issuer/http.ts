import { Type } from 'typebox'
import type { Clock } from '../../lib/clock.ts'
import type { IssuerProvider } from './issuer.ts'
import { createSignedCall, type Processor, parseIssuerResponse } from './signed-call.ts'

const MadeCard = Type.Object({
  cardToken: Type.String({ pattern: '^[!-~]{1,200}$' }),
  last4: Type.String({ pattern: '^[0-9]{4}$' }),
  expiryMonth: Type.Integer({ minimum: 1, maximum: 12 }),
  expiryYear: Type.Integer({ minimum: 2000, maximum: 9999 }),
})

/**
 * A card processor over HTTP, by the contract of docs/issuer-gateway.md. Making a card carries our id of it as the key;
 * a status is put, so that it may be told again. What the processor has after a failure is unknown, and due work tries
 * again.
 */
export function createHttpIssuer(processor: Processor, clock: Clock): IssuerProvider {
  const call = createSignedCall(processor, clock)

  return {
    async createCard(request) {
      const text = await call('POST', '/v1/cards', request, { 'idempotency-key': request.cardId })
      // What is in the answer besides is not kept: it could be a card number.
      const { cardToken, last4, expiryMonth, expiryYear } = parseIssuerResponse(MadeCard, text)
      return { cardToken, last4, expiryMonth, expiryYear }
    },
    async setCardStatus(cardToken, status) {
      await call('PUT', `/v1/cards/${encodeURIComponent(cardToken)}/status`, { status })
    },
  }
}
