import type { Static, TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { type SigningKey, signBody } from '../../lib/body-signature.ts'
import type { Clock } from '../../lib/clock.ts'
import { UpstreamError } from '../../lib/refusal.ts'

/** Where a card processor is, and the key that our calls there are signed with. */
export type Processor = { readonly url: string; readonly key: SigningKey }

type Call = (method: 'POST' | 'PUT', path: string, content: object, more?: Record<string, string>) => Promise<string>

const deadlineMilliseconds = 3_000
const largestAnswer = 64 * 1024

/** Calls by docs/issuer-gateway.md. A refusal, a failure and no answer in time mean the same: what came of it is unknown. */
export function createSignedCall({ url, key }: Processor, clock: Clock): Call {
  return async (method, path, content, more = {}) => {
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

/** No error quotes the answer, which can hold a card number. */
export function parseAnswer<T extends TSchema>(schema: T, text: string): Static<T> {
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
