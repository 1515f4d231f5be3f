import { createHmac, timingSafeEqual } from 'node:crypto'

/** Returns the HMAC-SHA256, in lower-case hex, of the timestamp (Unix seconds), a period and the body. */
export function signBody(secret: string, timestamp: string, body: string | Uint8Array): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
}

export type SignedRequest = {
  /** in upper case */
  readonly method: string
  /** The path as sent. It begins with the path of the base URL. */
  readonly path: string
  /** Unix seconds */
  readonly timestamp: string
  readonly body: string
}

/**
 * Returns version 2 of the signature, in lower-case hex: HMAC-SHA256 of the lines `v2`, timestamp, method and path, and
 * of the body. A request that names its resource only in the path cannot be replayed to another resource.
 */
export function signRequest(secret: string, { method, path, timestamp, body }: SignedRequest): string {
  return createHmac('sha256', secret).update(['v2', timestamp, method, path, body].join('\n')).digest('hex')
}

/** Returns whether one of the candidates is the signature, in constant time. */
export function isSigned(
  secret: string,
  timestamp: string,
  body: string | Uint8Array,
  candidates: readonly string[],
): boolean {
  const expected = Buffer.from(signBody(secret, timestamp, body), 'hex')
  let isFound = false
  for (const candidate of candidates) {
    const given = Buffer.from(candidate, 'hex')
    if (given.length === expected.length && timingSafeEqual(given, expected)) isFound = true
  }
  return isFound
}

/** The signature headers of a message, not yet verified. One of the candidates, in hex, must match. */
export type SignatureHeader = {
  readonly keyId: string
  readonly timestamp: string
  readonly candidates: readonly string[]
}

const maxCandidates = 8
/** An attacker can replay a captured message for this long, so its effect must be idempotent. */
export const replayWindowSeconds = 300

/**
 * Reads `x-<sender>-key-id`, `-timestamp` and `-signature`. The signature is `v1=<hex>[,v1=<hex>]`; entries of other
 * versions are ignored. Returns null when a header is missing or malformed.
 */
export function readSignatureHeader(
  sender: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): SignatureHeader | null {
  const [keyId, timestamp, signature] = ['key-id', 'timestamp', 'signature'].map(
    (name) => headers[`x-${sender}-${name}`],
  )
  if (typeof keyId !== 'string' || typeof timestamp !== 'string' || typeof signature !== 'string') return null
  if (!/^[0-9]{1,12}$/.test(timestamp)) return null
  const candidates = signature
    .split(',', maxCandidates)
    .flatMap((entry) => /^\s*v1=([0-9a-f]{64})\s*$/i.exec(entry)?.[1] ?? [])
  return candidates.length === 0 ? null : { keyId, timestamp, candidates }
}

/** Returns whether the timestamp is within the replay window. */
export function isTimely({ timestamp }: SignatureHeader, now: Date): boolean {
  return Math.abs(now.getTime() - Number(timestamp) * 1000) <= replayWindowSeconds * 1000
}
