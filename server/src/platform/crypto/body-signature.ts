import { createHmac, timingSafeEqual } from 'node:crypto'

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

/** What a signed message claims of itself in its headers; `candidates` are hex texts, one of which must be right. */
export type SignatureHeader = {
  readonly keyId: string
  readonly timestamp: string
  readonly candidates: readonly string[]
}

const mostCandidates = 8
/** A message that was caught on its way can be sent again for this long, so whatever it does must bear repetition. */
export const replayWindowSeconds = 300

/**
 * From `x-<sender>-key-id`, `-timestamp` and `-signature`: `v1=<hex>[,v1=<hex>]`; entries of another version are passed
 * over. null: a header is missing or says nothing.
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
    .split(',', mostCandidates)
    .flatMap((entry) => /^\s*v1=([0-9a-f]{64})\s*$/i.exec(entry)?.[1] ?? [])
  return candidates.length === 0 ? null : { keyId, timestamp, candidates }
}

export function isTimely({ timestamp }: SignatureHeader, now: Date): boolean {
  return Math.abs(now.getTime() - Number(timestamp) * 1000) <= replayWindowSeconds * 1000
}
