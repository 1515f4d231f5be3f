import { Refusal } from '../../lib/errors.ts'
import { type Currency, minorDigits, powerOfTen } from '../../lib/money.ts'

/** The sandbox network's rates: millionths of a currency for one euro. Fixed, so that scripts can count on them. */
const millionthsPerEuro: Readonly<Record<Currency, bigint>> = {
  AUD: 1_650_000n,
  BRL: 6_000_000n,
  CAD: 1_500_000n,
  CHF: 950_000n,
  CZK: 25_000_000n,
  DKK: 7_460_000n,
  EUR: 1_000_000n,
  GBP: 850_000n,
  HUF: 400_000_000n,
  JPY: 160_000_000n,
  KWD: 340_000n,
  MXN: 20_000_000n,
  NOK: 11_500_000n,
  PLN: 4_300_000n,
  SEK: 11_200_000n,
  USD: 1_100_000n,
}

export const sandboxRates = Object.entries(millionthsPerEuro).map(([currency, millionths]) => ({
  currency,
  rate: `${millionths / 1_000_000n}.${String(millionths % 1_000_000n).padStart(6, '0')}`,
}))

/** Minor units of one currency → of another, rounded half up (or down). */
export function exchange(
  amountMinor: bigint,
  from: Currency,
  to: Currency,
  rounding: 'half up' | 'down' = 'half up',
): bigint {
  if (from === to) return amountMinor
  const numerator = amountMinor * rateOf(to) * powerOfTen(minorDigits(to))
  const denominator = rateOf(from) * powerOfTen(minorDigits(from))
  return rounding === 'down' ? numerator / denominator : (2n * numerator + denominator) / (2n * denominator)
}

function rateOf(currency: Currency): bigint {
  const rate = Object.hasOwn(millionthsPerEuro, currency) ? millionthsPerEuro[currency] : undefined
  if (rate === undefined) throw new Refusal('CURRENCY_NOT_SUPPORTED')
  return rate
}
