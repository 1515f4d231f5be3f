/** A quantity: `amount / 10^decimals` of the currency or token. */
export type Money = { readonly amount: bigint; readonly decimals: number; readonly currency: string }

/** Reads the money of any record with these fields, such as a statement item. */
export function moneyOf(record: {
  readonly amount: string
  readonly decimals: number
  readonly currency: string
}): Money {
  return { amount: BigInt(record.amount), decimals: record.decimals, currency: record.currency }
}

/**
 * Converts a decimal text such as `9.99` to the smallest unit. Throws a `RangeError` if the text is not a decimal
 * number, or has more decimals than the unit.
 */
export function parseAmount(text: string, decimals: number): bigint {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text)
  if (match === null) throw new RangeError(`"${text}" is not a decimal number. Write it like 9.99.`)
  const [, sign, whole = '', fraction = ''] = match
  const digits = fraction.replace(/0+$/, '')
  if (digits.length > decimals) throw new RangeError(`"${text}" has too many decimals. Write at most ${decimals}.`)
  const amount = BigInt(whole + digits.padEnd(decimals, '0'))
  return sign === '-' ? -amount : amount
}

export type FormatOptions = {
  /** The digits to show. The rest is rounded down, so that nobody sees more than they have. By default all digits. */
  readonly fractionDigits?: number
}

/** Renders an amount as a decimal text, without a currency: `15.01`. */
export function formatAmount(
  { amount, decimals }: Pick<Money, 'amount' | 'decimals'>,
  { fractionDigits = decimals }: FormatOptions = {},
): string {
  const dropped = 10n ** BigInt(Math.max(0, decimals - fractionDigits))
  // Division truncates toward zero. A negative amount rounds down, away from zero.
  const units = amount / dropped - (amount < 0n && amount % dropped !== 0n ? 1n : 0n)
  const scaled = units * 10n ** BigInt(Math.max(0, fractionDigits - decimals))
  const digits = String(scaled < 0n ? -scaled : scaled).padStart(fractionDigits + 1, '0')
  const split = digits.length - fractionDigits
  return `${scaled < 0n ? '-' : ''}${digits.slice(0, split)}${fractionDigits > 0 ? `.${digits.slice(split)}` : ''}`
}
