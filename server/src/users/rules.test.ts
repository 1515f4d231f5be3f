import { expect, test } from 'vitest'
import { accountStatuses, canonicalEmail, currencyOf, mayBecome } from './rules.ts'

test('the currency of an account follows the country', () => {
  expect(['GB', 'US', 'BR', 'DE', 'JP', null].map(currencyOf)).toEqual(['GBP', 'USD', 'USD', 'EUR', 'EUR', 'EUR'])
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
