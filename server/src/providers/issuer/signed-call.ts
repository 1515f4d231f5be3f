import type { Static, TSchema } from 'typebox'
import type { Clock } from '../../lib/clock.ts'
import type { SigningKey } from '../../lib/signing-key.ts'
import { signRequest } from '../../platform/crypto/body-signature.ts'
import { call, parseResponse, requireSuccess } from '../../platform/net/http-call.ts'

/** The URL of a card processor and the key that signs requests to it. */
export type Processor = { readonly url: string; readonly key: SigningKey }

type Call = (method: 'POST' | 'PUT', path: string, content: object, more?: Record<string, string>) => Promise<string>

const port = 'issuer'

/** Signs calls as docs/issuer-gateway.md specifies. After a rejection, failure or timeout the outcome is unknown. */
export function createSignedCall({ url, key }: Processor, clock: Clock): Call {
  return async (method, path, content, more = {}) => {
    const body = JSON.stringify(content)
    const target = `${url}${path}`
    const timestamp = String(Math.floor(clock.now().getTime() / 1000))
    const headers = {
      'content-type': 'application/json',
      'x-issuer-key-id': key.id,
      'x-issuer-timestamp': timestamp,
      'x-issuer-signature': `v2=${signRequest(key.secret, { method, path: new URL(target).pathname, timestamp, body })}`,
      ...more,
    }
    return requireSuccess(port, await call({ port, method, url: target, body, headers }))
  }
}

export function parseIssuerResponse<T extends TSchema>(schema: T, text: string): Static<T> {
  return parseResponse(port, schema, text)
}
