// pure
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import type { Secrets } from '../../lib/secrets.ts'

/** The keys of one purpose, in the order of the secrets: the first one signs, and all of them verify. */
export type Keys = readonly [KeyObject, ...KeyObject[]]

/**
 * Derives a separate 256-bit key for each purpose (HKDF, RFC 5869), so that a signature or ciphertext for one purpose
 * is invalid for another.
 */
export function deriveKey(secret: string, purpose: string): KeyObject {
  return createSecretKey(deriveBytes(secret, purpose, 32))
}

export function deriveKeys([first, ...older]: Secrets, purpose: string): Keys {
  return [deriveKey(first, purpose), ...older.map((secret) => deriveKey(secret, purpose))]
}

/** Returns the name of a secret. Stored data carries it, so that a rotation finds the data under an older secret. */
export function secretId(secret: string): string {
  return deriveBytes(secret, 'secret id', 6).toString('hex')
}

function deriveBytes(secret: string, purpose: string, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `purser ${purpose}`, length))
}
