/**
 * A model of one user's money, to compare the service with. It follows the rules for accounts, postings and lifecycles,
 * and imports nothing of the service. It is plain data, so that a copy can try a possible order of requests. Books are
 * in token units, cards in cents (every currency here has two decimals).
 */
const accounts = [
  'available',
  'held',
  'frozen',
  'deposit_processing',
  'withdrawal_processing',
  'debt',
  'network',
  'unfinal',
  'chain',
  'gas',
  'loss',
] as const
type Account = (typeof accounts)[number]
export type Book = Record<Account, bigint>

export type Token = {
  readonly address: string
  readonly symbol: string
  readonly currency: string
  readonly decimals: number
}

/** The held and settled amounts of a card transaction in one token, in cents. */
export type Part = { held: bigint; settled: bigint }
export type Parts = Map<string, Part>

export type MessageType =
  | 'authorization'
  | 'single_message'
  | 'incremental'
  | 'replacement'
  | 'reversal'
  | 'clearing'
  | 'advice'
  | 'expiry'
  | 'refund'
  | 'refund_reversal'
  | 'clearing_cancellation'

export type Message = {
  readonly eventId: string
  readonly type: MessageType
  readonly card: number
  readonly code: string
  /** null: an expiry, or a reversal of everything */
  readonly cents: bigint | null
  readonly currency: string
  readonly final: boolean
  readonly partial: boolean
  /** true if the sender gave the code; otherwise the service generated it, and the response contains it */
  readonly isNamed: boolean
}

export type Counted = { type: MessageType; cents: bigint | null; final: boolean; at: number }
export type Row = {
  kind: string
  status: string
  cents: bigint
  credit: boolean
  parts: Parts
}

export type Code = {
  counted: Counted[]
  decided: boolean
  payment: Row | null
  others: Row[]
  lastAt: number
  mcc: string
}

export type Card = {
  readonly id: string
  readonly currency: string
  blockers: Set<string>
  end: 'lost' | 'stolen' | 'expired' | null
}

export type Deposit = {
  readonly token: string
  readonly units: bigint
  /** the result that screening will report */
  readonly sender: 'approved' | 'rejected' | 'pending'
  /** the state that the chain will report */
  says: 'unfinal' | 'final' | 'reorganized'
  chain: 'unfinal' | 'final' | 'reorganized'
  screening: 'pending' | 'approved' | 'rejected'
}

export type Withdrawal = {
  readonly token: string
  readonly units: bigint
  status: 'pending' | 'processing' | 'completed' | 'failed'
}

export type Model = {
  readonly tokens: readonly Token[]
  books: Map<string, Book>
  cards: Card[]
  account: 'active' | 'blocked' | 'closed'
  isKnown: boolean
  codes: Map<string, Code>
  deposits: Map<string, Deposit>
  withdrawals: Map<string, Withdrawal>
  /** event id → the outcome that every repetition must have */
  events: Map<string, string>
  /** seconds that the clock was moved */
  now: number
}

export function newModel(tokens: readonly Token[], cards: Card[]): Model {
  return {
    tokens,
    cards,
    books: new Map(tokens.map(({ address }) => [address, emptyBook()])),
    account: 'active',
    isKnown: true,
    codes: new Map(),
    deposits: new Map(),
    withdrawals: new Map(),
    events: new Map(),
    now: 0,
  }
}

function emptyBook(): Book {
  return Object.fromEntries(accounts.map((account) => [account, 0n])) as Book
}

export function bookOf(model: Model, token: string): Book {
  const book = model.books.get(token)
  if (!book) throw new Error(`no such token: ${token}`)
  return book
}

export function move(model: Model, token: string, from: Account, to: Account, units: bigint): void {
  const book = bookOf(model, token)
  book[from] -= units
  book[to] += units
}

/** Posts a credit, which repays debt first. */
export function credit(model: Model, token: string, from: Account, units: bigint): void {
  const owed = -bookOf(model, token).debt
  const repaid = owed < units ? owed : units
  move(model, token, from, 'debt', repaid)
  move(model, token, from, 'available', units - repaid)
}

/** Posts a debit, from available funds first, then as debt. */
export function debit(model: Model, token: string, to: Account, units: bigint): void {
  const free = bookOf(model, token).available
  const paid = free < units ? free : units
  move(model, token, 'available', to, paid)
  move(model, token, 'debt', to, units - paid)
}

export const min = (a: bigint, b: bigint) => (a < b ? a : b)
export const atLeastZero = (a: bigint) => (a < 0n ? 0n : a)
export const cent = ({ decimals }: Token) => 10n ** BigInt(decimals - 2)
const finest = 18n
const scaleUp = ({ decimals }: Token, units: bigint) => units * 10n ** (finest - BigInt(decimals))
export const total = (amounts: bigint[]) => amounts.reduce((a, b) => a + b, 0n)

/** Returns the whole cents of each token less the debt in the currency, rounded up. */
export function spendableCents(model: Model, currency: string): bigint {
  const own = model.tokens.filter((token) => token.currency === currency)
  const free = total(own.map((token) => bookOf(model, token.address).available / cent(token)))
  const owed = total(own.map((token) => scaleUp(token, -bookOf(model, token.address).debt)))
  const finestCent = 10n ** (finest - 2n)
  return atLeastZero(free - (owed + finestCent - 1n) / finestCent)
}

export function spendableUnits(model: Model, token: Token): bigint {
  const own = model.tokens.filter(({ currency }) => currency === token.currency)
  const net = total(
    own.map((other) => {
      const { available, debt } = bookOf(model, other.address)
      return scaleUp(other, available + debt)
    }),
  )
  return min(bookOf(model, token.address).available, atLeastZero(net) / scaleUp(token, 1n))
}

export function nonZero(book: Book): Partial<Book> {
  return Object.fromEntries(accounts.flatMap((account) => (book[account] === 0n ? [] : [[account, book[account]]])))
}
