import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

const derived = new Map<string, KeyObject>()

/**
 * Derives a 256-bit key for one purpose (HKDF, RFC 5869), so that a signature made for one purpose is useless for
 * another. Changing a purpose changes its key. Keys are cached as key objects, which Node.js can use without a copy.
 */
export function deriveKey(secret: string, purpose: string): KeyObject {
  const name = `${purpose}\n${secret}`
  let key = derived.get(name)
  if (key === undefined) {
    key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `purser ${purpose}`, 32)))
    derived.set(name, key)
  }
  return key
}
