import { balanceOf, currencySpendable, type TokenBalance, type TokenScale, tokenSpendable } from '../../ledger/rules.ts'
import { min, powerOfTen, unitsPerMinor } from '../../lib/money.ts'

type CurrencyScale = { readonly currency: string; readonly decimals: number }

/** What of a token's balance is shown, or needed to say what is spendable. */
export const shownAccounts = ['available', 'frozen', 'deposit_processing', 'withdrawal_processing', 'debt'] as const
type ShownBalance = Pick<TokenBalance, (typeof shownAccounts)[number]>
type ShownBalances = ReadonlyMap<string, ShownBalance>

/** Token address → what can be paid out at once, apart from what the user has. Absent: nothing limits it. */
export type PayoutLimits = ReadonlyMap<string, bigint>

export function areSameLimits(one: PayoutLimits, other: PayoutLimits): boolean {
  if (one === other) return true
  return one.size === other.size && [...one].every(([token, limit]) => other.get(token) === limit)
}

/** `<token> <amount> …`, with the amounts of the shown accounts in their order, a comma and the next; null: no balance yet. */
export function parseFigures(figures: string | null): ShownBalances {
  const balances = new Map<string, ShownBalance>()
  for (const text of figures?.split(',') ?? []) {
    const [token = '', ...amounts] = text.split(' ')
    if (amounts.length !== shownAccounts.length) throw new Error(`${amounts.length} figures of token ${token}`)
    const [available = 0n, frozen = 0n, deposit_processing = 0n, withdrawal_processing = 0n, debt = 0n] =
      amounts.map(BigInt)
    balances.set(token, { available, frozen, deposit_processing, withdrawal_processing, debt })
  }
  return balances
}

/** One row for each configured currency, with one for each of its tokens: zeros where the user has nothing. */
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
      // The row shows its tokens exactly: none has more decimals than the row.
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

/** `own` are the tokens of its currency. */
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
