// pure
import {
  type Balances,
  balanceOf,
  brokenRules,
  type LedgerAccount,
  ledgerAccounts,
  type TokenScale,
} from '../../ledger/rules.ts'
import { powerOfTen, sum } from '../../lib/money.ts'

/**
 * The invariants of the books, per user, and where each is checked:
 *
 * | Invariant | Check |
 * |---|---|
 * | I1: the ledger accounts of a token add up to zero | `checkBalances`, by `brokenRules` in `ledger/rules.ts` |
 * | I2: the held, paid, frozen and processing amounts of an item are those of its postings | `checkOpenItems` |
 * | I3: each balance is the sum of its postings | `checkPostings` |
 * | I4: no ledger account has a forbidden sign | `checkBalances`, by `brokenRules` |
 * | I5: no available funds beside a debt in one token | `checkBalances`, by `brokenRules` |
 * | I6: movements and postings are those that were sealed | `checkHashChain` in `check-hash-chain.ts`, hashes in `hash-chain.ts` |
 * | I7: the statement proves the balance | `checkStatement` per currency, `checkStatementItems` per item |
 * | I8: stored items equal those rebuilt from the facts | `checkRebuiltItems`; card messages by `findFoldMismatches` |
 *
 * I9 belongs to no user: operator decisions and partners' audit logs are those that were sealed (`check-logs.ts`).
 *
 * `reconcile.ts` runs all checks for a user in one snapshot. The check constraints of the table `ledger_balance` also
 * enforce I1, I4 and I5 at every write.
 */

/** A row that fails a check: its table and key, the invariant, what was expected and what was found. */
export type BadRow = { readonly table: string; readonly key: string; readonly wrong: string }

/** The amount that one item moved, or states that it moved, to one ledger account of one token. */
export type ItemSum = {
  /** null for a posting whose movement is missing */
  readonly refId: string | null
  readonly token: string
  /** a ledger account, unless an insider has written another text */
  readonly account: string
  readonly amount: bigint
}

/** Checks I1, I4 and I5: each token's balances by themselves. */
export function checkBalances(balances: Balances): BadRow[] {
  return [...balances].flatMap(([token, balance]) => brokenRules(balance).map((wrong) => badBalance(token, wrong)))
}

function badBalance(token: string, wrong: string): BadRow {
  return { table: 'ledger_balance', key: `token ${token}`, wrong }
}

/** Checks I3: each balance is the sum of its postings. */
export function checkPostings(balances: Balances, moved: readonly ItemSum[]): BadRow[] {
  const sums = sumsBy(moved, ({ token, account }) => `${token} ${account}`)
  const tokens = new Set([...balances.keys(), ...moved.map(({ token }) => token)])
  return [...tokens].flatMap((token) =>
    ledgerAccounts.flatMap((account) => {
      const balance = balanceOf(balances, token)[account]
      const expected = sums.get(`${token} ${account}`) ?? 0n
      if (balance === expected) return []
      return [badBalance(token, `I3: ${account} is ${balance}, but its postings add up to ${expected}`)]
    }),
  )
}

/** Whether deposits, withdrawals and card transactions state the amount that is in the account: see `findOpenItems`. */
const isStatedByItems: Readonly<Record<LedgerAccount, boolean>> = {
  available: false,
  held: true,
  frozen: true,
  deposit_processing: true,
  withdrawal_processing: true,
  debt: false,
  network: true,
  unfinal: false,
  chain: false,
  gas: false,
  loss: false,
}
const itemAccounts: readonly string[] = ledgerAccounts.filter((account) => isStatedByItems[account])

/** Checks I2, item by item: the amounts held, frozen, processing and paid by card are those of the item's postings. */
export function checkOpenItems(held: readonly ItemSum[], moved: readonly ItemSum[]): BadRow[] {
  const nameOf = ({ refId, token, account }: ItemSum) => `${refId}, ${account} of token ${token}`
  const inItems = sumsBy(held, nameOf)
  const inPostings = sumsBy(
    moved.filter(({ refId, account }) => refId !== null && itemAccounts.includes(account)),
    nameOf,
  )
  return [...new Set([...inItems.keys(), ...inPostings.keys()])].flatMap((key) => {
    const [stated, posted] = [inItems.get(key) ?? 0n, inPostings.get(key) ?? 0n]
    if (stated === posted) return []
    const table = 'card_transaction_part, deposit, withdrawal'
    return [{ table, key, wrong: `I2: the item has ${stated}, but its postings add up to ${posted}` }]
  })
}

function sumsBy<S extends ItemSum>(sums: readonly S[], nameOf: (sum: S) => string): Map<string, bigint> {
  const totals = new Map<string, bigint>()
  for (const one of sums) totals.set(nameOf(one), (totals.get(nameOf(one)) ?? 0n) + one.amount)
  return totals
}

/** No configured token or currency has more decimals, so amounts at this scale add up exactly. */
const scale = 36

/** Checks I7 per currency: the statement's items add up to the available funds less the debt. */
export function checkStatement(
  tokens: readonly TokenScale[],
  balances: Balances,
  items: readonly ItemText[],
): BadRow[] {
  const badRows: BadRow[] = []
  const proven = new Map<string, bigint>()
  for (const row of items) {
    const effect = effectOf(row.item)
    if (effect === null) badRows.push(badItem(row, 'I7: its text is not a statement item'))
    else proven.set(effect.currency, (proven.get(effect.currency) ?? 0n) + effect.amount)
  }
  const currencies = new Set([...tokens.map(({ currency }) => currency), ...proven.keys()])
  for (const currency of currencies) {
    const own = tokens.filter((token) => token.currency === currency)
    const balance = sum(
      own.map(({ address, decimals }) => {
        const { available, debt } = balanceOf(balances, address)
        return (available + debt) * powerOfTen(scale - decimals)
      }),
    )
    const shown = proven.get(currency) ?? 0n
    if (balance === shown) continue
    const wrong = `I7: the items add up to ${decimal(shown)}, but the balances to ${decimal(balance)}`
    badRows.push({ table: 'statement_item', key: `all items in ${currency}`, wrong })
  }
  return badRows
}

/** Checks I7 per item: each item shows the sum of its postings, and every posting to the user's funds has an item. */
export function checkStatementItems(
  tokens: readonly TokenScale[],
  items: readonly ItemText[],
  moved: readonly ItemSum[],
): BadRow[] {
  const own = moved.flatMap((one) => {
    const token = tokens.find(({ address }) => address === one.token)
    const isOwn = one.account === 'available' || one.account === 'debt'
    return token && isOwn ? [{ ...one, amount: one.amount * powerOfTen(scale - token.decimals), ...token }] : []
  })
  const left = sumsBy(own, ({ refId, currency }) => `${refId} in ${currency}`)
  const badRows: BadRow[] = []
  for (const row of items) {
    const effect = effectOf(row.item)
    if (effect === null) continue
    const name = `${row.itemId} in ${effect.currency}`
    const posted = left.get(name) ?? 0n
    left.delete(name)
    if (posted === effect.amount) continue
    badRows.push(badItem(row, `I7: it shows ${decimal(effect.amount)}, but its postings add up to ${decimal(posted)}`))
  }
  for (const [name, amount] of left) {
    if (amount === 0n) continue
    badRows.push({
      table: 'movement',
      key: name,
      wrong: `I7: its postings add up to ${decimal(amount)}, but no statement item shows them`,
    })
  }
  return badRows
}

/** Renders an amount of this scale as a decimal number. */
function decimal(amount: bigint): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(scale + 1, '0')
  const fraction = digits.slice(-scale).replace(/0+$/, '')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -scale)}${fraction === '' ? '' : `.${fraction}`}`
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

const countedStatuses: Readonly<Record<Item['type'], readonly string[]>> = {
  deposit: ['approved'],
  withdrawal: ['pending', 'processing', 'completed'],
  card_transaction: ['pending', 'settled'],
}

/** Returns the effect of one item on the user's funds, or null if the text is not a statement item. */
function effectOf(text: string): { currency: string; amount: bigint } | null {
  try {
    const { type, status, amount, decimals, isCredit, currency, fiatCurrency }: Item = JSON.parse(text)
    const scaled = countedStatuses[type].includes(status) ? BigInt(amount) * powerOfTen(scale - decimals) : 0n
    return { currency: type === 'card_transaction' ? currency : fiatCurrency, amount: isCredit ? scaled : -scaled }
  } catch {
    return null
  }
}

export type ItemText = { readonly createdAt: Date; readonly itemId: string; readonly item: string }

/** Checks I8: the stored statement items equal, byte for byte, those rebuilt from the facts. */
export function checkRebuiltItems(stored: readonly ItemText[], rebuilt: readonly ItemText[]): BadRow[] {
  const left = new Map(stored.map((row) => [placeOf(row), row]))
  const badRows: BadRow[] = []
  for (const row of rebuilt) {
    const found = left.get(placeOf(row))
    left.delete(placeOf(row))
    if (found === undefined) badRows.push(badItem(row, 'I8: it is missing, but the facts require it'))
    else if (found.item !== row.item)
      badRows.push(badItem(row, `I8: the facts give ${row.item}, but it is ${found.item}`))
  }
  return [...badRows, ...[...left.values()].map((row) => badItem(row, 'I8: it exists, but no fact explains it'))]
}

function badItem(row: ItemText, wrong: string): BadRow {
  return { table: 'statement_item', key: placeOf(row), wrong }
}

function placeOf({ createdAt, itemId }: ItemText): string {
  return `${createdAt.toISOString()} ${itemId}`
}
