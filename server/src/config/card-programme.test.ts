import { expect, test } from 'vitest'
import { problemsOf } from '../../test/support/config-problems.ts'
import { readConfig } from './config.ts'

test('without CARD_LIMITS nothing is limited', () => {
  const none = { perTransaction: {}, daily: {}, merchantTypes: [], velocity: null }
  const expected = { ...none, refusedMerchantTypes: [], refusedCountries: [] }
  expect(readConfig({}).cardLimits).toEqual(expected)
  expect(readConfig({ CARD_LIMITS: '{}' }).cardLimits).toEqual(expected)
})

test('card limits are read as minor units, by currency and by ranges of merchant types', () => {
  const given = {
    perTransaction: { EUR: '100000' },
    daily: { EUR: '250000', GBP: '200000' },
    merchantTypes: { 6011: { daily: { EUR: '50000' } }, '7800-7999': { perTransaction: { EUR: '10000' } } },
    velocity: { authorizations: 20, seconds: 60 },
    refusedMerchantTypes: ['7995', '6050-6051'],
    refusedCountries: ['KP'],
  }
  expect(readConfig({ CARD_LIMITS: JSON.stringify(given) }).cardLimits).toEqual({
    perTransaction: { EUR: 100_000n },
    daily: { EUR: 250_000n, GBP: 200_000n },
    merchantTypes: [
      { first: '6011', last: '6011', perTransaction: {}, daily: { EUR: 50_000n } },
      { first: '7800', last: '7999', perTransaction: { EUR: 10_000n }, daily: {} },
    ],
    velocity: { authorizations: 20, seconds: 60 },
    refusedMerchantTypes: [
      { first: '7995', last: '7995' },
      { first: '6050', last: '6051' },
    ],
    refusedCountries: ['KP'],
  })
})

test('every problem of the card limits is reported at once', () => {
  const given = {
    perTransaction: { EUR: 100, euro: '1' },
    daily: [],
    merchantTypes: { 601: {}, 7011: { weekly: {} } },
    velocity: { authorizations: 0, seconds: 60 },
    refusedMerchantTypes: '7995',
    refusedCountries: ['Germany'],
    monthly: {},
  }
  const parts = 'perTransaction, daily, merchantTypes, velocity, refusedMerchantTypes, refusedCountries'
  const type = 'a merchant category code of four digits, or a range such as 3351-3500'
  expect([...problemsOf({ CARD_LIMITS: JSON.stringify(given) })].sort()).toEqual(
    [
      `CARD_LIMITS must not have the field "monthly". It may have ${parts}.`,
      'CARD_LIMITS.perTransaction must not have the field "euro". A field is an ISO 4217 currency code of three letters.',
      `CARD_LIMITS.perTransaction.EUR must be a string of digits, in the currency's minor unit, not 100.`,
      'CARD_LIMITS.daily must be a JSON object, not [].',
      `CARD_LIMITS.merchantTypes must not have the field "601". A field is ${type}.`,
      'CARD_LIMITS.merchantTypes.7011 must not have the field "weekly". It may have perTransaction, daily.',
      'CARD_LIMITS.velocity.authorizations must be an integer from 1 to 100000, not 0.',
      'CARD_LIMITS.refusedMerchantTypes must be a JSON array, not "7995".',
      'CARD_LIMITS.refusedCountries[0] must be a country code of two letters, not "Germany".',
    ].sort(),
  )
  expect(problemsOf({ CARD_LIMITS: '{' })[0]).toMatch(/^CARD_LIMITS must be valid JSON: /)
  expect(problemsOf({ CARD_LIMITS: '{"merchantTypes":{"7000-7999":{},"7011":{}}}' })).toEqual([
    'CARD_LIMITS must not cover merchant type 7011 twice.',
  ])
})

test('missing, fractional, out-of-range and repeated numbers by merchant type are reported', () => {
  expect(problemsOf({ HOLD_DAYS: '{"default":0,"7011":1.5,"hotel":3}' })).toEqual([
    'HOLD_DAYS must not have the field "hotel". A field is default or a merchant type such as 7011 or 3351-3500.',
    'HOLD_DAYS.7011 must be an integer from 1 to 365, not 1.5.',
    'HOLD_DAYS.default must be an integer from 1 to 365, not 0.',
  ])
  expect(problemsOf({ HOLD_DAYS: '{"7011":3}' })).toEqual(['HOLD_DAYS must have the field "default".'])
  expect(problemsOf({ CLEARING_TOLERANCE: '{"default":0,"foreign":0,"5812":20,"5800-5899":1}' })).toEqual([
    'CLEARING_TOLERANCE must not cover merchant type 5812 twice.',
  ])
})
