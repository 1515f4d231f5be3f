import { formatAmount, parseAmount } from '@purser/client'

/**
 * Reads an amount that a person typed: `9.99` or `9,99`. Returns null if the text is not an amount, or if its separator
 * may separate thousands: a German reader writes 1.000 for a thousand.
 */
export function readAmount(text: string, decimals: number, locale: string): bigint | null {
  const group = separatorOf(locale, 'group')
  const [, separator] = /([.,])\d{3}$/.exec(text) ?? []
  if (separator === group) return null
  try {
    const amount = parseAmount(text.replace(',', '.'), decimals)
    return amount < 0n ? null : amount
  } catch {
    return null
  }
}

/** Writes an amount as `readAmount` reads it. */
export const writeAmount = (amount: bigint, decimals: number, locale: string): string =>
  formatAmount({ amount, decimals }).replace('.', separatorOf(locale, 'decimal'))

function separatorOf(locale: string, type: 'group' | 'decimal'): string {
  const parts = new Intl.NumberFormat(locale, { useGrouping: true }).formatToParts(10_000.5)
  return parts.find((part) => part.type === type)?.value ?? ''
}
