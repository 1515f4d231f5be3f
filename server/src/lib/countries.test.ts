import library from 'i18n-iso-countries'
import { expect, test } from 'vitest'
import { countryOf, isCountry } from './countries.ts'

test('the country table holds exactly the 249 codes of ISO 3166-1', () => {
  // XK is a user-assigned code for Kosovo that many libraries add. ISO 3166-1 does not assign it.
  const codes = Object.entries(library.getAlpha2Codes()).filter(([alpha2]) => alpha2 !== 'XK')
  expect(codes).toHaveLength(249)
  expect(codes.filter(([alpha2, alpha3]) => !isCountry(alpha2) || countryOf(alpha3) !== alpha2)).toEqual([])
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('')
  expect(letters.flatMap((first) => letters.map((second) => first + second)).filter(isCountry)).toHaveLength(249)
})

test('unassigned codes, lower case and property names are not countries', () => {
  expect(['ZZ', 'XK', 'UK', 'de', '', 'constructor'].filter(isCountry)).toEqual([])
  expect(['XXX', 'GER', 'deu', '', 'constructor'].map(countryOf)).toEqual([null, null, null, null, null])
})

test('a country is found by its alpha-2 and its alpha-3 code', () => {
  expect(['DEU', 'DE', 'GBR', 'AND', 'ZWE'].map(countryOf)).toEqual(['DE', 'DE', 'GB', 'AD', 'ZW'])
})
