// pure
import type { CardLimits } from '../../config/card-programme.ts'
import { type Currency, sum } from '../../lib/money.ts'
import { isOfType } from './merchant-types.ts'
import type { Merchant } from './messages.ts'
import type { DeclineCode } from './rules.ts'

/** A user's recent payments to merchants of one category, without the payment that is being decided. */
export type MerchantUse = {
  readonly mcc: string
  /** The current total of the payments opened within the last 24 hours, in minor units of the card's currency. */
  readonly spent: bigint
  /** The number of payments that began within the velocity window, without those declined with `VEL`. */
  readonly authorizations: bigint
  /** The part of `spent` that was spent with the card that pays. */
  readonly spentWithCard: bigint
}

/** The owner's limits on one card, in minor units of its currency. Null: only the programme's limits apply. */
type OwnLimits = { readonly limitPerTransaction: bigint | null; readonly limitDaily: bigint | null }

export type LimitFacts = {
  readonly card: OwnLimits & { readonly currency: Currency }
  readonly merchant: Pick<Merchant, 'mcc' | 'merchantCountry'>
  /** Whether the message raises an existing payment, which does not count as a new authorization. */
  readonly isRaise: boolean
  readonly use: readonly MerchantUse[]
}

/**
 * Returns the decline code of the first limit that a payment of `total` would exceed, or null. The programme's limits
 * apply to the user, so a second card does not raise them. The owner's limits apply to the card.
 */
export function limitCode(limits: CardLimits, facts: LimitFacts, total: bigint): DeclineCode | null {
  const { card, merchant, isRaise, use } = facts
  const { currency } = card
  const { mcc, merchantCountry } = merchant
  if (limits.refusedMerchantTypes.some((types) => isOfType(mcc, types))) return 'MCC'
  if (limits.refusedCountries.includes(merchantCountry)) return 'CTY'

  const own = limits.merchantTypes.find((types) => isOfType(mcc, types))
  if (isAbove(total, limits.perTransaction[currency]) || isAbove(total, own?.perTransaction[currency])) return 'LIM'
  if (isAbove(total + spentIn(use), limits.daily[currency])) return 'LIM'
  if (own && isAbove(total + spentIn(use.filter(({ mcc }) => isOfType(mcc, own))), own.daily[currency])) return 'LIM'

  if (isAbove(total, card.limitPerTransaction)) return 'LIM'
  if (isAbove(total + sum(use.map(({ spentWithCard }) => spentWithCard)), card.limitDaily)) return 'LIM'

  const { velocity } = limits
  if (isRaise || velocity === null) return null
  const authorizations = sum(use.map((one) => one.authorizations))
  return authorizations >= velocity.authorizations ? 'VEL' : null
}

/** Returns the currencies in which a limit of the programme depends on the user's earlier payments. */
export function limitedCurrencies(
  { daily, merchantTypes, velocity }: CardLimits,
  currencies: readonly Currency[],
): Currency[] {
  const isCapped = (currency: Currency) =>
    [{ daily }, ...merchantTypes].some((caps) => caps.daily[currency] !== undefined)
  return currencies.filter((currency) => velocity !== null || isCapped(currency))
}

function spentIn(use: readonly MerchantUse[]): bigint {
  return sum(use.map(({ spent }) => spent))
}

function isAbove(amount: bigint, cap: bigint | null | undefined): boolean {
  return cap != null && amount > cap
}
