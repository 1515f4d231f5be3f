/**
 * Money is a `bigint` of the smallest unit of a token or an ISO 4217 currency, never a JavaScript number. "minor" means
 * the currency's minor unit, such as a cent; "units" means the token's smallest unit.
 */

/** An alphabetic code of ISO 4217. */
export type Currency = string

/** The currencies whose minor unit does not have two digits (ISO 4217, list one). */
const minorDigitsOf: Readonly<Record<string, number>> = {
  BHD: 3,
  BIF: 0,
  CLF: 4,
  CLP: 0,
  DJF: 0,
  GNF: 0,
  IQD: 3,
  ISK: 0,
  JOD: 3,
  JPY: 0,
  KMF: 0,
  KRW: 0,
  KWD: 3,
  LYD: 3,
  OMR: 3,
  PYG: 0,
  RWF: 0,
  TND: 3,
  UGX: 0,
  UYI: 0,
  UYW: 4,
  VND: 0,
  VUV: 0,
  XAF: 0,
  XOF: 0,
  XPF: 0,
}

/** Returns the digits of a currency's minor unit: EUR 2, JPY 0, KWD 3. */
export function minorDigits(currency: Currency): number {
  return minorDigitsOf[currency] ?? 2
}

const powersOfTen = Array.from({ length: 40 }, (_, exponent) => 10n ** BigInt(exponent))

/** Returns 10 to the given power. Small powers come from a table, because each balance needs a dozen of them. */
export function powerOfTen(exponent: number): bigint {
  return powersOfTen[exponent] ?? 10n ** BigInt(exponent)
}

/** Returns the token units in one minor unit. The configuration ensures `decimals >= minorDigits(currency)`. */
export function unitsPerMinor(decimals: number, currency: Currency): bigint {
  return powerOfTen(decimals - minorDigits(currency))
}

/** Parses major units ("12.34") to minor units. Returns null for malformed text or too many digits. */
export function parseMajor(text: string, digits: number): bigint | null {
  const match = /^(0|[1-9][0-9]{0,29})(?:\.([0-9]{1,36}))?$/.exec(text)
  if (!match) return null
  const fraction = match[2] ?? ''
  if (fraction.length > digits) return null
  return BigInt(match[1] + fraction.padEnd(digits, '0'))
}

export function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

export function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

export function sum(amounts: Iterable<bigint>): bigint {
  let total = 0n
  for (const amount of amounts) total += amount
  return total
}

/** Returns the largest multiple of `unit` that is not above a non-negative amount. */
export function floorTo(amount: bigint, unit: bigint): bigint {
  return amount - (amount % unit)
}

/** Returns the smallest multiple of `unit` that is not below a non-negative amount. */
export function ceilTo(amount: bigint, unit: bigint): bigint {
  return floorTo(amount + unit - 1n, unit)
}

/** Formats minor units in major units: 1250 → "12.50". The inverse of `parseMajor`. */
export function formatMajor(amountMinor: bigint, digits: number): string {
  const text = String(amountMinor).padStart(digits + 1, '0')
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}
