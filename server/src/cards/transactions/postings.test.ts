import { describe, expect, test } from 'vitest'
import { applyPostings, type Balances, noBalance, type TokenScale } from '../../ledger/rules.ts'
import { creditCard, debitCard, type Part, type Posted, reachTarget } from './postings.ts'

const A: TokenScale = { address: 'A', currency: 'EUR', decimals: 4 }
const B: TokenScale = { address: 'B', currency: 'EUR', decimals: 2 }
const tokens = [A, B]

/** Returns balances of A and B in token units. A unit of A is a hundredth of a cent, a unit of B a cent. */
function having(a: bigint, b: bigint): Balances {
  const of = (amount: bigint) => ({
    ...noBalance,
    available: amount > 0n ? amount : 0n,
    debt: amount < 0n ? amount : 0n,
    network: -amount,
  })
  return new Map([
    ['A', of(a)],
    ['B', of(b)],
  ])
}

const written = ({ postings }: Posted) =>
  postings.map(({ token, from, to, amount }) => `${token} ${from} → ${to} ${amount}`)
const mustFit = { mayOwe: false }
const mayOwe = { mayOwe: true }

/** Holds 150 cents: 100 of A, 50 of B. */
function held(): { balances: Balances; parts: readonly Part[] } {
  const before = having(10_000n, 80n)
  const posted = reachTarget(tokens, before, [], { held: 150n, settled: 0n }, mustFit)
  return { balances: applyPostings(before, posted.postings), parts: posted.parts }
}

describe('a hold draws on the tokens', () => {
  test('a hold draws whole cents of each token, in configured order, and leaves the dust', () => {
    const posted = reachTarget(tokens, having(10_099n, 80n), [], { held: 150n, settled: 0n }, mustFit)
    expect(written(posted)).toEqual(['A available → held 10000', 'B available → held 50'])
    expect(posted.parts).toEqual([
      { token: 'A', held: 10_000n, settled: 0n },
      { token: 'B', held: 50n, settled: 0n },
    ])
  })

  test('a hold that Purser approves must fit the available funds, and one that the network approved takes its shortfall from the first token', () => {
    const target = { held: 200n, settled: 0n }
    expect(() => reachTarget(tokens, having(10_099n, 80n), [], target, mustFit)).toThrow('must fit')
    const posted = reachTarget(tokens, having(10_099n, 80n), [], target, mayOwe)
    expect(written(posted)).toEqual([
      'A available → held 10000',
      'B available → held 80',
      'A available → held 99',
      'A debt → held 1901',
    ])
    expect(posted.parts[0]).toEqual({ token: 'A', held: 12_000n, settled: 0n })
  })

  test('a hold of zero, which checks a card, needs no token', () => {
    expect(reachTarget([], new Map(), [], { held: 0n, settled: 0n }, mustFit)).toEqual({ postings: [], parts: [] })
  })

  test('a hold is released in reverse order, and raised by the difference only', () => {
    const { balances, parts } = held()
    expect(written(reachTarget(tokens, balances, parts, { held: 90n, settled: 0n }, mustFit))).toEqual([
      'B held → available 50',
      'A held → available 1000',
    ])
    expect(written(reachTarget(tokens, balances, parts, { held: 160n, settled: 0n }, mustFit))).toEqual([
      'B available → held 10',
    ])
    expect(written(reachTarget(tokens, balances, parts, { held: 150n, settled: 0n }, mustFit))).toEqual([])
  })
})

describe('a clearing settles a hold', () => {
  test('a clearing takes the hold in configured order, and the rest is released in reverse', () => {
    const { balances, parts } = held()
    const posted = reachTarget(tokens, balances, parts, { held: 0n, settled: 120n }, mayOwe)
    expect(written(posted)).toEqual(['A held → network 10000', 'B held → network 20', 'B held → available 30'])
    expect(posted.parts).toEqual([
      { token: 'A', held: 0n, settled: 10_000n },
      { token: 'B', held: 0n, settled: 20n },
    ])
  })

  test('a clearing with more to come takes only its own amount', () => {
    const { balances, parts } = held()
    expect(written(reachTarget(tokens, balances, parts, { held: 110n, settled: 40n }, mayOwe))).toEqual([
      'A held → network 4000',
    ])
  })

  test('a clearing above the hold takes available funds, then goes into debt in the first token', () => {
    const { balances, parts } = held()
    expect(written(reachTarget(tokens, balances, parts, { held: 0n, settled: 200n }, mayOwe))).toEqual([
      'A held → network 10000',
      'B held → network 50',
      'B available → network 30',
      'A debt → network 2000',
    ])
  })

  test('a card transaction never lowers its own settled amount', () => {
    expect(() =>
      reachTarget(tokens, having(0n, 0n), [{ token: 'A', held: 0n, settled: 100n }], { held: 0n, settled: 0n }, mayOwe),
    ).toThrow()
  })
})

describe('refunds credit the tokens', () => {
  test('a refund repays debt first, then the tokens of its payment in reverse, then the first token', () => {
    const paid = new Map([
      ['A', 1_000n],
      ['B', 20n],
    ])
    const posted = creditCard(tokens, having(-550n, 0n), 60n, paid)
    // 6 cents repay the debt of A and leave 50 units of change. B gets its 20 cents back, and A the remaining 34.
    expect(written(posted)).toEqual([
      'A network → debt 550',
      'A network → available 50',
      'B network → available 20',
      'A network → available 400',
      'A network → available 3000',
    ])
    expect(posted.parts).toEqual([
      { token: 'A', held: 0n, settled: 4_000n },
      { token: 'B', held: 0n, settled: 20n },
    ])
  })

  test('a refund below the debt only repays it, and one without a payment goes to the first token', () => {
    expect(written(creditCard(tokens, having(0n, -50n), 30n, new Map()))).toEqual(['B network → debt 30'])
    expect(written(creditCard(tokens, having(0n, 0n), 30n, new Map()))).toEqual(['A network → available 3000'])
  })

  test('a reversed refund takes available funds of all tokens, then goes into debt in the first', () => {
    expect(written(debitCard(tokens, having(150n, 5n), 10n))).toEqual([
      'A available → network 100',
      'B available → network 5',
      'A available → network 50',
      'A debt → network 350',
    ])
  })
})
