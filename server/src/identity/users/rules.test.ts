import { expect, test } from 'vitest'
import { accountStatuses } from '../../lib/user-status.ts'
import { canonicalEmail, currencyOf, mayAccountBecome } from './rules.ts'

test("the currency of an account follows the user's country", () => {
  const of = (country: string | null) => currencyOf(country, ['EUR', 'GBP', 'USD'])
  expect(['GB', 'US', 'BR', 'DE', 'JP', null].map(of)).toEqual(['GBP', 'USD', 'USD', 'EUR', 'EUR', 'EUR'])
})

test("an account has the first token's currency if no token has the currency of the user's country", () => {
  const of = (country: string | null) => currencyOf(country, ['USD', 'GBP'])
  expect(['GB', 'US', 'DE', null].map(of)).toEqual(['GBP', 'USD', 'USD', 'USD'])
})

test('a closed account stays closed, and every other account state can be kept or left', () => {
  for (const to of accountStatuses) expect(mayAccountBecome('closed', to)).toBe(to === 'closed')
  for (const from of accountStatuses) {
    expect(mayAccountBecome(from, from)).toBe(true)
    expect(mayAccountBecome(from, 'closed')).toBe(true)
  }
})

test('letter case and surrounding spaces do not make an email address different', () => {
  expect(canonicalEmail(' Ada@Example.ORG ')).toBe('ada@example.org')
})
