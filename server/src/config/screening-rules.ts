import { type Currency, unitsPerMinor } from '../lib/money.ts'

/**
 * The rules of the sandbox's screening, besides its three built-in senders. Addresses are EIP-55. Amounts are minor
 * units of the token's currency, and apply to deposits of that amount or more.
 */
export type ScreeningRules = {
  readonly refusedSenders: readonly string[]
  readonly reviewedSenders: readonly string[]
  readonly refusedFrom: Readonly<Record<Currency, bigint>>
  readonly reviewedFrom: Readonly<Record<Currency, bigint>>
}

type TokenScale = { readonly currency: Currency; readonly decimals: number }

/** Returns the result of the strictest rule that applies. `pending` waits for a person. */
export function resultByRules(
  rules: ScreeningRules,
  { fromAddress, amount }: { fromAddress: string; amount: bigint },
  { currency, decimals }: TokenScale,
): 'approved' | 'rejected' | 'pending' {
  const reaches = (limit: bigint | undefined) =>
    limit !== undefined && amount >= limit * unitsPerMinor(decimals, currency)
  if (rules.refusedSenders.includes(fromAddress) || reaches(rules.refusedFrom[currency])) return 'rejected'
  if (rules.reviewedSenders.includes(fromAddress) || reaches(rules.reviewedFrom[currency])) return 'pending'
  return 'approved'
}
