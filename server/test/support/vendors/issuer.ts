import { randomUUID } from 'node:crypto'
import { signBody } from '../../../src/platform/crypto/body-signature.ts'
import type { Reply, TestService } from '../service.ts'

export const issuerKey = { id: 'sandbox', secret: 'purser-sandbox-issuer-key-never-in-production' }

export type Signing = {
  key?: { id: string; secret: string }
  /** seconds before the service's now; negative: after it */
  age?: number
  type?: string
  headers?: Record<string, string>
}

/** Sends a body as a card processor does, signed byte for byte. */
export async function sendSigned(
  service: TestService,
  path: string,
  body: string,
  { key = issuerKey, age = 0, type = 'application/json', headers = {} }: Signing = {},
): Promise<Reply> {
  const timestamp = String(Math.floor(service.ctx.clock.now().getTime() / 1000) - age)
  return service.request('POST', `/issuer/v1/${path}`, {
    body,
    headers: {
      'content-type': type,
      'x-issuer-key-id': key.id,
      'x-issuer-timestamp': timestamp,
      'x-issuer-signature': `v1=${signBody(key.secret, timestamp, body)}`,
      ...headers,
    },
  })
}

/** Sends one signed message, with a new event id unless it has one. */
export function sendMessage(service: TestService, path: string, message: object, signing?: Signing): Promise<Reply> {
  return sendSigned(service, path, JSON.stringify({ eventId: randomUUID(), ...message }), signing)
}

/** The path under `/issuer/v1/` of each type of card message. */
export const messagePaths: Readonly<Record<string, string>> = {
  authorization: 'authorizations',
  incremental: 'authorizations',
  replacement: 'authorizations',
  single_message: 'authorizations',
  advice: 'advices',
  reversal: 'reversals',
  clearing: 'clearings',
  clearing_cancellation: 'clearings',
  refund: 'refunds',
  refund_reversal: 'refunds',
}
