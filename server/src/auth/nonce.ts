import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { deriveKey } from '../lib/derive-key.ts'

/**
 * A nonce that carries its own expiry and proof of origin, so that issuing one writes nothing:
 * "n" and the lower-case hex of 12 random bytes · 4 bytes expiry, seconds since 1970 · 16 bytes MAC of both.
 * The letter keeps clients that parse bodies eagerly from taking it for a number. There is one spelling of each nonce:
 * a second one would be a second use.
 */
const pattern = /^n[0-9a-f]{64}$/
const randomLength = 12
const contentLength = randomLength + 4
const macLength = 16

export function makeNonce(secret: string, expiresAt: Date): string {
  const content = Buffer.alloc(contentLength)
  randomBytes(randomLength).copy(content)
  content.writeUInt32BE(Math.floor(expiresAt.getTime() / 1000), randomLength)
  return `n${content.toString('hex')}${macOf(secret, content).toString('hex')}`
}

/** When the nonce expires, or null when we did not make it. */
export function readNonce(secret: string, nonce: string): Date | null {
  if (!pattern.test(nonce)) return null
  const bytes = Buffer.from(nonce.slice(1), 'hex')
  const content = bytes.subarray(0, contentLength)
  if (!timingSafeEqual(bytes.subarray(contentLength), macOf(secret, content))) return null
  return new Date(content.readUInt32BE(randomLength) * 1000)
}

function macOf(secret: string, content: Buffer): Buffer {
  return createHmac('sha256', deriveKey(secret, 'nonce')).update(content).digest().subarray(0, macLength)
}
