import { describe, expect, test } from 'vitest'
import { readConfig } from '../../config/config.ts'
import { kycStatuses } from '../../lib/kyc-status.ts'
import { accountStatuses, userStatuses } from '../../lib/user-status.ts'
import { cardStatuses } from '../cards/rules.ts'
import {
  type CodeFacts,
  cleanCity,
  type DeclineCode,
  decide,
  type FoldMessage,
  foldPayment,
  holdExpiry,
  replacementChange,
  resolveReversals,
  reviewReason,
  type Standing,
  standingCode,
} from './rules.ts'

const day = 86_400_000
const { holdDays, clearingTolerance } = readConfig({})
let tick = Date.parse('2026-01-01T00:00:00.000Z')

function say(type: FoldMessage['type'], amount: bigint | null = null, isFinal = true): FoldMessage {
  tick += 1000
  return { type, amount, isFinal, at: new Date(tick) }
}
const more = (amount: bigint) => say('clearing', amount, false)

describe('the fold', () => {
  test.each<[string, FoldMessage[], { status: string; held: bigint; settled: bigint; amount: bigint }]>([
    ['authorization', [say('authorization', 10n)], { status: 'pending', held: 10n, settled: 0n, amount: 10n }],
    ['zero-amount check', [say('authorization', 0n)], { status: 'pending', held: 0n, settled: 0n, amount: 0n }],
    [
      'expired check',
      [say('authorization', 0n), say('expiry')],
      { status: 'cancelled', held: 0n, settled: 0n, amount: 0n },
    ],
    [
      'increment',
      [say('authorization', 10n), say('incremental', 5n)],
      { status: 'pending', held: 15n, settled: 0n, amount: 15n },
    ],
    [
      'advice on top',
      [say('authorization', 10n), say('advice', 5n)],
      { status: 'pending', held: 15n, settled: 0n, amount: 15n },
    ],
    [
      'replacement up',
      [say('authorization', 10n), say('replacement', 5n)],
      { status: 'pending', held: 15n, settled: 0n, amount: 15n },
    ],
    [
      'replacement down',
      [say('authorization', 10n), say('replacement', -4n)],
      { status: 'pending', held: 6n, settled: 0n, amount: 6n },
    ],
    [
      'partial reversal',
      [say('authorization', 10n), say('reversal', 3n)],
      { status: 'pending', held: 7n, settled: 0n, amount: 7n },
    ],
    [
      'full reversal',
      [say('authorization', 10n), say('reversal', 10n)],
      { status: 'cancelled', held: 0n, settled: 0n, amount: 10n },
    ],
    [
      'clearing',
      [say('authorization', 10n), say('clearing', 10n)],
      { status: 'settled', held: 0n, settled: 10n, amount: 10n },
    ],
    [
      'smaller final clearing',
      [say('authorization', 10n), say('clearing', 7n)],
      { status: 'settled', held: 0n, settled: 7n, amount: 7n },
    ],
    ['more to come', [say('authorization', 10n), more(7n)], { status: 'pending', held: 3n, settled: 7n, amount: 10n }],
    [
      'more to come, all used up',
      [say('authorization', 10n), more(10n)],
      { status: 'settled', held: 0n, settled: 10n, amount: 10n },
    ],
    [
      'tip',
      [say('authorization', 10n), say('clearing', 12n)],
      { status: 'settled', held: 0n, settled: 12n, amount: 12n },
    ],
    ['expiry', [say('authorization', 10n), say('expiry')], { status: 'cancelled', held: 0n, settled: 0n, amount: 10n }],
    [
      'expiry after a partial clearing',
      [say('authorization', 10n), more(4n), say('expiry')],
      { status: 'settled', held: 0n, settled: 4n, amount: 4n },
    ],
    [
      'kept for an authorization that never came, beside a clearing of nothing',
      [say('incremental', 30n), say('reversal', 10n), more(0n)],
      { status: 'pending', held: 0n, settled: 0n, amount: 0n },
    ],
    [
      'clearing after the expiry',
      [say('authorization', 10n), say('expiry'), say('clearing', 10n)],
      { status: 'settled', held: 0n, settled: 10n, amount: 10n },
    ],
    [
      'reversed partly, then cleared for more than is left',
      [say('authorization', 10n), say('reversal', 6n), say('clearing', 10n)],
      { status: 'settled', held: 0n, settled: 10n, amount: 10n },
    ],
    [
      'more reversed than approved',
      [say('authorization', 10n), say('reversal', 12n)],
      { status: 'cancelled', held: 0n, settled: 0n, amount: 10n },
    ],
    ['forced clearing', [say('clearing', 9n)], { status: 'settled', held: 0n, settled: 9n, amount: 9n }],
    [
      'a forced clearing with an increment that waits: no hold without an authorization',
      [more(9n), say('incremental', 20n)],
      { status: 'settled', held: 0n, settled: 9n, amount: 9n },
    ],
    ['single message', [say('single_message', 9n)], { status: 'settled', held: 0n, settled: 9n, amount: 9n }],
    [
      'an advice once closed: recorded without a hold',
      [say('authorization', 10n), say('expiry'), say('advice', 5n)],
      { status: 'cancelled', held: 0n, settled: 0n, amount: 15n },
    ],
  ])('%s', (_name, messages, expected) => {
    expect(foldPayment(messages)).toMatchObject(expected)
  })

  test('a payment is cleared when its latest clearing came', () => {
    const [first, last] = [more(2n), more(3n)]
    expect(foldPayment([last, say('authorization', 10n), first]).clearedAt).toEqual(last.at)
    expect(foldPayment([say('authorization', 10n)]).clearedAt).toBeNull()
  })
})

describe('a reversal without an amount', () => {
  test('takes back what is held when it comes', () => {
    const messages = resolveReversals([say('authorization', 10n), more(4n), say('reversal')])
    expect(messages.at(-1)?.amount).toBe(6n)
  })

  test('waits for its authorization and takes back all that it brings', () => {
    const waiting = [say('reversal'), more(4n)]
    expect(resolveReversals(waiting)[0]?.amount).toBeNull()
    const messages = resolveReversals([...waiting, say('authorization', 10n)])
    expect(messages[0]?.amount).toBe(6n)
    expect(foldPayment(messages)).toMatchObject({ held: 0n, settled: 4n, status: 'settled' })
  })

  test('a second one takes nothing, and neither takes what is approved later', () => {
    const messages = resolveReversals([say('reversal'), say('reversal'), say('authorization', 10n)])
    expect(messages.map(({ amount }) => amount)).toEqual([10n, 0n, 10n])
    expect(foldPayment([...messages, say('incremental', 5n)]).held).toBe(5n)
  })
})

const good: Standing = { cardStatus: 'active', userStatus: 'active', accountStatus: 'active', kycStatus: 'approved' }

function codeWith(messages: FoldMessage[], { wasDecided = true } = {}): CodeFacts {
  return { messages, wasDecided, hasRow: messages.length > 0, hasPayment: messages.length > 0 }
}
const unseen = codeWith([], { wasDecided: false })
const funds = (spendable: bigint, isPartialAllowed = false) => ({ limitCode: null, spendable, isPartialAllowed })

describe('decisions', () => {
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

  test('the walk through all states covers every list of states', () => {
    const lists = [...cardStatuses, ...userStatuses, ...accountStatuses, ...kycStatuses]
    expect(everyState.map(([, state]) => state).toSorted()).toEqual(lists.toSorted())
  })

  test.each(everyState)('a payment with %s %s gets the decline code %s', (name, state, code) => {
    expect(standingCode({ ...good, [name]: state })).toBe(code)
  })

  test.each(Object.keys(expectedCodes))('a payment with an unknown %s is an error, never approved', (name) => {
    for (const state of ['suspended', 'toString', '__proto__']) {
      const standing: Standing = { ...good, [name]: state }
      expect(() => decide(say('authorization', 5n), unseen, standing, funds(9n))).toThrow(`the state "${state}"`)
    }
  })

  test('the card comes before the account, the account before the limits, the limits before the funds', () => {
    const limited = { ...funds(0n), limitCode: 'LIM' } as const
    const blocked: Standing = { ...good, accountStatus: 'blocked' }
    expect(decide(say('authorization', 5n), unseen, blocked, limited)).toMatchObject({ code: 'CND' })
    expect(decide(say('authorization', 5n), unseen, good, limited)).toEqual({ outcome: 'declined', code: 'LIM' })
    expect(decide(say('clearing', 5n), unseen, good, limited)).toMatchObject({ outcome: 'approved' })

    const bad: Standing = { ...good, cardStatus: 'lost', accountStatus: 'blocked' }
    expect(decide(say('authorization', 5n), unseen, bad, funds(0n))).toEqual({ outcome: 'declined', code: 'BNP' })
    expect(decide(say('authorization', 5n), unseen, { ...good, accountStatus: 'blocked' }, funds(0n))).toMatchObject({
      code: 'CND',
    })
    expect(decide(say('authorization', 5n), unseen, good, funds(4n))).toMatchObject({ code: '810' })
  })

  test('all that is spendable may be spent, a cent more may not', () => {
    expect(decide(say('authorization', 5n), unseen, good, funds(5n))).toEqual({ outcome: 'approved', amount: 5n })
    expect(decide(say('authorization', 6n), unseen, good, funds(5n))).toEqual({ outcome: 'declined', code: '810' })
    expect(decide(say('single_message', 6n), unseen, good, funds(5n, true))).toMatchObject({ code: '810' })
  })

  test('part of it is approved where the network allows that, but never nothing', () => {
    expect(decide(say('authorization', 8n), unseen, good, funds(5n, true))).toEqual({ outcome: 'approved', amount: 5n })
    expect(decide(say('authorization', 8n), unseen, good, funds(0n, true))).toMatchObject({ code: '810' })
  })

  test('what came before the authorization lowers what must fit', () => {
    const early = codeWith([say('reversal', 6n), more(3n)], { wasDecided: false })
    expect(decide(say('authorization', 10n), early, good, funds(1n))).toMatchObject({ outcome: 'approved' })
    expect(decide(say('authorization', 10n), early, good, funds(0n))).toMatchObject({ code: '810' })
    const reversedWhole = codeWith([say('reversal')], { wasDecided: false })
    expect(decide(say('authorization', 10n), reversedWhole, good, funds(0n))).toMatchObject({ outcome: 'approved' })
  })

  test('an increment needs funds for its difference, and an open authorization', () => {
    const open = codeWith([say('authorization', 10n)])
    expect(decide(say('incremental', 5n), open, good, funds(5n))).toMatchObject({ outcome: 'approved' })
    expect(decide(say('incremental', 5n), open, good, funds(4n))).toMatchObject({ code: '810' })
    expect(decide(say('incremental', 5n), open, { ...good, cardStatus: 'blocked' }, funds(5n))).toMatchObject({
      code: 'UBT',
    })
    const closed = codeWith([say('authorization', 10n), say('clearing', 10n)])
    expect(decide(say('incremental', 5n), closed, good, funds(100n))).toMatchObject({ code: 'CLO' })
    expect(decide(say('replacement', 5n), closed, good, funds(100n))).toMatchObject({ code: 'CLO' })
    expect(decide(say('replacement', -5n), closed, good, funds(0n))).toMatchObject({ outcome: 'approved' })
  })

  test('an authorization that comes last is not an increment: what is closed already needs no funds', () => {
    const early = codeWith([say('advice', 5n), say('clearing', 9n)], { wasDecided: false })
    expect(decide(say('authorization', 10n), early, good, funds(0n))).toMatchObject({ outcome: 'approved' })
  })

  test('before the authorization a reversal or increment is kept, after its decline a raise is refused', () => {
    const forced = codeWith([say('clearing', 5n)], { wasDecided: false })
    expect(decide(say('reversal', 5n), unseen, good, funds(0n))).toEqual({ outcome: 'kept', amount: 5n })
    expect(decide(say('incremental', 5n), forced, good, funds(0n))).toMatchObject({ outcome: 'kept' })
    const declined: CodeFacts = { messages: [], wasDecided: true, hasRow: true, hasPayment: false }
    expect(decide(say('incremental', 5n), declined, good, funds(9n))).toMatchObject({ code: 'CLO' })
    expect(decide(say('reversal', 5n), declined, good, funds(9n))).toMatchObject({ outcome: 'kept' })
  })

  test('what the network has decided is never declined', () => {
    const bad: Standing = { cardStatus: 'stolen', userStatus: 'closed', accountStatus: 'closed', kycStatus: 'rejected' }
    const open = codeWith([say('authorization', 10n)])
    for (const message of [say('clearing', 99n), say('advice', 99n), say('reversal', 5n), say('expiry')]) {
      expect(decide(message, open, bad, funds(0n))).toMatchObject({ outcome: 'approved' })
    }
  })

  test('a code that nobody saw cannot be replaced or expire; one that was decided cannot be authorized again', () => {
    expect(() => decide(say('replacement', 5n), unseen, good, funds(9n))).toThrow('no authorization with this code')
    expect(() => decide(say('expiry'), unseen, good, funds(9n))).toThrow('no authorization with this code')
    expect(() => decide(say('authorization', 1n), codeWith([say('authorization', 1n)]), good, funds(9n))).toThrow(
      'an authorization with this code already',
    )
    const onlyAdvice = codeWith([say('advice', 5n)], { wasDecided: false })
    expect(decide(say('authorization', 1n), onlyAdvice, good, funds(9n))).toMatchObject({ outcome: 'approved' })
  })

  test('a replacement counts against what is approved and not reversed', () => {
    const messages = [say('authorization', 10n), say('reversal', 4n), say('incremental', 2n)]
    expect(replacementChange(messages, 20n)).toBe(12n)
    expect(replacementChange(messages, 3n)).toBe(-5n)
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
])('a hold at a merchant of class %s lives %i days', (mcc, days) => {
  const at = new Date('2026-01-01T00:00:00.000Z')
  expect(holdExpiry(at, mcc, holdDays).getTime() - at.getTime()).toBe(days * day)
})

describe('what a person should look at', () => {
  const cleared = (approved: bigint, amount: bigint) =>
    foldPayment([say('authorization', approved), say('clearing', amount)])

  test.each([
    ['5999', false, 100n, false],
    ['5999', false, 101n, true],
    ['5999', true, 103n, false],
    ['5999', true, 104n, true],
    ['5812', false, 120n, false],
    ['5812', false, 121n, true],
    ['7011', false, 115n, false],
    ['7512', false, 116n, true],
  ] as const)('class %s, foreign %s, 100 cleared with %i: %s', (mcc, isForeign, amount, expected) => {
    const reason = reviewReason(cleared(100n, amount), { mcc, isForeign }, clearingTolerance)
    expect(reason).toBe(expected ? 'over_clearing' : null)
  })

  test('a clearing without authorization, one after a reversal, and more reversed than approved', () => {
    const reasonOf = (...messages: FoldMessage[]) =>
      reviewReason(foldPayment(messages), { mcc: '5999', isForeign: false }, clearingTolerance)
    expect(reasonOf(say('clearing', 1n))).toBe('unmatched_clearing')
    const reversed = [say('authorization', 10n), say('reversal', 10n)]
    expect(reasonOf(...reversed)).toBe(null)
    expect(reasonOf(...reversed, say('clearing', 10n))).toBe('over_clearing')
    expect(reasonOf(...reversed, say('reversal', 1n))).toBe('over_reversal')
  })
})

test.each([
  [' Berlin ', 'Berlin'],
  ['', null],
  [undefined, null],
  ['+49 30 1234567', null],
  ['800-555-0100', null],
  ['Area 51', 'Area 51'],
])('city %o reads %o', (city, expected) => {
  expect(cleanCity(city)).toBe(expected)
})
