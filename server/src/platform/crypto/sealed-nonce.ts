import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Keys } from './derive-key.ts'

/**
 * A sealed nonce carries its own expiry and proof of origin, so that issuing one writes nothing. It is the lower-case
 * hex of 12 random bytes, 4 bytes of expiry (Unix seconds), and 16 bytes of MAC over both and the nonce's purpose.
 */
const pattern = /^[0-9a-f]{64}$/
const randomLength = 12
const contentLength = randomLength + 4
const macLength = 16

export function sealNonce([key]: Keys, purpose: string, expiresAt: Date): string {
  const content = Buffer.alloc(contentLength)
  randomBytes(randomLength).copy(content)
  content.writeUInt32BE(Math.floor(expiresAt.getTime() / 1000), randomLength)
  return content.toString('hex') + macOf(key, purpose, content).toString('hex')
}

/** Returns the expiry of a nonce; null when none of the keys sealed it for this purpose. */
export function openNonce(keys: Keys, purpose: string, nonce: string): Date | null {
  if (!pattern.test(nonce)) return null
  const bytes = Buffer.from(nonce, 'hex')
  const content = bytes.subarray(0, contentLength)
  const mac = bytes.subarray(contentLength)
  if (!keys.some((key) => timingSafeEqual(mac, macOf(key, purpose, content)))) return null
  return new Date(content.readUInt32BE(randomLength) * 1000)
}

function macOf(key: KeyObject, purpose: string, content: Buffer): Buffer {
  return createHmac('sha256', key).update(content).update(purpose).digest().subarray(0, macLength)
}
