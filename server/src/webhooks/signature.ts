// pure
import { createHmac, createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign } from 'node:crypto'

/**
 * Standard Webhooks signatures (https://www.standardwebhooks.com) of `<id>.<timestamp>.<body>`: by the endpoint's
 * Ed25519 key (`v1a`) and by the secret shared with its partner (`v1`). Each request also carries the header pair
 * `X-Webhook-Timestamp` and `X-Webhook-Signature`, an Ed25519 signature of `<timestamp>.<body>`.
 *
 * Both keys are derived from a random seed of the endpoint, which is stored encrypted. They do not depend on SECRET, so
 * that a rotation of SECRET changes nothing for receivers.
 */
export type SigningKeys = {
  readonly privateKey: KeyObject
  /** `whpk_…` */
  readonly publicKey: string
  /** `whsec_…` */
  readonly secret: string
  readonly secretBytes: Buffer
}

/** The PKCS #8 prefix of a 32-byte Ed25519 private key (RFC 8410, section 7). */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex')
/** The length of the SubjectPublicKeyInfo prefix of a 32-byte Ed25519 public key. */
const spkiHeadBytes = 12

/** Derives the keys of a seed. `ctx.caches.webhookKeys` holds the recent ones. */
export function signingKeys(seed: Buffer): SigningKeys {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', seed, '', `purser webhook ${purpose}`, 32))
  const key = Buffer.concat([pkcs8Head, derive('signing key')])
  const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' })
  const publicBytes = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(spkiHeadBytes)
  const secretBytes = derive('secret')
  return {
    privateKey,
    publicKey: `whpk_${publicBytes.toString('base64')}`,
    secret: `whsec_${secretBytes.toString('base64')}`,
    secretBytes,
  }
}

/**
 * Returns the signature headers of one attempt. During a rotation, the new key comes first and the old keys also sign.
 */
export function signedHeaders(
  keys: readonly [SigningKeys, ...SigningKeys[]],
  message: { id: string; timestamp: number; body: string },
): Record<string, string> {
  const { id, body } = message
  const timestamp = String(message.timestamp)
  const signatures = keys.flatMap((key) => {
    const content = Buffer.from(`${id}.${timestamp}.${body}`)
    const hmac = createHmac('sha256', key.secretBytes).update(content).digest('base64')
    return [`v1a,${sign(null, content, key.privateKey).toString('base64')}`, `v1,${hmac}`]
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
    'x-webhook-timestamp': timestamp,
    'x-webhook-signature': sign(null, Buffer.from(`${timestamp}.${body}`), keys[0].privateKey).toString('base64'),
  }
}
