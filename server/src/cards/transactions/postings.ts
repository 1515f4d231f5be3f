// pure
import {
  cardCredited,
  cardHeld,
  cardHeldByForce,
  cardReleased,
  cardSettledFromFunds,
  cardSettledFromHold,
} from '../../ledger/movements.ts'
import {
  applyPostings,
  type Balances,
  balanceOf,
  type Posting,
  type TokenScale,
  wholeMinorAvailable,
} from '../../ledger/rules.ts'
import { ceilTo, max, min, sum, unitsPerMinor } from '../../lib/money.ts'

/** The held and settled amounts of a card transaction in one token, in token units. Both are whole minor units. */
export type Part = { readonly token: string; readonly held: bigint; readonly settled: bigint }

export type Posted = { readonly postings: readonly Posting[]; readonly parts: readonly Part[] }

export const nothingPosted: Posted = { postings: [], parts: [] }

/** In minor units of the currency. */
export type Target = { readonly held: bigint; readonly settled: bigint }

/**
 * Returns the postings that take a payment from its held and settled amounts to the target:
 * 1. settles from the hold, then from available funds, then as debt;
 * 2. releases the rest of the hold;
 * 3. holds more if the target requires it.
 *
 * `tokens` are the tokens of the currency. They are drawn in configured order and released in reverse. `mayOwe` allows
 * debt for messages that the network has already decided. Our own approvals must fit the available funds.
 */
export function reachTarget(
  tokens: readonly TokenScale[],
  balances: Balances,
  before: readonly Part[],
  target: Target,
  { mayOwe }: { mayOwe: boolean },
): Posted {
  const books = openBooks(tokens, balances, before)
  const released = max(0n, books.total('held') - target.held)
  const toSettle = target.settled - books.total('settled')
  if (toSettle < 0n) throw new Error('a settled amount can only be taken back by another card transaction')
  const fromHold = min(released, toSettle)

  let left = fromHold
  for (const token of tokens) {
    const minor = min(left, books.minorIn(token, 'held'))
    books.post(token, { held: -minor, settled: minor }, (amount) => cardSettledFromHold(token.address, amount))
    left -= minor
  }
  draw(books, tokens, toSettle - fromHold, 'settled', mayOwe)

  left = released - fromHold
  for (const token of tokens.toReversed()) {
    const minor = min(left, books.minorIn(token, 'held'))
    books.post(token, { held: -minor, settled: 0n }, (amount, now) => cardReleased(now, token.address, amount))
    left -= minor
  }
  draw(books, tokens, target.held - books.total('held'), 'held', mayOwe)
  return books.result()
}

/** Debits a reversed refund, even into debt: the network has already taken the money back. */
export function debitCard(tokens: readonly TokenScale[], balances: Balances, minor: bigint): Posted {
  return reachTarget(tokens, balances, [], { held: 0n, settled: minor }, { mayOwe: true })
}

/**
 * Credits a refund: first to tokens with debt, then to the tokens that paid, in reverse order, and the rest to the
 * first token. `paid` has the token units that each token paid and has not received back.
 */
export function creditCard(
  tokens: readonly TokenScale[],
  balances: Balances,
  minor: bigint,
  paid: ReadonlyMap<string, bigint>,
): Posted {
  const books = openBooks(tokens, balances, [])
  let left = minor
  const give = (token: TokenScale, limit: bigint) => {
    const part = min(left, max(0n, limit))
    books.post(token, { held: 0n, settled: part }, (amount, now) => cardCredited(now, token.address, amount))
    left -= part
  }
  for (const token of tokens) {
    const unit = unitsPerMinor(token.decimals, token.currency)
    give(token, ceilTo(-balanceOf(balances, token.address).debt, unit) / unit)
  }
  for (const token of tokens.toReversed()) {
    const paidMinor = (paid.get(token.address) ?? 0n) / unitsPerMinor(token.decimals, token.currency)
    give(token, paidMinor - books.minorIn(token, 'settled'))
  }
  give(firstOf(tokens), left)
  return books.result()
}

/**
 * Draws whole minor units of each token in order. The first token covers a shortfall: first with its dust, then with
 * debt.
 */
function draw(
  books: Books,
  tokens: readonly TokenScale[],
  minor: bigint,
  into: 'held' | 'settled',
  mayOwe: boolean,
): void {
  let left = max(0n, minor)
  const part = (amount: bigint) => ({ held: 0n, settled: 0n, [into]: amount })
  for (const token of tokens) {
    const fits = min(left, wholeMinorAvailable(books.balances(), token))
    books.post(token, part(fits), (amount, now) =>
      into === 'held' ? cardHeld(token.address, amount) : cardSettledFromFunds(now, token.address, amount),
    )
    left -= fits
  }
  if (left === 0n) return
  if (!mayOwe) throw new Error('an approval must fit in the available funds')
  const first = firstOf(tokens)
  const force = into === 'held' ? cardHeldByForce : cardSettledFromFunds
  books.post(first, part(left), (amount, now) => force(now, first.address, amount))
}

type Books = ReturnType<typeof openBooks>

/** Opens balances, parts and postings that change together, so that each step sees the result of the previous one. */
function openBooks(tokens: readonly TokenScale[], balances: Balances, before: readonly Part[]) {
  let now = balances
  const postings: Posting[] = []
  const parts = new Map(before.map((part) => [part.token, part]))
  const partOf = (token: TokenScale) => parts.get(token.address) ?? { token: token.address, held: 0n, settled: 0n }
  const unitOf = ({ decimals, currency }: TokenScale) => unitsPerMinor(decimals, currency)
  const minorIn = (token: TokenScale, side: 'held' | 'settled') => partOf(token)[side] / unitOf(token)

  return {
    balances: () => now,
    minorIn,
    total: (side: 'held' | 'settled') => sum(tokens.map((token) => minorIn(token, side))),
    post(token: TokenScale, change: Target, movement: (amount: bigint, now: Balances) => Posting[]) {
      const unit = unitOf(token)
      const moved = movement(unit * max(change.settled, change.held < 0n ? -change.held : change.held), now)
      if (moved.length === 0) return
      now = applyPostings(now, moved)
      postings.push(...moved)
      const { held, settled } = partOf(token)
      parts.set(token.address, {
        token: token.address,
        held: held + change.held * unit,
        settled: settled + change.settled * unit,
      })
    },
    result: (): Posted => ({ postings, parts: [...parts.values()] }),
  }
}

function firstOf(tokens: readonly TokenScale[]): TokenScale {
  const [first] = tokens
  if (!first) throw new Error("no token is configured in the card's currency")
  return first
}
