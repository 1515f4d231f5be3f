import { createHmac, createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign } from 'node:crypto'

/**
 * Standard Webhooks signatures (https://www.standardwebhooks.com): over `<id>.<timestamp>.<body>`, by the endpoint's
 * Ed25519 key (`v1a`) and by the secret that it shares with us (`v1`). Beside them the pair `X-Webhook-Timestamp` and
 * `X-Webhook-Signature`, Ed25519 over `<timestamp>.<body>`.
 *
 * Keys and secrets are derived from the master secret, the endpoint and the version: nothing of them is stored.
 */
export type SigningKeys = {
  readonly privateKey: KeyObject
  /** `whpk_…` */
  readonly publicKey: string
  /** `whsec_…` */
  readonly secret: string
  readonly secretBytes: Buffer
}

/** What goes before the 32 bytes of an Ed25519 private key in PKCS #8 (RFC 8410, section 7). */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex')
/** What goes before the 32 bytes of a public key in a SubjectPublicKeyInfo. */
const spkiHeadBytes = 12

/** Derives the keys of one version of an endpoint. `ctx.caches.webhookKeys` holds the recent ones. */
export function signingKeys(masterSecret: string, endpointId: string, version: number): SigningKeys {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', masterSecret, '', `purser webhook ${purpose} ${endpointId} ${version}`, 32))
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

/** The headers of one attempt. While keys change, the new one comes first and the old ones sign too. */
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
