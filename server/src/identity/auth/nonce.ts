import type { KeyObject } from 'node:crypto'
import type { Ctx } from '../../context.ts'
import { deriveKey } from '../../platform/crypto/derive-key.ts'
import { openNonce, sealNonce } from '../../platform/crypto/sealed-nonce.ts'

/**
 * The nonce of a sign-in: the letter "n" and a sealed nonce. Without the letter, a client that parses bodies eagerly could
 * read a number. Each nonce has exactly one spelling, since a second one would allow a second use.
 */
const letter = 'n'

/** Returns the key of the nonces. Every sign-in needs it twice. */
export function nonceKey({ config, caches }: Pick<Ctx, 'config' | 'caches'>): KeyObject {
  const key = caches.derivedKeys.get('nonce') ?? deriveKey(config.secret, 'nonce')
  caches.derivedKeys.set('nonce', key)
  return key
}

export function makeNonce(key: KeyObject, expiresAt: Date): string {
  return letter + sealNonce(key, '', expiresAt)
}

/** Returns the expiry of the nonce, or null for a nonce that is not ours. */
export function readNonce(key: KeyObject, nonce: string): Date | null {
  return nonce.startsWith(letter) ? openNonce(key, '', nonce.slice(1)) : null
}
