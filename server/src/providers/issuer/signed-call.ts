import type { Static, TSchema } from 'typebox'
import type { Clock } from '../../lib/clock.ts'
import type { SigningKey } from '../../lib/signing-key.ts'
import { signBody } from '../../platform/crypto/body-signature.ts'
import { call, parseResponse, requireSuccess } from '../../platform/net/http-call.ts'

/** Where a card processor is, and the key that our calls there are signed with. */
export type Processor = { readonly url: string; readonly key: SigningKey }

type Call = (method: 'POST' | 'PUT', path: string, content: object, more?: Record<string, string>) => Promise<string>

const port = 'issuer'

/** Calls by docs/issuer-gateway.md. A refusal, a failure and no answer in time mean the same: what came of it is unknown. */
export function createSignedCall({ url, key }: Processor, clock: Clock): Call {
  return async (method, path, content, more = {}) => {
    const body = JSON.stringify(content)
    const timestamp = String(Math.floor(clock.now().getTime() / 1000))
    const headers = {
      'content-type': 'application/json',
      'x-issuer-key-id': key.id,
      'x-issuer-timestamp': timestamp,
      'x-issuer-signature': `v1=${signBody(key.secret, timestamp, body)}`,
      ...more,
    }
    return requireSuccess(port, await call({ port, method, url: `${url}${path}`, body, headers }))
  }
}

export function parseIssuerResponse<T extends TSchema>(schema: T, text: string): Static<T> {
  return parseResponse(port, schema, text)
}
