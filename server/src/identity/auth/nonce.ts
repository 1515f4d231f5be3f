import type { KeyObject } from 'node:crypto'
import type { Ctx } from '../../context.ts'
import { deriveKey } from '../../platform/crypto/derive-key.ts'
import { openNonce, sealNonce } from '../../platform/crypto/sealed-nonce.ts'

/**
 * The nonce of a sign-in: the letter "n" and a sealed nonce. The letter keeps clients from parsing the response body as a
 * number. Each nonce has exactly one spelling, because an alternative spelling could be used a second time.
 */
const letter = 'n'

/** Returns the key that seals nonces. It is cached because every sign-in needs it twice. */
export function nonceKey({ config, caches }: Pick<Ctx, 'config' | 'caches'>): KeyObject {
  const key = caches.derivedKeys.get('nonce') ?? deriveKey(config.secret, 'nonce')
  caches.derivedKeys.set('nonce', key)
  return key
}

export function makeNonce(key: KeyObject, expiresAt: Date): string {
  return letter + sealNonce(key, '', expiresAt)
}

/** Returns the expiry of the nonce, or null if we did not issue it. */
export function readNonce(key: KeyObject, nonce: string): Date | null {
  return nonce.startsWith(letter) ? openNonce(key, '', nonce.slice(1)) : null
}
