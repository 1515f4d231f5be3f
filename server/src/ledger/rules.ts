// pure
import { ceilTo, floorTo, max, min, powerOfTen, sum, unitsPerMinor } from '../lib/money.ts'

/** The ledger accounts of a user: the columns of `ledger_balance`. */
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

/** A user's balances in one token, in token units. */
export type TokenBalance = Readonly<Record<LedgerAccount, bigint>>

export type BalanceRow = TokenBalance & { readonly token: string }

/** A user's balances by token address. The balances of a missing token are zero. */
export type Balances = ReadonlyMap<string, TokenBalance>

/** One debit and credit pair: a positive amount of a token moves from one ledger account to another. */
export type Posting = {
  readonly token: string
  readonly from: LedgerAccount
  readonly to: LedgerAccount
  readonly amount: bigint
}

/** The part of the balances that decides how much is spendable. */
type Funds = ReadonlyMap<string, Pick<TokenBalance, 'available' | 'debt'>>

/** The part of a configured token that the ledger uses. */
export type TokenScale = { readonly address: string; readonly currency: string; readonly decimals: number }

/**
 * The signs that a balance may have. Accounts with `any` are the other side of the user's funds, such as the chain or
 * the card network.
 */
const signs: Readonly<Record<LedgerAccount, 'not negative' | 'not positive' | 'any'>> = {
  available: 'not negative',
  held: 'not negative',
  frozen: 'not negative',
  deposit_processing: 'not negative',
  withdrawal_processing: 'not negative',
  debt: 'not positive',
  network: 'any',
  unfinal: 'not positive',
  chain: 'any',
  gas: 'any',
  loss: 'any',
}

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

/** The balances of one token in JSON. They are texts, because JSON numbers are not exact. */
export type BalanceTexts = Readonly<Record<LedgerAccount, string>> & { readonly token: string }

export function parseBalances(rows: readonly BalanceTexts[]): Balances {
  const parsed = rows.map((row) => {
    const balance: Record<LedgerAccount, bigint> = { ...noBalance }
    for (const account of ledgerAccounts) balance[account] = BigInt(row[account])
    return [row.token, balance] as const
  })
  return new Map(parsed)
}

export function balanceOf<Part>(balances: ReadonlyMap<string, Part>, token: string): Part | TokenBalance {
  return balances.get(token) ?? noBalance
}

/** Returns whether the user has no funds, no transfers in progress, no holds and no debt. */
export function isEmpty(balances: Balances): boolean {
  return [...balances.values()].every((balance) =>
    ledgerAccounts.every((account) => signs[account] === 'any' || balance[account] === 0n),
  )
}

/** Returns the balances after the postings. Throws if they break an invariant, which is always our bug. */
export function applyPostings(balances: Balances, postings: readonly Posting[]): Balances {
  const after = new Map<string, Record<LedgerAccount, bigint>>()
  for (const { token, from, to, amount } of postings) {
    if (amount <= 0n) throw new Error(`a posting must have a positive amount, not ${amount}`)
    const balance = after.get(token) ?? { ...balanceOf(balances, token) }
    balance[from] -= amount
    balance[to] += amount
    after.set(token, balance)
  }
  for (const [token, balance] of after) {
    const [broken] = brokenRules(balance)
    if (broken !== undefined) throw new Error(`${broken} (token ${token})`)
  }
  return new Map([...balances, ...after])
}

/** Returns the invariants I1, I4 and I5 that the balances of one token break. */
export function brokenRules(balance: TokenBalance): string[] {
  const broken: string[] = []
  const total = sum(ledgerAccounts.map((account) => balance[account]))
  if (total !== 0n) broken.push(`I1: the ledger accounts add up to ${total}, not to zero`)
  for (const account of ledgerAccounts) {
    const [sign, amount] = [signs[account], balance[account]]
    if (sign === 'not negative' && amount < 0n) broken.push(`I4: ${account} is ${amount}, below zero`)
    if (sign === 'not positive' && amount > 0n) broken.push(`I4: ${account} is ${amount}, above zero`)
  }
  if (balance.available > 0n && balance.debt < 0n) {
    broken.push(`I5: ${balance.available} available beside a debt of ${-balance.debt}`)
  }
  return broken
}

/**
 * Returns the amount that a card may spend, in minor units of the currency. Cards debit whole minor units of each
 * token, so dust does not count. Debt in any token of the currency is deducted, so it cannot be evaded with another
 * token.
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

/** Returns the amount that may be withdrawn in one token, in token units. Debts in other tokens reduce it as well. */
export function tokenSpendable(tokens: readonly TokenScale[], balances: Funds, token: TokenScale): bigint {
  const { available } = balanceOf(balances, token.address)
  const owed = owedIn(tokens, balances, token.currency)
  if (owed === null) return available
  const { own, total, decimals } = owed
  const free = sum(own.map((other) => scaleUp(balanceOf(balances, other.address).available, other, decimals)))
  const left = max(0n, free - total) / powerOfTen(decimals - token.decimals)
  return min(available, left)
}

/** Returns the available amount of one token in whole minor units of its currency. */
export function wholeMinorAvailable(balances: Balances, { address, decimals, currency }: TokenScale): bigint {
  const unit = unitsPerMinor(decimals, currency)
  return floorTo(balanceOf(balances, address).available, unit) / unit
}

/** Adds up the debts of a currency, scaled to its most precise token to avoid rounding. Returns null without debts. */
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
