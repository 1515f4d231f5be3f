import { balanceOf, currencySpendable, type TokenBalance, type TokenScale, tokenSpendable } from '../ledger/rules.ts'
import { min, powerOfTen, sum, unitsPerMinor } from '../lib/money.ts'

type CurrencyScale = { readonly currency: string; readonly decimals: number }

/** What of a token's balance is shown, or needed to say what is spendable. */
export type ShownBalance = Pick<
  TokenBalance,
  'available' | 'frozen' | 'deposit_processing' | 'withdrawal_processing' | 'debt'
>
type ShownBalances = ReadonlyMap<string, ShownBalance>

/** Token address → what can be paid out at once, apart from what the user has. Absent: nothing limits it. */
export type PayoutLimits = ReadonlyMap<string, bigint>

/** One row for each configured currency, with one for each of its tokens: zeros where the user has nothing. */
export function balanceRows(
  currencies: readonly CurrencyScale[],
  tokens: readonly TokenScale[],
  balances: ShownBalances,
  limits: PayoutLimits,
) {
  return currencies.map(({ currency, decimals }) => {
    const own = tokens.filter((token) => token.currency === currency)
    // The row shows its tokens exactly: none has more decimals than the row.
    const total = (account: 'frozen' | 'deposit_processing' | 'withdrawal_processing') =>
      String(
        sum(own.map((token) => balanceOf(balances, token.address)[account] * powerOfTen(decimals - token.decimals))),
      )
    return {
      currency,
      decimals,
      spendable: String(currencySpendable(tokens, balances, currency) * unitsPerMinor(decimals, currency)),
      nonSpendable: total('frozen'),
      processingDeposits: total('deposit_processing'),
      processingWithdrawals: total('withdrawal_processing'),
      tokens: own.map((token) => tokenRow(token, tokens, balances, limits)),
    }
  })
}

function tokenRow(token: TokenScale, tokens: readonly TokenScale[], balances: ShownBalances, limits: PayoutLimits) {
  const balance = balanceOf(balances, token.address)
  const spendable = tokenSpendable(tokens, balances, token)
  return {
    token: token.address,
    decimals: token.decimals,
    spendable: String(spendable),
    nonSpendable: String(balance.frozen),
    processingDeposits: String(balance.deposit_processing),
    maxInstantWithdraw: String(min(spendable, limits.get(token.address) ?? spendable)),
  }
}
