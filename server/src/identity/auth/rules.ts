// pure
import type { Address } from 'viem'
import type { RefusalCode } from '../../lib/errors.ts'

/** The fields of a sign-in message that are checked. The other lines only have to match the grammar. */
export type SignInMessage = {
  /** The host and port as signed, not normalized. */
  readonly domain: string
  /** EIP-55 */
  readonly address: Address
  readonly statement: string | null
  /** As signed, not normalized. */
  readonly uri: string
  readonly chainId: number
  readonly nonce: string
  readonly issuedAt: Date
  readonly expirationTime: Date | null
  readonly notBefore: Date | null
}

export const nonceLifeSeconds = 600
export const minTtlSeconds = 3600

/** One more sign-in ends all earlier sessions of the wallet. No person has so many devices. */
export const maxSessions = 50

type SignedIn = { readonly signerAddress: string; readonly signedBy: 'key' | 'contract'; readonly chainId: string }

/**
 * Returns the name of the wallet that a session belongs to. A contract's name includes its chain, since on another
 * chain the same address may belong to someone else.
 */
export function signerOf({ signerAddress, signedBy, chainId }: SignedIn): string {
  return signedBy === 'contract' ? `${signerAddress} ${chainId}` : signerAddress
}

/** Returns the names under which the sessions of an owner are stored. A contract's address may also have a key. */
export function signersOf({
  address,
  contractChainId,
}: {
  readonly address: string
  readonly contractChainId: number | null
}): string[] {
  return contractChainId === null ? [address] : [address, `${address} ${contractChainId}`]
}

/**
 * Returns the URI of the messages with which operators sign in. A message with this URI never opens a user's session,
 * and one with another URI never opens an operator's, even where users and operators share a domain.
 */
export function operatorUri(consoleOrigin: string): string {
  return `${consoleOrigin}/operator/session`
}

/** How far a wallet's clock may run ahead of ours. */
const skewMilliseconds = 60_000

/**
 * Returns why the message is not valid at `now`, or null. A message that expires before it begins counts as expired.
 */
export function rejectedTimes(message: SignInMessage, now: Date): RefusalCode | null {
  const { issuedAt, expirationTime, notBefore } = message
  if (expirationTime !== null) {
    if (now >= expirationTime || expirationTime <= issuedAt) return 'MESSAGE_EXPIRED'
    if (notBefore !== null && notBefore >= expirationTime) return 'MESSAGE_EXPIRED'
  }
  const latestStart = now.getTime() + skewMilliseconds
  if (issuedAt.getTime() > latestStart) return 'MESSAGE_NOT_YET_VALID'
  if (notBefore !== null && notBefore.getTime() > latestStart) return 'MESSAGE_NOT_YET_VALID'
  return null
}
