import { ceilTo, floorTo, max, min, powerOfTen, sum, unitsPerMinor } from '../lib/money.ts'

/** Where a user's money can be; the columns of `ledger_balance`. */
export const ledgerAccounts = [
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
export type LedgerAccount = (typeof ledgerAccounts)[number]

/** One token's balances of one user, in token units. */
export type TokenBalance = Readonly<Record<LedgerAccount, bigint>>

export type BalanceRow = TokenBalance & { readonly token: string }

/** One user's balances by token address. A token that is not there has only zeros. */
export type Balances = ReadonlyMap<string, TokenBalance>

/** One debit-credit pair: a positive amount of a token goes from one ledger account to another. */
export type Posting = {
  readonly token: string
  readonly from: LedgerAccount
  readonly to: LedgerAccount
  readonly amount: bigint
}

/** What of the balances says how much is spendable. */
type Funds = ReadonlyMap<string, Pick<TokenBalance, 'available' | 'debt'>>

/** What the books need to know of a configured token. */
export type TokenScale = { readonly address: string; readonly currency: string; readonly decimals: number }

const neverNegative = ['available', 'held', 'frozen', 'deposit_processing', 'withdrawal_processing'] as const
const neverPositive = ['debt', 'unfinal'] as const

export const noBalance: TokenBalance = {
  available: 0n,
  held: 0n,
  frozen: 0n,
  deposit_processing: 0n,
  withdrawal_processing: 0n,
  debt: 0n,
  network: 0n,
  unfinal: 0n,
  chain: 0n,
  gas: 0n,
  loss: 0n,
}

export function balanceOf<Part>(balances: ReadonlyMap<string, Part>, token: string): Part | TokenBalance {
  return balances.get(token) ?? noBalance
}

/** Whether nothing is the user's, on its way, held for a payment, or owed. */
export function isEmpty(balances: Balances): boolean {
  return [...balances.values()].every((balance) =>
    [...neverNegative, ...neverPositive].every((name) => balance[name] === 0n),
  )
}

/** The balances after the postings. Throws when they would break the books: that is our bug, never the caller's doing. */
export function applyPostings(balances: Balances, postings: readonly Posting[]): Balances {
  const after = new Map<string, Record<LedgerAccount, bigint>>()
  for (const { token, from, to, amount } of postings) {
    if (amount <= 0n) throw new Error(`a posting must move something, not ${amount}`)
    const balance = after.get(token) ?? { ...balanceOf(balances, token) }
    balance[from] -= amount
    balance[to] += amount
    after.set(token, balance)
  }
  for (const [token, balance] of after) {
    const [broken] = brokenRules(balance)
    if (broken !== undefined) throw new Error(`${broken}, in token ${token}`)
  }
  return new Map([...balances, ...after])
}

/** Which invariants one token's balances break: I1, I4 and I5 of the books. */
export function brokenRules(balance: TokenBalance): string[] {
  const broken: string[] = []
  const total = sum(ledgerAccounts.map((account) => balance[account]))
  if (total !== 0n) broken.push(`I1: the ledger accounts add up to ${total}, not to zero`)
  for (const account of neverNegative) {
    if (balance[account] < 0n) broken.push(`I4: ${account} is ${balance[account]}, below zero`)
  }
  for (const account of neverPositive) {
    if (balance[account] > 0n) broken.push(`I4: ${account} is ${balance[account]}, above zero`)
  }
  if (balance.available > 0n && balance.debt < 0n) {
    broken.push(`I5: ${balance.available} available beside a debt of ${-balance.debt}`)
  }
  return broken
}

/**
 * What a card may spend, in the currency's minor units. Cards draw whole minor units of each token, so what is below
 * one in a token (dust) is left out; debt counts in full, so that it cannot be dodged with another token.
 */
export function currencySpendable(tokens: readonly TokenScale[], balances: Funds, currency: string): bigint {
  let free = 0n
  for (const token of tokens) {
    if (token.currency !== currency) continue
    free += balanceOf(balances, token.address).available / unitsPerMinor(token.decimals, currency)
  }
  const owed = owedIn(tokens, balances, currency)
  if (owed === null) return free
  const minor = unitsPerMinor(owed.decimals, currency)
  return max(0n, free - ceilTo(owed.total, minor) / minor)
}

/** What may leave in one token, in its units: never more than it has, nor than what the currency has less its debts. */
export function tokenSpendable(tokens: readonly TokenScale[], balances: Funds, token: TokenScale): bigint {
  const { available } = balanceOf(balances, token.address)
  const owed = owedIn(tokens, balances, token.currency)
  if (owed === null) return available
  const { own, total, decimals } = owed
  const free = sum(own.map((other) => scaleUp(balanceOf(balances, other.address).available, other, decimals)))
  const left = max(0n, free - total) / powerOfTen(decimals - token.decimals)
  return min(available, left)
}

/** Largest multiple of the currency's minor unit that is free in one token, in minor units. */
export function wholeMinorAvailable(balances: Balances, { address, decimals, currency }: TokenScale): bigint {
  const unit = unitsPerMinor(decimals, currency)
  return floorTo(balanceOf(balances, address).available, unit) / unit
}

/** Debts of tokens with different decimals add up in the finest of their scales, where none is rounded. null: no debt. */
function owedIn(tokens: readonly TokenScale[], balances: Funds, currency: string) {
  const isOwed = (token: TokenScale) => token.currency === currency && balanceOf(balances, token.address).debt !== 0n
  if (!tokens.some(isOwed)) return null
  const own = tokens.filter((token) => token.currency === currency)
  const decimals = Math.max(...own.map((token) => token.decimals))
  const total = sum(own.map((token) => scaleUp(-balanceOf(balances, token.address).debt, token, decimals)))
  return { own, total, decimals }
}

function scaleUp(amount: bigint, token: TokenScale, decimals: number): bigint {
  return amount * powerOfTen(decimals - token.decimals)
}
