import type { Address, Hex } from 'viem'

/** One ECDSA signature on secp256k1: s in the lower half of the order, as chains demand. */
export type DigestSignature = { readonly r: Hex; readonly s: Hex; readonly yParity: 0 | 1 }

/**
 * The key that pays, wherever it is kept; it signs digests and never leaves. Throws `UpstreamError` when its keeper fails,
 * does not answer in time, or answers with a signature that is not of this key.
 */
export type PayoutSigner = {
  /** EIP-55 */
  address(): Promise<Address>
  /** 32 bytes. Signing the same again may give another signature. */
  sign(digest: Hex): Promise<DigestSignature>
}
