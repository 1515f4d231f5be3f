import fc from 'fast-check'
import { expect, test } from 'vitest'
import { creditCard, debitCard, type Part, type Posted, reachTarget } from '../../src/cards/transactions/postings.ts'
import * as movements from '../../src/ledger/movements.ts'
import {
  applyPostings,
  type Balances,
  balanceOf,
  brokenRules,
  currencySpendable,
  type Posting,
  type TokenBalance,
  type TokenScale,
  tokenSpendable,
} from '../../src/ledger/rules.ts'
import { sum, unitsPerMinor } from '../../src/lib/money.ts'
import { seed, timeout, times } from '../support/run/seed.ts'

/**
 * Plays random sequences of all movements of one user beside a model without a ledger. The model only adds up deposits,
 * withdrawals and card payments. After each step, the books must balance and agree with the model.
 */
const tokens: TokenScale[] = [
  { address: 'A', currency: 'EUR', decimals: 4 },
  { address: 'B', currency: 'EUR', decimals: 2 },
  { address: 'C', currency: 'USD', decimals: 3 },
]
const native = 'native'

type Deposit = {
  token: TokenScale
  amount: bigint
  place: 'processing' | 'away' | 'credited' | 'frozen' | 'returned' | 'lost' | 'loss'
}
type Withdrawal = { token: TokenScale; amount: bigint; state: 'open' | 'given back' | 'completed' }
type Card = { currency: string; held: bigint; settled: bigint; credited: bigint; parts: readonly Part[] }

/** A step's name selects the movement. Its two numbers select the resource and the amount. */
const step = fc.record({
  does: fc.constantFrom(
    'deposit',
    'reorganize',
    'mine again',
    'approve',
    'refuse',
    'refuse late',
    'overturn',
    'return',
    'lose',
    'recover loss',
    'withdraw',
    'recover',
    'give back',
    'complete',
    'gas',
    'authorize',
    'advise',
    'clear',
    'release',
    'force',
    'refund',
    'take refund back',
  ),
  which: fc.nat(1000),
  amount: fc.bigInt({ min: 1n, max: 20_000n }),
})
type Step = { does: string; which: number; amount: bigint }

type World = {
  balances: Balances
  deposits: Deposit[]
  withdrawals: Withdrawal[]
  cards: Card[]
}

function post(world: World, postings: readonly Posting[]) {
  world.balances = applyPostings(world.balances, postings)
}

function run(world: World, { does, which, amount }: Step) {
  const token = tokens[which % tokens.length] ?? fail()
  const { address } = token
  switch (does) {
    case 'deposit':
      world.deposits.push({ token, amount, place: 'processing' })
      return post(world, movements.depositSeen(address, amount))
    case 'withdraw':
      return withdraw(world, token, amount)
    case 'recover':
      world.withdrawals.push({ token, amount, state: 'open' })
      return post(world, movements.withdrawalRecovered(world.balances, address, amount))
    case 'gas':
      return post(world, movements.gasSpent(native, amount))
    case 'lose':
      return loseDeposit(world, which)
  }
  if (does in depositSteps) return moveDeposit(world, does as keyof typeof depositSteps, which)
  if (does in withdrawalSteps) return endWithdrawal(world, does as keyof typeof withdrawalSteps, which)
  return moveCard(world, does, which, amount / 100n)
}

const depositSteps = {
  'mine again': ['away', 'processing', (_, t, amount) => movements.depositSeen(t, amount)],
  reorganize: ['processing', 'away', (_, t, amount) => movements.depositReorganized(t, amount)],
  approve: ['processing', 'credited', movements.depositApproved],
  refuse: ['processing', 'frozen', (_, t, amount) => movements.depositRefused(t, amount)],
  'refuse late': ['credited', 'frozen', movements.depositRefusedLate],
  overturn: ['frozen', 'credited', movements.depositOverturned],
  return: ['frozen', 'returned', (_, t, amount) => movements.depositReturned(t, amount)],
  'recover loss': [
    'loss',
    'returned',
    (_, t, amount) => [...movements.depositSeen(t, amount), ...movements.depositRecovered(t, amount)],
  ],
} satisfies Record<
  string,
  [Deposit['place'], Deposit['place'], (balances: Balances, token: string, amount: bigint) => Posting[]]
>

function moveDeposit(world: World, does: keyof typeof depositSteps, which: number) {
  const [from, to, postings] = depositSteps[does]
  const found = pick(
    world.deposits.filter(({ place }) => place === from),
    which,
  )
  if (!found) return
  post(world, postings(world.balances, found.token.address, found.amount))
  found.place = to
}

function loseDeposit(world: World, which: number) {
  const places = { credited: 'approved', frozen: 'frozen', returned: 'returned' } as const
  const found = pick(
    world.deposits.filter(({ place }) => place in places),
    which,
  )
  if (!found) return
  const was = places[found.place as keyof typeof places]
  post(world, movements.depositLost(world.balances, found.token.address, found.amount, was))
  found.place = was === 'returned' ? 'loss' : 'lost'
}

function withdraw(world: World, token: TokenScale, asked: bigint) {
  // The whole spendable amount must always be withdrawable.
  const spendable = tokenSpendable(tokens, world.balances, token)
  const amount = asked < spendable ? asked : spendable
  if (amount === 0n) return
  world.withdrawals.push({ token, amount, state: 'open' })
  post(world, movements.withdrawalRequested(token.address, amount))
}

const withdrawalSteps = {
  'give back': movements.withdrawalGivenBack,
  complete: (_, t, amount) => movements.withdrawalCompleted(t, amount),
} satisfies Record<string, (balances: Balances, token: string, amount: bigint) => Posting[]>

function endWithdrawal(world: World, does: keyof typeof withdrawalSteps, which: number) {
  const found = pick(
    world.withdrawals.filter(({ state }) => state === 'open'),
    which,
  )
  if (!found) return
  post(world, withdrawalSteps[does](world.balances, found.token.address, found.amount))
  found.state = does === 'complete' ? 'completed' : 'given back'
}

function moveCard(world: World, does: string, which: number, minor: bigint) {
  const currency = which % 3 === 0 ? 'USD' : 'EUR'
  const own = tokens.filter((token) => token.currency === currency)
  const cards = world.cards.filter((card) => card.currency === currency)
  const fresh: Card = { currency, held: 0n, settled: 0n, credited: 0n, parts: [] }
  const open = pick(
    cards.filter(({ held }) => held > 0n),
    which,
  )
  const reach = (card: Card, held: bigint, settled: bigint, { mayOwe }: { mayOwe: boolean }) => {
    const posted = reachTarget(own, world.balances, card.parts, { held, settled }, { mayOwe })
    record(world, Object.assign(card, { held, settled, parts: posted.parts }), posted)
  }
  switch (does) {
    case 'authorize': {
      const spendable = currencySpendable(tokens, world.balances, currency)
      const { held, settled } = open ?? fresh
      return reach(open ?? fresh, held + (minor < spendable ? minor : spendable), settled, { mayOwe: false })
    }
    case 'advise':
      return reach(fresh, minor, 0n, { mayOwe: true })
    case 'force':
      return reach(fresh, 0n, minor, { mayOwe: true })
    case 'clear':
      return open && reach(open, which % 2 ? 0n : max0(open.held - minor), open.settled + minor, { mayOwe: true })
    case 'release':
      return open && reach(open, max0(open.held - minor), open.settled, { mayOwe: false })
    case 'refund': {
      const paid = new Map((pick(cards, which) ?? fresh).parts.map((part) => [part.token, part.settled]))
      const back = creditCard(own, world.balances, minor, paid)
      expect(sumMinor(own, back.parts)).toBe(minor)
      return record(world, { ...fresh, credited: minor }, back)
    }
    default:
      return record(world, { ...fresh, settled: minor }, debitCard(own, world.balances, minor))
  }
}

function record(world: World, card: Card, { postings }: Posted) {
  post(world, postings)
  if (!world.cards.includes(card)) world.cards.push(card)
}

function sumMinor(own: TokenScale[], parts: readonly Part[]): bigint {
  return sum(own.map((token) => (parts.find((part) => part.token === token.address)?.settled ?? 0n) / unitOf(token)))
}

const unitOf = ({ decimals, currency }: TokenScale) => unitsPerMinor(decimals, currency)
const max0 = (amount: bigint) => (amount < 0n ? 0n : amount)
const pick = <T>(list: T[], which: number): T | undefined => list[which % (list.length || 1)]
function fail(): never {
  throw new Error('no tokens')
}

/** Converts an amount to the finest scale, so that amounts of all tokens and of cards can be added. */
function scaled(token: TokenScale, amount: bigint): bigint {
  return amount * 10n ** BigInt(4 - token.decimals)
}

function check(world: World) {
  for (const [, balance] of world.balances) expect(brokenRules(balance)).toEqual([])
  for (const currency of ['EUR', 'USD']) {
    const own = tokens.filter((token) => token.currency === currency)
    const books = (of: (balance: TokenBalance) => bigint) =>
      sum(own.map((token) => scaled(token, of(balanceOf(world.balances, token.address)))))
    const inPlace = (...places: string[]) =>
      sum(
        world.deposits
          .filter(({ token, place }) => own.includes(token) && places.includes(place))
          .map(({ token, amount }) => scaled(token, amount)),
      )
    const inState = (...states: string[]) =>
      sum(
        world.withdrawals
          .filter(({ token, state }) => own.includes(token) && states.includes(state))
          .map(({ token, amount }) => scaled(token, amount)),
      )
    const cards = world.cards.filter((card) => card.currency === currency)
    const onCards = (of: (card: Card) => bigint) => 100n * sum(cards.map(of))

    const held = onCards((card) => card.held)
    const network = onCards((card) => card.settled - card.credited)
    expect({
      own: books(({ available, debt }) => available + debt),
      held: books((balance) => balance.held),
      frozen: books((balance) => balance.frozen),
      deposits: books((balance) => balance.deposit_processing),
      withdrawals: books((balance) => balance.withdrawal_processing),
      network: books((balance) => balance.network),
      loss: books((balance) => balance.loss),
    }).toEqual({
      own: inPlace('credited') - inState('open', 'completed') - held - network,
      held,
      frozen: inPlace('frozen'),
      deposits: inPlace('processing'),
      withdrawals: inState('open'),
      network,
      loss: 0n - inPlace('loss'),
    })
  }
}

test(`the books balance and match the totals after every step of random movements (seed ${seed})`, { timeout }, () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => {
      const world: World = { balances: new Map(), deposits: [], withdrawals: [], cards: [] }
      for (const one of steps) {
        run(world, one)
        check(world)
      }
    }),
    { seed, numRuns: 400 * times },
  )
})
