import { expect, test } from 'vitest'
import {
  defaultClearingTolerance,
  defaultHoldDays,
  figureFor,
  readCardLimits,
  readClearingTolerance,
  readHoldDays,
} from './card-programme.ts'

function problemsOf(read: (problem: (wanted: string) => void) => unknown): string[] {
  const problems: string[] = []
  read((wanted) => problems.push(wanted))
  return problems
}

test('nothing configured is no limits', () => {
  const none = { perTransaction: {}, daily: {}, merchantTypes: [], velocity: null }
  const expected = { ...none, refusedMerchantTypes: [], refusedCountries: [] }
  expect(problemsOf((problem) => expect(readCardLimits(undefined, problem)).toEqual(expected))).toEqual([])
})

test('limits are read as minor units, by currency and by ranges of merchant types', () => {
  const given = {
    perTransaction: { EUR: '100000' },
    daily: { EUR: '250000', GBP: '200000' },
    merchantTypes: { 6011: { daily: { EUR: '50000' } }, '7800-7999': { perTransaction: { EUR: '10000' } } },
    velocity: { authorizations: 20, seconds: 60 },
    refusedMerchantTypes: ['7995', '6050-6051'],
    refusedCountries: ['KP'],
  }
  const problems = problemsOf((problem) =>
    expect(readCardLimits(JSON.stringify(given), problem)).toEqual({
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
    }),
  )
  expect(problems).toEqual([])
})

test('every problem of the limits is named at once', () => {
  const given = {
    perTransaction: { EUR: 100, euro: '1' },
    daily: [],
    merchantTypes: { 601: {}, '7000-7999': {}, 7011: { weekly: {} } },
    velocity: { authorizations: 0, seconds: 60 },
    refusedMerchantTypes: '7995',
    refusedCountries: ['Germany'],
    monthly: {},
  }
  expect(problemsOf((problem) => readCardLimits(JSON.stringify(given), problem))).toEqual([
    "perTransaction: EUR must be a text of digits, in the currency's minor unit",
    'perTransaction: euro is not a currency code',
    'daily must be a JSON object',
    '601 is not a merchant type: four digits, or a range of them as in 3351-3500',
    'merchantTypes 7011: weekly is not known',
    'merchant type 7011 is covered twice',
    'velocity must have authorizations, from 1 to 100000, and seconds, from 1 to 2678400',
    'refusedMerchantTypes must be an array of texts',
    'Germany is not a country code of two letters',
    'monthly is not known',
  ])
  expect(problemsOf((problem) => readCardLimits('{', problem))).toEqual(['the value must be a JSON object'])
})

test('a figure is that of the merchant type, else the one for all others', () => {
  const problems = problemsOf((problem) => {
    const days = readHoldDays(defaultHoldDays, problem)
    const figures = ['3350', '3351', '3500', '3501', '4411', '5541', '5542', '7011'].map((mcc) => figureFor(days, mcc))
    expect(figures).toEqual([7, 31, 31, 7, 31, 3, 3, 31])
    const tolerance = readClearingTolerance(defaultClearingTolerance, problem)
    expect([tolerance.default, tolerance.foreign, figureFor(tolerance, '5813'), figureFor(tolerance, '7512')]).toEqual([
      0, 3, 20, 15,
    ])
  })
  expect(problems).toEqual([])
})

test('figures that are missing, no integers, out of range or given twice are named', () => {
  expect(problemsOf((problem) => readHoldDays('{"default":0,"7011":1.5,"hotel":3}', problem))).toEqual([
    '7011 must be an integer from 1 to 365',
    'default must be an integer from 1 to 365',
    'hotel is not a merchant type: four digits, or a range of them as in 3351-3500',
    'default is missing, or not an integer',
  ])
  expect(problemsOf((problem) => readClearingTolerance('{"default":0,"5812":20,"5800-5899":1}', problem))).toEqual([
    'foreign is missing, or not an integer',
    'merchant type 5812 is covered twice',
  ])
})
