import { describe, expect, test } from 'vitest'
import { readConfig } from '../../config/config.ts'
import { type FoldMessage, foldMessage, foldPayment, replacementChange, reviewReason } from './fold.ts'

const { clearingTolerance } = readConfig({})
let tick = Date.parse('2026-01-01T00:00:00.000Z')

function say(type: FoldMessage['type'], amount: bigint | null = null, isFinal = true): FoldMessage {
  tick += 1000
  return { type, amount, isFinal, at: new Date(tick) }
}
const more = (amount: bigint) => say('clearing', amount, false)

describe('the fold computes held and settled amounts', () => {
  test.each<[string, FoldMessage[], { status: string; held: bigint; settled: bigint; amount: bigint }]>([
    ['an authorization', [say('authorization', 10n)], { status: 'pending', held: 10n, settled: 0n, amount: 10n }],
    ['a card check of zero', [say('authorization', 0n)], { status: 'pending', held: 0n, settled: 0n, amount: 0n }],
    [
      'an expired card check',
      [say('authorization', 0n), say('expiry')],
      { status: 'cancelled', held: 0n, settled: 0n, amount: 0n },
    ],
    [
      'an authorization and an increment',
      [say('authorization', 10n), say('incremental', 5n)],
      { status: 'pending', held: 15n, settled: 0n, amount: 15n },
    ],
    [
      'an authorization and an advice',
      [say('authorization', 10n), say('advice', 5n)],
      { status: 'pending', held: 15n, settled: 0n, amount: 15n },
    ],
    [
      'a replacement by a higher amount',
      [say('authorization', 10n), say('replacement', 5n)],
      { status: 'pending', held: 15n, settled: 0n, amount: 15n },
    ],
    [
      'a replacement by a lower amount',
      [say('authorization', 10n), say('replacement', -4n)],
      { status: 'pending', held: 6n, settled: 0n, amount: 6n },
    ],
    [
      'a partial reversal',
      [say('authorization', 10n), say('reversal', 3n)],
      { status: 'pending', held: 7n, settled: 0n, amount: 7n },
    ],
    [
      'a full reversal',
      [say('authorization', 10n), say('reversal', 10n)],
      { status: 'cancelled', held: 0n, settled: 0n, amount: 10n },
    ],
    [
      'a clearing of the whole hold',
      [say('authorization', 10n), say('clearing', 10n)],
      { status: 'settled', held: 0n, settled: 10n, amount: 10n },
    ],
    [
      'a final clearing below the hold',
      [say('authorization', 10n), say('clearing', 7n)],
      { status: 'settled', held: 0n, settled: 7n, amount: 7n },
    ],
    [
      'a clearing with more to come',
      [say('authorization', 10n), more(7n)],
      { status: 'pending', held: 3n, settled: 7n, amount: 10n },
    ],
    [
      'a clearing with more to come that uses up the hold',
      [say('authorization', 10n), more(10n)],
      { status: 'settled', held: 0n, settled: 10n, amount: 10n },
    ],
    [
      'a clearing with a tip',
      [say('authorization', 10n), say('clearing', 12n)],
      { status: 'settled', held: 0n, settled: 12n, amount: 12n },
    ],
    [
      'an expiry',
      [say('authorization', 10n), say('expiry')],
      { status: 'cancelled', held: 0n, settled: 0n, amount: 10n },
    ],
    [
      'an expiry after a partial clearing',
      [say('authorization', 10n), more(4n), say('expiry')],
      { status: 'settled', held: 0n, settled: 4n, amount: 4n },
    ],
    [
      'an increment and a reversal without an authorization, and a clearing of 0',
      [say('incremental', 30n), say('reversal', 10n), more(0n)],
      { status: 'pending', held: 0n, settled: 0n, amount: 0n },
    ],
    [
      'a clearing after the expiry',
      [say('authorization', 10n), say('expiry'), say('clearing', 10n)],
      { status: 'settled', held: 0n, settled: 10n, amount: 10n },
    ],
    [
      'a partial reversal, then a clearing above the rest',
      [say('authorization', 10n), say('reversal', 6n), say('clearing', 10n)],
      { status: 'settled', held: 0n, settled: 10n, amount: 10n },
    ],
    [
      'a reversal above the approved amount',
      [say('authorization', 10n), say('reversal', 12n)],
      { status: 'cancelled', held: 0n, settled: 0n, amount: 10n },
    ],
    ['a forced clearing', [say('clearing', 9n)], { status: 'settled', held: 0n, settled: 9n, amount: 9n }],
    [
      'a forced clearing and a deferred increment, which holds nothing',
      [more(9n), say('incremental', 20n)],
      { status: 'settled', held: 0n, settled: 9n, amount: 9n },
    ],
    ['a single message', [say('single_message', 9n)], { status: 'settled', held: 0n, settled: 9n, amount: 9n }],
    [
      'an advice after the expiry, which holds nothing',
      [say('authorization', 10n), say('expiry'), say('advice', 5n)],
      { status: 'cancelled', held: 0n, settled: 0n, amount: 15n },
    ],
  ])('the fold computes the status and amounts of %s', (_name, messages, expected) => {
    expect(foldPayment(messages)).toMatchObject(expected)
  })

  test('a payment is cleared at the time of its latest clearing', () => {
    const [first, last] = [more(2n), more(3n)]
    expect(foldPayment([last, say('authorization', 10n), first]).clearedAt).toEqual(last.at)
    expect(foldPayment([say('authorization', 10n)]).clearedAt).toBeNull()
  })
})

describe('a full reversal has no amount of its own', () => {
  const add = (messages: readonly FoldMessage[], last: FoldMessage) => foldMessage(foldPayment(messages), last)

  test('a full reversal takes back what is held when it arrives', () => {
    const { payment, reversedInFull } = add([say('authorization', 10n), more(4n)], say('reversal'))
    expect(reversedInFull).toBe(6n)
    expect(payment).toMatchObject({ held: 0n, settled: 4n, reversed: 6n, status: 'settled' })
  })

  test('a full reversal that arrives first takes back everything that its authorization brings', () => {
    const early = [say('reversal'), more(4n)]
    expect(add([say('reversal')], more(4n)).reversedInFull).toBeNull()
    const { payment, reversedInFull } = add(early, say('authorization', 10n))
    expect(reversedInFull).toBe(6n)
    expect(payment).toMatchObject({ held: 0n, settled: 4n, status: 'settled' })
  })

  test('a full reversal releases nothing of a single message, and keeps waiting for an authorization', () => {
    const { payment, reversedInFull } = add([say('reversal')], say('single_message', 10n))
    expect(reversedInFull).toBeNull()
    expect(payment).toMatchObject({ held: 0n, settled: 10n, hasOpenReversal: true })
  })

  test('a second full reversal takes nothing, and no full reversal takes a later increment', () => {
    const { payment, reversedInFull } = add([say('reversal'), say('reversal')], say('authorization', 10n))
    expect(reversedInFull).toBe(10n)
    expect(foldMessage(payment, say('reversal')).reversedInFull).toBe(0n)
    expect(foldMessage(payment, say('incremental', 5n)).payment.held).toBe(5n)
  })
})

test('the change of a replacement is its new total, less the amount that is approved and not reversed', () => {
  const payment = foldPayment([say('authorization', 10n), say('reversal', 4n), say('incremental', 2n)])
  expect(replacementChange(payment, 20n)).toBe(12n)
  expect(replacementChange(payment, 3n)).toBe(-5n)
})

describe('suspicious payments need a review', () => {
  const cleared = (approved: bigint, amount: bigint) =>
    foldPayment([say('authorization', approved), say('clearing', amount)])

  test.each([
    ['5999', false, 100n, 'no'],
    ['5999', false, 101n, 'a'],
    ['5999', true, 103n, 'no'],
    ['5999', true, 104n, 'a'],
    ['5812', false, 120n, 'no'],
    ['5812', false, 121n, 'a'],
    ['7011', false, 115n, 'no'],
    ['7512', false, 116n, 'a'],
  ] as const)(
    'in category %s (foreign: %s), a clearing of %i for 100 approved needs %s review',
    (mcc, isForeign, amount, expected) => {
      const reason = reviewReason(cleared(100n, amount), { mcc, isForeign }, clearingTolerance)
      expect(reason).toBe(expected === 'a' ? 'over_clearing' : null)
    },
  )

  test('a clearing without authorization, one after a reversal, and an excessive reversal need a review', () => {
    const reasonOf = (...messages: FoldMessage[]) =>
      reviewReason(foldPayment(messages), { mcc: '5999', isForeign: false }, clearingTolerance)
    expect(reasonOf(say('clearing', 1n))).toBe('unmatched_clearing')
    const reversed = [say('authorization', 10n), say('reversal', 10n)]
    expect(reasonOf(...reversed)).toBe(null)
    expect(reasonOf(...reversed, say('clearing', 10n))).toBe('over_clearing')
    expect(reasonOf(...reversed, say('reversal', 1n))).toBe('over_reversal')
    // A deferred reversal of a single message has a review of its own.
    expect(reasonOf(say('reversal', 10n), say('single_message', 10n))).toBe(null)
    expect(reasonOf(say('single_message', 10n), say('clearing', 1n))).toBe('over_clearing')
  })
})
