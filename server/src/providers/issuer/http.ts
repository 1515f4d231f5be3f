import { type Static, type TSchema, Type } from 'typebox'
import { Check } from 'typebox/value'
import { type SigningKey, signBody } from '../../lib/body-signature.ts'
import type { Clock } from '../../lib/clock.ts'
import { UpstreamError } from '../../lib/refusal.ts'
import type { IssuerProvider } from './issuer.ts'

const deadlineMilliseconds = 3_000
const largestAnswer = 64 * 1024

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
  async function call(method: 'POST' | 'PUT', path: string, content: object, more: Record<string, string> = {}) {
    const body = JSON.stringify(content)
    const timestamp = String(Math.floor(clock.now().getTime() / 1000))
    try {
      const response = await fetch(`${url}${path}`, {
        method,
        body,
        redirect: 'error',
        signal: AbortSignal.timeout(deadlineMilliseconds),
        headers: {
          'content-type': 'application/json',
          'x-issuer-key-id': key.id,
          'x-issuer-timestamp': timestamp,
          'x-issuer-signature': `v1=${signBody(key.secret, timestamp, body)}`,
          ...more,
        },
      })
      const text = await readText(response)
      if (response.ok) return text
      throw new Error(`${response.status < 500 ? 'refused' : 'failed'}: ${method} answered ${response.status}`)
    } catch (error) {
      throw new UpstreamError('issuer', error)
    }
  }

  return {
    async createCard(request) {
      const text = await call('POST', '/v1/cards', request, { 'idempotency-key': request.cardId })
      const { cardToken, last4, expiryMonth, expiryYear } = parse(MadeCard, text)
      return { cardToken, last4, expiryMonth, expiryYear }
    },
    async setCardStatus(cardToken, status) {
      await call('PUT', `/v1/cards/${encodeURIComponent(cardToken)}/status`, { status })
    },
  }
}

/** Never more than an answer can need, whoever is at the other end. */
async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > largestAnswer) throw new Error('the answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** What is in the answer besides is not kept: it could be a card number. */
function parse<T extends TSchema>(schema: T, text: string): Static<T> {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    // The parser's own words quote the answer.
    throw new UpstreamError('issuer', new Error('the answer is not JSON'))
  }
  if (!Check(schema, answer)) throw new UpstreamError('issuer', new Error('the answer is not what the contract says'))
  return answer
}
