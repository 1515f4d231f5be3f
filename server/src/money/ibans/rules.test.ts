import { expect, test } from 'vitest'
import { type IbanApplicant, isEligible } from './rules.ts'

const eligible: IbanApplicant = {
  kycStatus: 'approved',
  account: { currency: 'EUR', status: 'active' },
  firstName: 'Ada',
  lastName: 'Lovelace',
  birthDate: '1990-01-01',
  nationality: 'FR',
  street: '1 Test Street',
  city: 'Testville',
  postalCode: '10115',
  country: 'DE',
}
const countries = ['DE', 'FR']

test('a verified resident and national of supported countries with a euro account is eligible for an IBAN', () => {
  expect(isEligible(eligible, countries)).toBe(true)
})

test.each<Partial<IbanApplicant>>([
  { kycStatus: 'pending' },
  { account: null },
  { account: { currency: 'GBP', status: 'active' } },
  { account: { currency: 'EUR', status: 'provisioning' } },
  { account: { currency: 'EUR', status: 'blocked' } },
  { account: { currency: 'EUR', status: 'closed' } },
  { firstName: null },
  { lastName: '' },
  { birthDate: null },
  { street: null },
  { city: null },
  { postalCode: null },
  { country: null },
  { country: 'US' },
  { nationality: null },
  { nationality: 'US' },
])('an otherwise eligible user with %j is not eligible for an IBAN', (change) => {
  expect(isEligible({ ...eligible, ...change }, countries)).toBe(false)
})
