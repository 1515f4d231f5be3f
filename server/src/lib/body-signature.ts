import { createHmac, timingSafeEqual } from 'node:crypto'

/** A shared secret and the name that both sides know it by. */
export type SigningKey = { readonly id: string; readonly secret: string }

/** HMAC-SHA256 over the timestamp (Unix seconds), a full stop and the bytes of the body; lower-case hex. */
export function signBody(secret: string, timestamp: string, body: string | Uint8Array): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
}

/** Whether one of the hex texts is the signature; takes as long whichever it is. */
export function isSigned(
  secret: string,
  timestamp: string,
  body: string | Uint8Array,
  candidates: readonly string[],
): boolean {
  const wanted = Buffer.from(signBody(secret, timestamp, body), 'hex')
  let isFound = false
  for (const candidate of candidates) {
    const given = Buffer.from(candidate, 'hex')
    if (given.length === wanted.length && timingSafeEqual(given, wanted)) isFound = true
  }
  return isFound
}
