import { expect, test } from 'vitest'
import { accountStatuses } from '../../lib/user-status.ts'
import { canonicalEmail, currencyOf, mayBecome } from './rules.ts'

test('the currency of an account follows the country', () => {
  const of = (country: string | null) => currencyOf(country, ['EUR', 'GBP', 'USD'])
  expect(['GB', 'US', 'BR', 'DE', 'JP', null].map(of)).toEqual(['GBP', 'USD', 'USD', 'EUR', 'EUR', 'EUR'])
})

test('the currency of an account is that of the first token where the programme has none in the country’s', () => {
  const of = (country: string | null) => currencyOf(country, ['USD', 'GBP'])
  expect(['GB', 'US', 'DE', null].map(of)).toEqual(['GBP', 'USD', 'USD', 'USD'])
})

test('a closed account stays closed; every other state can be left and can be kept', () => {
  for (const to of accountStatuses) expect(mayBecome('closed', to)).toBe(to === 'closed')
  for (const from of accountStatuses) {
    expect(mayBecome(from, from)).toBe(true)
    expect(mayBecome(from, 'closed')).toBe(true)
  }
})

test('a mail address is one whatever its letter case', () => {
  expect(canonicalEmail(' Ada@Example.ORG ')).toBe('ada@example.org')
})
