import type { Ctx } from '../../context.ts'
import { deriveKeys, type Keys } from '../../platform/crypto/derive-key.ts'
import { openNonce, sealNonce } from '../../platform/crypto/sealed-nonce.ts'

/**
 * The nonce of a sign-in: the letter "n" and a sealed nonce. The letter keeps clients from parsing the response body as
 * a number. Each nonce has exactly one spelling, because an alternative spelling could be used a second time.
 */
const letter = 'n'

/** Returns the keys that seal nonces. They are cached because every sign-in needs them twice. */
export function nonceKeys({ config, caches }: Pick<Ctx, 'config' | 'caches'>): Keys {
  const keys = caches.derivedKeys.get('nonce') ?? deriveKeys(config.secrets, 'nonce')
  caches.derivedKeys.set('nonce', keys)
  return keys
}

export function makeNonce(keys: Keys, expiresAt: Date): string {
  return letter + sealNonce(keys, '', expiresAt)
}

/** Returns the expiry of the nonce, or null if we did not issue it. */
export function readNonce(keys: Keys, nonce: string): Date | null {
  return nonce.startsWith(letter) ? openNonce(keys, '', nonce.slice(1)) : null
}
