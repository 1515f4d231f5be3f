import { deriveKey } from '../../platform/crypto/derive-key.ts'
import { openNonce, sealNonce } from '../../platform/crypto/sealed-nonce.ts'

/**
 * The nonce of a sign-in: "n" and a sealed one. The letter keeps clients that parse bodies eagerly from taking it for a
 * number. There is one spelling of each nonce: a second one would be a second use.
 */
const letter = 'n'

export function makeNonce(secret: string, expiresAt: Date): string {
  return letter + sealNonce(deriveKey(secret, 'nonce'), '', expiresAt)
}

/** When the nonce expires, or null when we did not make it. */
export function readNonce(secret: string, nonce: string): Date | null {
  return nonce.startsWith(letter) ? openNonce(deriveKey(secret, 'nonce'), '', nonce.slice(1)) : null
}
