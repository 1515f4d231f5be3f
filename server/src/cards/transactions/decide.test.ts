import { describe, expect, test } from 'vitest'
import { decidePayment, type PaymentFacts } from './decide.ts'
import { type FoldMessage, foldPayment } from './fold.ts'
import type { Standing } from './rules.ts'

let tick = Date.parse('2026-01-01T00:00:00.000Z')

function say(type: FoldMessage['type'], amount: bigint | null = null, isFinal = true): FoldMessage {
  tick += 1000
  return { type, amount, isFinal, at: new Date(tick) }
}
const more = (amount: bigint) => say('clearing', amount, false)

const good: Standing = { cardStatus: 'active', userStatus: 'active', accountStatus: 'active', kycStatus: 'approved' }

type CodeFacts = Pick<PaymentFacts, 'before' | 'wasDecided' | 'hasPayment'>
type Means = Pick<PaymentFacts, 'mayApprove' | 'limitCode' | 'spendable' | 'isPartialAllowed' | 'isLate'>

function codeWith(messages: FoldMessage[], { wasDecided = true } = {}): CodeFacts {
  return { before: foldPayment(messages), wasDecided, hasPayment: messages.length > 0 }
}
const unseen = codeWith([], { wasDecided: false })

function funds(spendable: bigint, isPartialAllowed = false): Means {
  return { mayApprove: true, limitCode: () => null, spendable, isPartialAllowed, isLate: false }
}

function decide(message: FoldMessage, code: CodeFacts, standing: Standing, means: Means) {
  return decidePayment(message, { ...code, standing, ...means })
}

describe('card messages are decided', () => {
  test('the card is checked before the account, the account before the limits, and the limits before the funds', () => {
    const limited: Means = { ...funds(0n), limitCode: () => 'LIM' }
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

  test('the kill switch declines payments before any other check, but no message that the network has decided', () => {
    const off: Means = { ...funds(10n), mayApprove: false }
    const lost: Standing = { ...good, cardStatus: 'lost' }
    for (const standing of [good, lost]) {
      expect(decide(say('authorization', 5n), unseen, standing, off)).toEqual({ outcome: 'declined', code: 'OFF' })
      expect(decide(say('single_message', 5n), unseen, standing, off)).toEqual({ outcome: 'declined', code: 'OFF' })
    }
    expect(decide(say('clearing', 5n), unseen, good, off)).toMatchObject({ outcome: 'approved' })
    const open = codeWith([say('authorization', 10n)])
    expect(decide(say('incremental', 5n), open, good, off)).toEqual({ outcome: 'declined', code: 'OFF' })
    expect(decide(say('reversal', 5n), open, good, off)).toMatchObject({ outcome: 'approved' })
    expect(decide(say('expiry'), open, good, off)).toMatchObject({ outcome: 'approved' })
  })

  test('the whole spendable amount can be spent, and not a cent more', () => {
    expect(decide(say('authorization', 5n), unseen, good, funds(5n))).toMatchObject({ outcome: 'approved', amount: 5n })
    expect(decide(say('authorization', 6n), unseen, good, funds(5n))).toEqual({ outcome: 'declined', code: '810' })
    expect(decide(say('single_message', 6n), unseen, good, funds(5n, true))).toMatchObject({ code: '810' })
  })

  test('a partial approval covers what is spendable, but is never empty', () => {
    expect(decide(say('authorization', 8n), unseen, good, funds(5n, true))).toMatchObject({
      outcome: 'approved',
      amount: 5n,
    })
    expect(decide(say('authorization', 8n), unseen, good, funds(0n, true))).toMatchObject({ code: '810' })
  })

  test('reversals and clearings before the authorization lower the funds that it needs', () => {
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

  test('an authorization that comes after its final clearing needs no funds', () => {
    const early = codeWith([say('advice', 5n), say('clearing', 9n)], { wasDecided: false })
    expect(decide(say('authorization', 10n), early, good, funds(0n))).toMatchObject({ outcome: 'approved' })
  })

  test('a reversal or increment before its authorization is deferred, and an increment of a declined authorization is declined', () => {
    const forced = codeWith([say('clearing', 5n)], { wasDecided: false })
    expect(decide(say('reversal', 5n), unseen, good, funds(0n))).toEqual({ outcome: 'deferred' })
    expect(decide(say('incremental', 5n), forced, good, funds(0n))).toMatchObject({ outcome: 'deferred' })
    const declined = { before: foldPayment([]), wasDecided: true, hasPayment: false }
    expect(decide(say('incremental', 5n), declined, good, funds(9n))).toMatchObject({ code: 'CLO' })
    expect(decide(say('reversal', 5n), declined, good, funds(9n))).toMatchObject({ outcome: 'deferred' })
  })

  test('a reversal of a single message is deferred, because it holds nothing that could be released', () => {
    const single = codeWith([say('single_message', 10n)])
    expect(decide(say('reversal', 10n), single, good, funds(0n))).toEqual({ outcome: 'deferred' })
    expect(decide(say('reversal'), single, good, funds(0n))).toEqual({ outcome: 'deferred' })
    expect(decide(say('replacement', -4n), single, good, funds(0n))).toEqual({ outcome: 'deferred' })
    expect(decide(say('replacement', 4n), single, good, funds(9n))).toMatchObject({ code: 'CLO' })
  })

  test('a message that the network has decided is never declined', () => {
    const bad: Standing = { cardStatus: 'stolen', userStatus: 'closed', accountStatus: 'closed', kycStatus: 'rejected' }
    const open = codeWith([say('authorization', 10n)])
    for (const message of [say('clearing', 99n), say('advice', 99n), say('reversal', 5n), say('expiry')]) {
      expect(decide(message, open, bad, funds(0n))).toMatchObject({ outcome: 'approved' })
    }
  })

  test('an unknown authorization cannot be replaced or expire, and the code of a decided one cannot be used again', () => {
    expect(() => decide(say('replacement', 5n), unseen, good, funds(9n))).toThrow('no authorization with this code')
    expect(() => decide(say('expiry'), unseen, good, funds(9n))).toThrow('no authorization with this code')
    expect(() => decide(say('authorization', 1n), codeWith([say('authorization', 1n)]), good, funds(9n))).toThrow(
      'The card already has an authorization',
    )
    const onlyAdvice = codeWith([say('advice', 5n)], { wasDecided: false })
    expect(decide(say('authorization', 1n), onlyAdvice, good, funds(9n))).toMatchObject({ outcome: 'approved' })
  })

  test('an authorization is replaced only after it or its advice has arrived, whatever other messages have its code', () => {
    const forced = codeWith([more(30n)], { wasDecided: false })
    expect(() => decide(say('replacement', 150n), forced, good, funds(999n))).toThrow('no authorization with this code')
    const onlyAdvice = codeWith([say('advice', 100n)], { wasDecided: false })
    expect(decide(say('replacement', 50n), onlyAdvice, good, funds(50n))).toMatchObject({ outcome: 'approved' })
    const declined = codeWith([more(30n)])
    expect(decide(say('replacement', 150n), declined, good, funds(999n))).toMatchObject({ code: 'CLO' })
  })

  test('a late message is declined as late even if it would be approved', () => {
    const late = { isLate: true }
    expect(decide(say('authorization', 5n), unseen, good, { ...funds(9n), ...late })).toMatchObject({ code: 'TMO' })
    expect(decide(say('incremental', 5n), unseen, good, { ...funds(9n), ...late })).toMatchObject({ code: 'TMO' })
  })

  test('a decision about a card message reads each earlier message once', () => {
    let reads = 0
    const counting = (message: FoldMessage): FoldMessage => ({
      ...message,
      get amount() {
        reads++
        return message.amount
      },
    })
    const messages = [say('authorization', 10n), say('incremental', 5n), more(3n)].map(counting)
    const decided = decide(say('incremental', 5n), codeWith(messages), good, funds(5n))
    expect(decided).toMatchObject({ outcome: 'approved', after: { payment: { held: 17n, settled: 3n } } })
    expect(reads).toBe(messages.length)
  })
})
