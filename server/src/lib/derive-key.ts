import { hkdfSync } from 'node:crypto'

const derived = new Map<string, Buffer>()

/**
 * A 256-bit key of its own for each purpose (HKDF, RFC 5869), so that what one part signs or encrypts with the master
 * secret is worth nothing to another. A changed label is a changed key.
 */
export function deriveKey(secret: string, purpose: string): Buffer {
  const name = `${purpose}\n${secret}`
  let key = derived.get(name)
  if (key === undefined) {
    key = Buffer.from(hkdfSync('sha256', secret, '', `purser ${purpose}`, 32))
    derived.set(name, key)
  }
  return key
}
