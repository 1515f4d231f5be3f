import { describe, expect, test } from 'vitest'
import { readConfig } from '../../config/config.ts'
import { kycStatuses } from '../../lib/kyc-status.ts'
import { accountStatuses, userStatuses } from '../../lib/user-status.ts'
import { cardStatuses } from '../cards/rules.ts'
import { cleanCity, type DeclineCode, holdExpiry, type Standing, standingCode } from './rules.ts'

const day = 86_400_000
const { holdDays } = readConfig({})
const good: Standing = { cardStatus: 'active', userStatus: 'active', accountStatus: 'active', kycStatus: 'approved' }

describe('the states of card, user and account decide a decline', () => {
  const expectedCodes: { [State in keyof Standing]: Record<Standing[State], DeclineCode | null> } = {
    cardStatus: {
      active: null,
      provisioning: 'FRB',
      blocked: 'UBT',
      canceled: 'BND',
      lost: 'BNP',
      stolen: 'BNR',
      expired: 'VNM',
    },
    userStatus: { active: null, closed: 'CNC' },
    accountStatus: { active: null, closed: 'CNC', blocked: 'CND', provisioning: 'CND' },
    kycStatus: {
      approved: null,
      notStarted: 'CND',
      documentsRequested: 'CND',
      pending: 'CND',
      processing: 'CND',
      resubmissionRequested: 'CND',
      requiresAction: 'CND',
      rejected: 'CND',
    },
  }
  const everyState = Object.entries(expectedCodes).flatMap(([name, codes]) =>
    Object.entries(codes).map(([state, code]) => [name, state, code] as const),
  )

  test('the table of decline codes covers every state', () => {
    const lists = [...cardStatuses, ...userStatuses, ...accountStatuses, ...kycStatuses]
    expect(everyState.map(([, state]) => state).toSorted()).toEqual(lists.toSorted())
  })

  test.each(everyState)('a payment with %s %s gets the decline code %s', (name, state, code) => {
    expect(standingCode({ ...good, [name]: state })).toBe(code)
  })

  test.each(Object.keys(expectedCodes))('a payment with an unknown %s is an error, never approved', (name) => {
    for (const state of ['suspended', 'toString', '__proto__']) {
      const standing: Standing = { ...good, [name]: state }
      expect(() => standingCode(standing)).toThrow(`the state "${state}"`)
    }
  })
})

test.each([
  ['5999', 7],
  ['7011', 31],
  ['3351', 31],
  ['3500', 31],
  ['3501', 7],
  ['7512', 31],
  ['4411', 31],
  ['5541', 3],
  ['5542', 3],
])('a hold at a merchant of category %s lasts %i days', (mcc, days) => {
  const at = new Date('2026-01-01T00:00:00.000Z')
  expect(holdExpiry(at, mcc, holdDays).getTime() - at.getTime()).toBe(days * day)
})

test.each([
  [' Berlin ', 'Berlin'],
  ['', null],
  [undefined, null],
  ['+49 30 1234567', null],
  ['800-555-0100', null],
  ['Area 51', 'Area 51'],
])('the city %o is stored as %o', (city, expected) => {
  expect(cleanCity(city)).toBe(expected)
})
