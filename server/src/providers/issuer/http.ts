import { Type } from 'typebox'
import { type SigningKey, signBody } from '../../lib/body-signature.ts'
import type { Clock } from '../../lib/clock.ts'
import { call, readAnswer, requireSuccess } from '../http-call.ts'
import type { IssuerProvider } from './issuer.ts'

const port = 'issuer'

const MadeCard = Type.Object({
  cardToken: Type.String({ pattern: '^[!-~]{1,200}$' }),
  last4: Type.String({ pattern: '^[0-9]{4}$' }),
  expiryMonth: Type.Integer({ minimum: 1, maximum: 12 }),
  expiryYear: Type.Integer({ minimum: 2000, maximum: 9999 }),
})

/**
 * A card processor over HTTP, by the contract of docs/issuer-gateway.md. Making a card carries our id of it as the key;
 * a status is put, so that it may be told again. A refusal, a failure and no answer in time all mean the same to the
 * caller: what the processor has is unknown, and due work tries again.
 */
export function createHttpIssuer({ url, key }: { url: string; key: SigningKey }, clock: Clock): IssuerProvider {
  function send(method: 'POST' | 'PUT', path: string, content: object, more: Record<string, string> = {}) {
    const body = JSON.stringify(content)
    const timestamp = String(Math.floor(clock.now().getTime() / 1000))
    return call({
      port,
      method,
      url: `${url}${path}`,
      body,
      headers: {
        'content-type': 'application/json',
        'x-issuer-key-id': key.id,
        'x-issuer-timestamp': timestamp,
        'x-issuer-signature': `v1=${signBody(key.secret, timestamp, body)}`,
        ...more,
      },
    })
  }

  return {
    async createCard(request) {
      const answer = await send('POST', '/v1/cards', request, { 'idempotency-key': request.cardId })
      // What is in the answer besides is not kept: it could be a card number.
      const { cardToken, last4, expiryMonth, expiryYear } = readAnswer(port, MadeCard, answer)
      return { cardToken, last4, expiryMonth, expiryYear }
    },
    async setCardStatus(cardToken, status) {
      requireSuccess(port, await send('PUT', `/v1/cards/${encodeURIComponent(cardToken)}/status`, { status }))
    },
  }
}
