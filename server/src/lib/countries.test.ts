import { expect, test } from 'vitest'
import { countryOf, isCountry } from './countries.ts'

test('countries are the 249 codes of ISO 3166, in upper case', () => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('')
  const codes = letters.flatMap((first) => letters.map((second) => first + second)).filter(isCountry)
  expect(codes).toHaveLength(249)
  expect(['ZZ', 'XK', 'UK', 'de', '', 'constructor'].filter(isCountry)).toEqual([])
})

test('a country is known by two letters and by three', () => {
  expect(['DEU', 'DE', 'GBR', 'AND', 'ZWE'].map(countryOf)).toEqual(['DE', 'DE', 'GB', 'AD', 'ZW'])
  expect(['XXX', 'GER', 'deu', '', 'constructor'].map(countryOf)).toEqual([null, null, null, null, null])
})
