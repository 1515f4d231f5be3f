import { Type } from 'typebox'
import type { Clock } from '../../lib/clock.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { createSignedCall, type Processor, parseIssuerResponse } from '../issuer/signed-call.ts'
import type { CardDetailsProvider } from './card-details.ts'

const Details = Type.Object({
  number: Type.String({ pattern: '^[0-9]{12,19}$' }),
  expiryMonth: Type.Integer({ minimum: 1, maximum: 12 }),
  expiryYear: Type.Integer({ minimum: 2000, maximum: 9999 }),
  securityCode: Type.String({ pattern: '^[0-9]{3,4}$' }),
})

const Pin = Type.Object({ pin: Type.String({ pattern: '^[0-9]{4,12}$' }) })

/**
 * Reads card data from a card processor, as docs/issuer-gateway.md specifies. The signed body names the card, so that a
 * signature is useless for another request. The method is POST, so that no intermediary caches the response.
 */
export function createHttpCardDetails(processor: Processor, clock: Clock): CardDetailsProvider {
  const call = createSignedCall(processor, clock)
  const pathOf = (cardToken: string, part: string) => `/v1/cards/${encodeURIComponent(cardToken)}/${part}`

  return {
    async readDetails({ cardToken, last4 }) {
      const text = await call('POST', pathOf(cardToken, 'details'), { type: 'card_details', cardToken })
      const { number, expiryMonth, expiryYear, securityCode } = parseIssuerResponse(Details, text)
      if (!number.endsWith(last4))
        throw new UpstreamError('issuer', 'inconsistent', new Error('the number belongs to another card'))
      return { number, expiryMonth, expiryYear, securityCode }
    },
    async readPin({ cardToken }) {
      const text = await call('POST', pathOf(cardToken, 'pin'), { type: 'card_pin', cardToken })
      return parseIssuerResponse(Pin, text).pin
    },
  }
}
