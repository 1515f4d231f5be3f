/** A delivery as it arrived: the raw body, before anything parsed it. */
export type WebhookRequest = {
  readonly body: string
  /** Names in lower case, as Node.js has them, or a `Headers` object. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
}

export type VerifiedWebhook = {
  /** `evt_…`: the same event may be delivered more than once; act on each id once. */
  readonly id: string
  readonly type: string
  readonly createdAt: string
  readonly data: unknown
}

/** The delivery is not the service's, or too old: answer 4xx and do nothing. */
export class WebhookRefused extends Error {
  constructor(reason: string) {
    super(`webhook refused: ${reason}`)
    this.name = 'WebhookRefused'
  }
}

const toleranceSeconds = 300
const publicKeyPrefix = 'whpk_'

/**
 * Verifies a delivery as the Standard Webhooks specification says, with the endpoint's Ed25519 public keys (`whpk_…`;
 * two while the keys change), and returns its event. Throws `WebhookRefused`.
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
  if (!/^[0-9]{1,12}$/.test(timestamp)) throw new WebhookRefused('webhook-timestamp is no number of seconds')
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookRefused('webhook-timestamp is too far from now')
  }
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  const given = signatures.split(' ').flatMap((text) => (text.startsWith('v1a,') ? [bytesOf(text.slice(4))] : []))
  for (const publicKey of publicKeys) {
    const key = await importKey(publicKey)
    for (const signature of given) {
      if (await crypto.subtle.verify('Ed25519', key, signature, signed)) return JSON.parse(body)
    }
  }
  throw new WebhookRefused('no signature is that of a known key')
}

function importKey(publicKey: string) {
  if (!publicKey.startsWith(publicKeyPrefix)) throw new WebhookRefused(`a public key begins with ${publicKeyPrefix}`)
  return crypto.subtle.importKey('raw', bytesOf(publicKey.slice(publicKeyPrefix.length)), 'Ed25519', false, ['verify'])
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  } catch {
    throw new WebhookRefused('a key or signature is no base64')
  }
}
