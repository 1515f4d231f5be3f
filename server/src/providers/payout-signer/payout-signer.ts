import type { Address, Hex } from 'viem'

/** An ECDSA signature on secp256k1, with s in the lower half of the order (EIP-2). */
export type DigestSignature = { readonly r: Hex; readonly s: Hex; readonly yParity: 0 | 1 }

/**
 * The key of the payout wallet, which never leaves its store. Throws `UpstreamError` when the store fails, times out,
 * or returns a signature of another key.
 */
export type PayoutSigner = {
  /** Returns the address in EIP-55 form. */
  address(): Promise<Address>
  /** Signs 32 bytes. Signing again may return another signature. */
  sign(digest: Hex): Promise<DigestSignature>
}
