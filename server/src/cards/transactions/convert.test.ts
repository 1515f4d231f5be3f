import { expect, test } from 'vitest'
import { createSandboxRates } from '../../providers/rates/sandbox.ts'
import { convert } from './convert.ts'

const rates = createSandboxRates().current()

test('an amount that stays in its currency needs no rate', () => {
  expect(convert(rates, 1234n, 'EUR', 'EUR')).toBe(1234n)
  expect(convert(rates, 1n, 'XTS', 'XTS')).toBe(1n)
})

test('an amount is converted between currencies with different minor digits', () => {
  expect(convert(rates, 1000n, 'EUR', 'USD')).toBe(1100n)
  expect(convert(rates, 16_000n, 'JPY', 'EUR')).toBe(10_000n)
  expect(convert(rates, 340n, 'KWD', 'EUR')).toBe(100n)
})

test('a converted amount is rounded half up, or down on request', () => {
  // 1.00 USD is 0.9090… EUR, 0.05 USD is 0.04545… EUR.
  expect(convert(rates, 100n, 'USD', 'EUR')).toBe(91n)
  expect(convert(rates, 5n, 'USD', 'EUR')).toBe(5n)
  expect(convert(rates, 5n, 'USD', 'EUR', 'down')).toBe(4n)
  expect(convert(rates, 4n, 'SEK', 'EUR')).toBe(0n)
  // At 25 CZK per euro, 0.125 CZK is half a cent.
  expect(convert(rates, 25n, 'CZK', 'EUR')).toBe(1n)
  expect(convert(rates, 12n, 'CZK', 'EUR')).toBe(0n)
  expect(convert(rates, 13n, 'CZK', 'EUR')).toBe(1n)
})

test('a conversion is exact beyond the precision of a double', () => {
  expect(convert(rates, 10n ** 30n, 'EUR', 'USD')).toBe(11n * 10n ** 29n)
})

test.each(['XTS', 'constructor', '__proto__'])(
  'a conversion from %s is rejected because it has no rate',
  (currency) => {
    expect(() => convert(rates, 1n, currency, 'EUR')).toThrow('no exchange rate')
  },
)
