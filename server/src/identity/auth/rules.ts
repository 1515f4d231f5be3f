// pure
import type { Address } from 'viem'
import type { RefusalCode } from '../../lib/errors.ts'

/** What the checks need of a sign-in message; its other lines were held against the grammar and play no further part. */
export type SignInMessage = {
  /** raw, as signed: host, port and all */
  readonly domain: string
  /** EIP-55 */
  readonly address: Address
  readonly statement: string | null
  readonly chainId: number
  readonly nonce: string
  readonly issuedAt: Date
  readonly expirationTime: Date | null
  readonly notBefore: Date | null
}

export const nonceLifeSeconds = 600
export const shortestTtlSeconds = 3600
export const longestTtlSeconds = 86_400

/** How far the wallet's clock may run ahead of ours. */
const skewMilliseconds = 60_000

/** Why the message's times do not hold at `now`, or null. A message whose validity is empty counts as expired. */
export function refusedTimes(message: SignInMessage, now: Date): RefusalCode | null {
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
