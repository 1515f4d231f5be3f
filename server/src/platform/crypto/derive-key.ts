import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

const derived = new Map<string, KeyObject>()

/**
 * A 256-bit key of its own for each purpose (HKDF, RFC 5869), so that what one part signs or encrypts with the master
 * secret is worth nothing to another. A changed label is a changed key. A key object, since Node makes one of plain
 * bytes at every use, which costs more than the MAC itself.
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
