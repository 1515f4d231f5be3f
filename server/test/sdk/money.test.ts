import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatAmount, moneyOf, parseAmount } from '../../../client/src/index.ts'

test.each([
  ['9.99', 2, 999n],
  ['25', 18, 25n * 10n ** 18n],
  ['0.000001', 6, 1n],
  ['-1.50', 2, -150n],
  ['1.500000', 1, 15n],
  ['7', 0, 7n],
])('parseAmount reads %s with %i decimals', (text, decimals, amount) => {
  expect(parseAmount(text, decimals)).toBe(amount)
})

test.each(['', '.5', '1.', '1,5', '1e3', '+1', ' 1', '0x10', '1.001', '--1'])(
  'parseAmount rejects "%s" as an amount with two decimals',
  (text) => {
    expect(() => parseAmount(text, 2)).toThrow(RangeError)
  },
)

test('formatAmount rounds down, so that nobody sees more than they have', () => {
  expect(formatAmount({ amount: 1999n, decimals: 3 }, { fractionDigits: 2 })).toBe('1.99')
  expect(formatAmount({ amount: -1991n, decimals: 3 }, { fractionDigits: 2 })).toBe('-2.00')
  expect(formatAmount({ amount: 999999n, decimals: 6 }, { fractionDigits: 0 })).toBe('0')
  expect(formatAmount({ amount: 5n, decimals: 0 }, { fractionDigits: 2 })).toBe('5.00')
  expect(formatAmount({ amount: 0n, decimals: 2 })).toBe('0.00')
  expect(formatAmount({ amount: -5n, decimals: 2 })).toBe('-0.05')
})

test('a formatted amount is parsed to the same amount', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), fc.nat(24), (amount, decimals) => {
      expect(parseAmount(formatAmount({ amount, decimals }), decimals)).toBe(amount)
    }),
  )
})

test('moneyOf keeps every digit', () => {
  const record = { amount: '123456789012345678901', decimals: 18, currency: 'EUR', spendable: '0' }
  expect(moneyOf(record)).toEqual({ amount: 123456789012345678901n, decimals: 18, currency: 'EUR' })
})
