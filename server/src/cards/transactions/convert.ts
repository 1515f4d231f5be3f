// pure
import { Refusal } from '../../lib/errors.ts'
import { type Currency, minorDigits, powerOfTen } from '../../lib/money.ts'
import type { ExchangeRates } from '../../providers/rates/rates.ts'

/** Converts minor units of one currency to minor units of another, rounded half up unless told otherwise. */
export function convert(
  rates: ExchangeRates,
  amountMinor: bigint,
  from: Currency,
  to: Currency,
  rounding: 'half up' | 'down' = 'half up',
): bigint {
  if (from === to) return amountMinor
  const numerator = amountMinor * rateOf(rates, to) * powerOfTen(minorDigits(to))
  const denominator = rateOf(rates, from) * powerOfTen(minorDigits(from))
  return rounding === 'down' ? numerator / denominator : (2n * numerator + denominator) / (2n * denominator)
}

function rateOf(rates: ExchangeRates, currency: Currency): bigint {
  const rate = rates.get(currency)
  if (rate === undefined) throw new Refusal('CURRENCY_NOT_SUPPORTED')
  return rate
}
