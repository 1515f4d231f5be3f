import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ceilTo, floorTo, minorDigits, parseMajor, unitsPerMinor } from './money.ts'

test('each currency has its number of minor digits (ISO 4217)', () => {
  expect([minorDigits('EUR'), minorDigits('JPY'), minorDigits('KWD')]).toEqual([2, 0, 3])
  expect(unitsPerMinor(18, 'EUR')).toBe(10n ** 16n)
  expect(unitsPerMinor(6, 'JPY')).toBe(10n ** 6n)
})

test.each([
  ['12.34', 2, 1234n],
  ['12', 2, 1200n],
  ['0', 2, 0n],
  ['0.05', 2, 5n],
  ['7', 0, 7n],
  ['1.234', 3, 1234n],
])('parseMajor reads %s with %i digits as %s minor units', (text, digits, minor) => {
  expect(parseMajor(text, digits)).toBe(minor)
})

test.each([
  ['1.234', 2],
  ['1.5', 0],
  ['-1', 2],
  ['+1', 2],
  ['01', 2],
  ['1.', 2],
  ['.5', 2],
  ['1e3', 2],
  [' 1', 2],
  ['1,5', 2],
  ['', 2],
  ['١', 2],
])('parseMajor rejects %j with %i digits', (text, digits) => {
  expect(parseMajor(text, digits)).toBeNull()
})

test('floorTo and ceilTo enclose an amount within one unit', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 40n), fc.bigInt(1n, 10n ** 20n), (amount, unit) => {
      const [low, high] = [floorTo(amount, unit), ceilTo(amount, unit)]
      expect(low <= amount && amount <= high && high - low <= unit).toBe(true)
      expect(low % unit === 0n && high % unit === 0n).toBe(true)
    }),
  )
})
