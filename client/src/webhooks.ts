/** A delivery as received. The body must be the raw text, before any parsing. */
export type WebhookRequest = {
  readonly body: string
  /** A `Headers` object, or an object with lower-case names as in Node.js. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
}

export type VerifiedWebhook = {
  /** `evt_…`. An event can be delivered more than once: process each id once. */
  readonly id: string
  readonly type: string
  readonly createdAt: string
  readonly data: unknown
}

/** Thrown for a delivery that is not authentic or too old. Respond with 4xx and ignore it. */
export class WebhookRefused extends Error {
  constructor(reason: string) {
    super(`webhook rejected: ${reason}`)
    this.name = 'WebhookRefused'
  }
}

const toleranceSeconds = 300
const publicKeyPrefix = 'whpk_'

/**
 * Verifies a delivery by the Standard Webhooks specification and returns its event. Pass all Ed25519 public keys
 * (`whpk_…`) of the endpoint's record. During a rotation, there are several. Throws `WebhookRefused`.
 */
export async function verifyWebhook(
  { body, headers }: WebhookRequest,
  publicKeys: readonly string[],
  now: Date = new Date(),
): Promise<VerifiedWebhook> {
  const header = (name: string) => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name]
    if (typeof value !== 'string') throw new WebhookRefused(`${name} is missing`)
    return value
  }
  const [id, timestamp, signatures] = [header('webhook-id'), header('webhook-timestamp'), header('webhook-signature')]
  if (!/^[0-9]{1,12}$/.test(timestamp)) throw new WebhookRefused('webhook-timestamp is not a number of seconds')
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookRefused('webhook-timestamp is more than 300 seconds from now')
  }
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  const given = signatures.split(' ').flatMap((text) => (text.startsWith('v1a,') ? [bytesOf(text.slice(4))] : []))
  for (const publicKey of publicKeys) {
    const key = await importKey(publicKey)
    for (const signature of given) {
      if (await crypto.subtle.verify('Ed25519', key, signature, signed)) return JSON.parse(body)
    }
  }
  throw new WebhookRefused('no signature matches a known key')
}

function importKey(publicKey: string) {
  if (!publicKey.startsWith(publicKeyPrefix))
    throw new WebhookRefused(`a public key must begin with ${publicKeyPrefix}`)
  return crypto.subtle.importKey('raw', bytesOf(publicKey.slice(publicKeyPrefix.length)), 'Ed25519', false, ['verify'])
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  } catch {
    throw new WebhookRefused('a key or signature is not base64')
  }
}
