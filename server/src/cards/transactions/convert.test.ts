import { expect, test } from 'vitest'
import { exchange, sandboxRates } from './convert.ts'

test('the same currency needs no rate', () => {
  expect(exchange(1234n, 'EUR', 'EUR')).toBe(1234n)
  expect(exchange(1n, 'XTS', 'XTS')).toBe(1n)
})

test('converts between currencies with different minor digits', () => {
  expect(exchange(1000n, 'EUR', 'USD')).toBe(1100n)
  expect(exchange(16_000n, 'JPY', 'EUR')).toBe(10_000n)
  expect(exchange(340n, 'KWD', 'EUR')).toBe(100n)
})

test('rounds half up, or down where asked', () => {
  // 1.00 USD is 0.9090… EUR; 0.05 USD is 0.04545… EUR; 80 JPY is exactly 0.50 EUR, 0.8 JPY half a cent
  expect(exchange(100n, 'USD', 'EUR')).toBe(91n)
  expect(exchange(5n, 'USD', 'EUR')).toBe(5n)
  expect(exchange(5n, 'USD', 'EUR', 'down')).toBe(4n)
  expect(exchange(4n, 'SEK', 'EUR')).toBe(0n)
  // 5 öre at 25 CZK to the euro are 0.2 cents; 0.125 CZK would be half a cent
  expect(exchange(25n, 'CZK', 'EUR')).toBe(1n)
  expect(exchange(12n, 'CZK', 'EUR')).toBe(0n)
  expect(exchange(13n, 'CZK', 'EUR')).toBe(1n)
})

test('is exact far beyond what a double holds', () => {
  expect(exchange(10n ** 30n, 'EUR', 'USD')).toBe(11n * 10n ** 29n)
})

test.each(['XTS', 'constructor', '__proto__'])('there is no rate for %s', (currency) => {
  expect(() => exchange(1n, currency, 'EUR')).toThrow('no exchange rate')
})

test('the rates are printed as they are used', () => {
  expect(sandboxRates.find(({ currency }) => currency === 'USD')).toEqual({ currency: 'USD', rate: '1.100000' })
  expect(sandboxRates.find(({ currency }) => currency === 'GBP')).toEqual({ currency: 'GBP', rate: '0.850000' })
})
