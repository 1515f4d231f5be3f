import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type FoldMessage, foldMessage, foldPayment } from '../../src/cards/transactions/fold.ts'
import { reachTarget } from '../../src/cards/transactions/postings.ts'
import { applyPostings, type Balances, balanceOf, noBalance, type TokenScale } from '../../src/ledger/rules.ts'
import { sum, unitsPerMinor } from '../../src/lib/money.ts'
import { seed, timeout, times } from '../support/run/seed.ts'

const tokens: TokenScale[] = [
  { address: 'A', currency: 'EUR', decimals: 18 },
  { address: 'B', currency: 'EUR', decimals: 6 },
  { address: 'C', currency: 'EUR', decimals: 2 },
]

const amount = fc.bigInt({ min: 0n, max: 50n })

function message(type: FoldMessage['type'], isFinal: fc.Arbitrary<boolean> = fc.constant(true)) {
  return fc.record({
    type: fc.constant(type),
    amount: type === 'expiry' ? fc.constant(null) : amount,
    isFinal,
    at: fc.integer({ min: 0, max: 1000 }).map((ms) => new Date(ms)),
  })
}

const messages = fc.array(
  fc.oneof(
    message('authorization'),
    message('advice'),
    message('incremental'),
    message('reversal'),
    message('clearing', fc.boolean()),
    message('expiry'),
  ),
  { minLength: 1, maxLength: 8 },
)

const withAnOrder = messages.chain((list) =>
  fc.record({ list: fc.constant(list), shuffled: fc.shuffledSubarray(list, { minLength: list.length }) }),
)

test(`the fold does not depend on the order in which messages arrive (seed ${seed})`, { timeout }, () => {
  fc.assert(
    fc.property(withAnOrder, ({ list, shuffled }) => {
      expect(foldPayment(shuffled)).toEqual(foldPayment(list))
    }),
    { seed, numRuns: 500 * times },
  )
})

test(`the fold equals the sums that define the held and settled amounts (seed ${seed})`, { timeout }, () => {
  fc.assert(
    fc.property(messages, (list) => {
      const total = (...types: string[]) =>
        sum(list.filter(({ type }) => types.includes(type)).map((one) => one.amount ?? 0n))
      const [a, r, c] = [total('authorization', 'advice', 'incremental'), total('reversal'), total('clearing')]
      const closed = list.some(({ type, isFinal }) => type === 'expiry' || (type === 'clearing' && isFinal))
      const authorized = list.some(({ type }) => type === 'authorization' || type === 'advice')
      const left = a - r - c
      const held = closed || !authorized || left < 0n ? 0n : left
      // Messages deferred for their authorization do not count yet.
      const isOver = closed || (authorized && list.some(isReversal))
      const status = held > 0n ? 'pending' : c > 0n ? 'settled' : isOver ? 'cancelled' : 'pending'
      const amount = status === 'cancelled' && authorized ? a : c + held
      expect(foldPayment(list)).toMatchObject({ held, settled: c })
      // The fold knows only the sum of the reversals, which a reversal of 0 does not change.
      if (r > 0n || !list.some(isReversal)) expect(foldPayment(list)).toMatchObject({ status, amount })
    }),
    { seed, numRuns: 500 * times },
  )
})

const isReversal = ({ type }: FoldMessage) => type === 'reversal'

/** Posts the messages in order, each as the change that it causes. */
function play(list: readonly FoldMessage[], start: Balances) {
  let balances = start
  let parts: ReturnType<typeof reachTarget>['parts'] = []
  let payment = foldPayment([])
  for (const one of list) {
    payment = foldMessage(payment, one).payment
    const posted = reachTarget(tokens, balances, parts, payment, { mayOwe: true })
    balances = applyPostings(balances, posted.postings)
    parts = posted.parts
    for (const { held, settled, token } of parts) {
      const unit = unitOf(token)
      expect([held % unit, settled % unit, held >= 0n, settled >= 0n]).toEqual([0n, 0n, true, true])
    }
  }
  return balances
}

function unitOf(address: string): bigint {
  const token = tokens.find((token) => token.address === address)
  return token ? unitsPerMinor(token.decimals, token.currency) : 0n
}

const finest = 18
function totals(balances: Balances) {
  const total = (of: (balance: typeof noBalance) => bigint) =>
    sum(tokens.map(({ address, decimals }) => of(balanceOf(balances, address)) * 10n ** BigInt(finest - decimals)))
  return {
    own: total(({ available, debt }) => available + debt),
    held: total(({ held }) => held),
    network: total(({ network }) => network),
  }
}

function funded(cents: readonly bigint[], dust: bigint): Balances {
  return new Map(
    tokens.map(({ address, decimals }, i) => {
      const available = (cents[i] ?? 0n) * unitOf(address) + (decimals > 2 ? dust : 0n)
      return [address, { ...noBalance, available, chain: -available }]
    }),
  )
}

test(`the posted balances of several tokens do not depend on the order of arrival, even with debt (seed ${seed})`, {
  timeout,
}, () => {
  const cents = fc.array(fc.bigInt({ min: 0n, max: 40n }), { minLength: 3, maxLength: 3 })
  const dust = fc.bigInt({ min: 0n, max: 9_999n })
  fc.assert(
    fc.property(withAnOrder, cents, dust, ({ list, shuffled }, cents, dust) => {
      const start = funded(cents, dust)
      expect(totals(play(shuffled, start))).toEqual(totals(play(list, start)))
    }),
    { seed, numRuns: 400 * times },
  )
})
