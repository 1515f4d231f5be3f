import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

/**
 * Derives a separate 256-bit key for each purpose (HKDF, RFC 5869), so that a signature or ciphertext of one part is
 * worthless to another. A changed purpose is a changed key.
 */
export function deriveKey(secret: string, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `purser ${purpose}`, 32)))
}
