import {
  type Balances,
  balanceOf,
  brokenRules,
  type LedgerAccount,
  ledgerAccounts,
  type TokenScale,
} from '../ledger/rules.ts'
import { sum } from '../lib/money.ts'

/** An amount of one ledger account of one token, summed up from elsewhere. */
export type AccountSum = { readonly token: string; readonly account: LedgerAccount; readonly amount: bigint }

/** I1, I4, I5: each token's balances by themselves. */
export function checkBalances(balances: Balances): string[] {
  return [...balances].flatMap(([token, balance]) =>
    brokenRules(balance).map((broken) => `${broken}, in token ${token}`),
  )
}

/** I2: what is held or processing equals its open items. I3: each balance equals its postings. */
export function checkSums(
  invariant: 'I2' | 'I3',
  balances: Balances,
  sums: readonly AccountSum[],
  accounts: readonly LedgerAccount[] = ledgerAccounts,
): string[] {
  const tokens = new Set([...balances.keys(), ...sums.map(({ token }) => token)])
  const source = invariant === 'I2' ? 'open items' : 'postings'
  return [...tokens].flatMap((token) =>
    accounts.flatMap((account) => {
      const balance = balanceOf(balances, token)[account]
      const expected = sum(
        sums.filter((row) => row.token === token && row.account === account).map((row) => row.amount),
      )
      if (balance === expected) return []
      return [`${invariant}: ${account} is ${balance}, but its ${source} add up to ${expected}, in token ${token}`]
    }),
  )
}

/** No configured token or currency has more decimals, so at this scale amounts of all of them add up exactly. */
const scale = 36

/** I7: per currency, what the statement's rows add up to is what is free less what is owed. */
export function checkStatement(tokens: readonly TokenScale[], balances: Balances, items: readonly string[]): string[] {
  const proven = new Map<string, bigint>()
  for (const text of items) {
    const { currency, amount } = effectOf(JSON.parse(text))
    proven.set(currency, (proven.get(currency) ?? 0n) + amount)
  }
  const currencies = new Set([...tokens.map(({ currency }) => currency), ...proven.keys()])
  return [...currencies].flatMap((currency) => {
    const own = tokens.filter((token) => token.currency === currency)
    const kept = sum(
      own.map(({ address, decimals }) => {
        const { available, debt } = balanceOf(balances, address)
        return (available + debt) * 10n ** BigInt(scale - decimals)
      }),
    )
    const shown = proven.get(currency) ?? 0n
    return kept === shown ? [] : [`I7: the statement proves ${shown}, the balances say ${kept} e-${scale} ${currency}`]
  })
}

type Item = {
  type: 'card_transaction' | 'deposit' | 'withdrawal'
  status: string
  amount: string
  decimals: number
  isCredit: boolean
  currency: string
  fiatCurrency: string
}

const effective: Readonly<Record<Item['type'], readonly string[]>> = {
  deposit: ['approved'],
  withdrawal: ['pending', 'processing', 'completed'],
  card_transaction: ['pending', 'settled'],
}

/** What one row does to the user's own money. */
function effectOf({ type, status, amount, decimals, isCredit, currency, fiatCurrency }: Item) {
  const scaled = effective[type].includes(status) ? BigInt(amount) * 10n ** BigInt(scale - decimals) : 0n
  return { currency: type === 'card_transaction' ? currency : fiatCurrency, amount: isCredit ? scaled : -scaled }
}

export type ItemText = { readonly createdAt: Date; readonly itemId: string; readonly item: string }

/** I8: the statement's rows are, byte for byte, what the facts make. */
export function checkRebuilt(stored: readonly ItemText[], rebuilt: readonly ItemText[]): string[] {
  const placeOf = ({ createdAt, itemId }: ItemText) => `${createdAt.toISOString()} ${itemId}`
  const left = new Map(stored.map((row) => [placeOf(row), row.item]))
  const problems: string[] = []
  for (const row of rebuilt) {
    const text = left.get(placeOf(row))
    left.delete(placeOf(row))
    if (text === undefined) problems.push(`I8: the statement has no row ${placeOf(row)}`)
    else if (text !== row.item) problems.push(`I8: the statement's row ${placeOf(row)} is not what its facts make`)
  }
  return [...problems, ...[...left.keys()].map((place) => `I8: the statement's row ${place} has no facts`)]
}
