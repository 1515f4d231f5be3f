// pure
import { balanceOf, currencySpendable, type TokenBalance, type TokenScale, tokenSpendable } from '../../ledger/rules.ts'
import { min, powerOfTen, unitsPerMinor } from '../../lib/money.ts'

type CurrencyScale = { readonly currency: string; readonly decimals: number }

/** The ledger accounts that the response shows or that decide what is spendable. */
export const shownAccounts = ['available', 'frozen', 'deposit_processing', 'withdrawal_processing', 'debt'] as const
type ShownBalance = Pick<TokenBalance, (typeof shownAccounts)[number]>
type ShownBalances = ReadonlyMap<string, ShownBalance>

/** By token, the amount that can be paid out immediately, regardless of the balance. An absent token has no limit. */
export type PayoutLimits = ReadonlyMap<string, bigint>

export function areSameLimits(one: PayoutLimits, other: PayoutLimits): boolean {
  if (one === other) return true
  return one.size === other.size && [...one].every(([token, limit]) => other.get(token) === limit)
}

/** Parses `<token> <amount> …,<token> …`. The amounts are in the order of `shownAccounts`; null: no balances yet. */
export function parseFigures(figures: string | null): ShownBalances {
  const balances = new Map<string, ShownBalance>()
  for (const text of figures?.split(',') ?? []) {
    const [token = '', ...amounts] = text.split(' ')
    if (amounts.length !== shownAccounts.length)
      throw new Error(`token ${token} has ${amounts.length} figures instead of ${shownAccounts.length}`)
    const [available = 0n, frozen = 0n, deposit_processing = 0n, withdrawal_processing = 0n, debt = 0n] =
      amounts.map(BigInt)
    balances.set(token, { available, frozen, deposit_processing, withdrawal_processing, debt })
  }
  return balances
}

/** Returns one row per configured currency and, in it, one per token of the currency. Rows of zeros are included. */
export function balanceRows(
  currencies: readonly CurrencyScale[],
  tokens: readonly TokenScale[],
  balances: ShownBalances,
  limits: PayoutLimits,
) {
  return currencies.map(({ currency, decimals }) => {
    const row = { nonSpendable: 0n, processingDeposits: 0n, processingWithdrawals: 0n }
    const own = tokens.filter((token) => token.currency === currency)
    for (const { address, decimals: tokenDecimals } of own) {
      const { frozen, deposit_processing, withdrawal_processing } = balanceOf(balances, address)
      // No token has more decimals than its currency's row, so the sum is exact.
      const scale = powerOfTen(decimals - tokenDecimals)
      row.nonSpendable += frozen * scale
      row.processingDeposits += deposit_processing * scale
      row.processingWithdrawals += withdrawal_processing * scale
    }
    return {
      currency,
      decimals,
      spendable: String(currencySpendable(own, balances, currency) * unitsPerMinor(decimals, currency)),
      nonSpendable: String(row.nonSpendable),
      processingDeposits: String(row.processingDeposits),
      processingWithdrawals: String(row.processingWithdrawals),
      tokens: own.map((token) => tokenRow(token, own, balances, limits)),
    }
  })
}

/** Returns the row of a token. `own` are all tokens of its currency. */
function tokenRow(token: TokenScale, own: readonly TokenScale[], balances: ShownBalances, limits: PayoutLimits) {
  const balance = balanceOf(balances, token.address)
  const spendable = tokenSpendable(own, balances, token)
  return {
    token: token.address,
    decimals: token.decimals,
    spendable: String(spendable),
    nonSpendable: String(balance.frozen),
    processingDeposits: String(balance.deposit_processing),
    maxInstantWithdraw: String(min(spendable, limits.get(token.address) ?? spendable)),
  }
}
