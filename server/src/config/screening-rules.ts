import { type Currency, unitsPerMinor } from '../lib/money.ts'

/**
 * What the sandbox's screening goes by, besides the three senders of its own. Addresses are EIP-55; amounts are minor
 * units of the token's currency, and mean a deposit of as much or more.
 */
export type ScreeningRules = {
  readonly refusedSenders: readonly string[]
  readonly reviewedSenders: readonly string[]
  readonly refusedFrom: Readonly<Record<Currency, bigint>>
  readonly reviewedFrom: Readonly<Record<Currency, bigint>>
}

type Coin = { readonly currency: Currency; readonly decimals: number }

/** The first rule that fits, the stricter ones first; `pending` waits for a person. */
export function resultByRules(
  rules: ScreeningRules,
  { fromAddress, amount }: { fromAddress: string; amount: bigint },
  { currency, decimals }: Coin,
): 'approved' | 'rejected' | 'pending' {
  const reaches = (limit: bigint | undefined) =>
    limit !== undefined && amount >= limit * unitsPerMinor(decimals, currency)
  if (rules.refusedSenders.includes(fromAddress) || reaches(rules.refusedFrom[currency])) return 'rejected'
  if (rules.reviewedSenders.includes(fromAddress) || reaches(rules.reviewedFrom[currency])) return 'pending'
  return 'approved'
}
