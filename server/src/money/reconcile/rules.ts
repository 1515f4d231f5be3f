// pure
import { type Balances, balanceOf, brokenRules, ledgerAccounts, type TokenScale } from '../../ledger/rules.ts'
import { powerOfTen, sum } from '../../lib/money.ts'

/** A row that is not what it must be, in words: where it stands, and what was expected and is there instead. */
export type BadRow = { readonly table: string; readonly key: string; readonly wrong: string }

/** What one authorization, deposit or withdrawal moved, or says that it did, to one ledger account of one token. */
export type ItemSum = {
  /** null: of a movement that is missing */
  readonly refId: string | null
  readonly token: string
  /** a ledger account, if nobody has written anything else there */
  readonly account: string
  readonly amount: bigint
}

/** I1, I4, I5: each token's balances by themselves. */
export function checkBalances(balances: Balances): BadRow[] {
  return [...balances].flatMap(([token, balance]) => brokenRules(balance).map((wrong) => badBalance(token, wrong)))
}

function badBalance(token: string, wrong: string): BadRow {
  return { table: 'ledger_balance', key: `token ${token}`, wrong }
}

/** I3: each balance is the sum of its postings. */
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

const itemAccounts: readonly string[] = ['held', 'network', 'frozen', 'deposit_processing', 'withdrawal_processing']

/** I2: what is held, frozen, processing or paid by card is, item by item, what was moved for it. */
export function checkItems(held: readonly ItemSum[], moved: readonly ItemSum[]): BadRow[] {
  const nameOf = ({ refId, token, account }: ItemSum) => `${refId}, ${account} of token ${token}`
  const inItems = sumsBy(held, nameOf)
  const inPostings = sumsBy(
    moved.filter(({ refId, account }) => refId !== null && itemAccounts.includes(account)),
    nameOf,
  )
  return [...new Set([...inItems.keys(), ...inPostings.keys()])].flatMap((key) => {
    const [said, posted] = [inItems.get(key) ?? 0n, inPostings.get(key) ?? 0n]
    if (said === posted) return []
    const table = 'card_transaction_part, deposit, withdrawal'
    return [{ table, key, wrong: `I2: it says ${said}, but its postings add up to ${posted}` }]
  })
}

function sumsBy<S extends ItemSum>(sums: readonly S[], nameOf: (sum: S) => string): Map<string, bigint> {
  const totals = new Map<string, bigint>()
  for (const one of sums) totals.set(nameOf(one), (totals.get(nameOf(one)) ?? 0n) + one.amount)
  return totals
}

/** No configured token or currency has more decimals, so at this scale amounts of all of them add up exactly. */
const scale = 36

/** I7: per currency, what the statement's rows add up to is what is free less what is owed. */
export function checkStatement(
  tokens: readonly TokenScale[],
  balances: Balances,
  items: readonly ItemText[],
): BadRow[] {
  const badRows: BadRow[] = []
  const proven = new Map<string, bigint>()
  for (const row of items) {
    const effect = effectOf(row.item)
    if (effect === null) badRows.push(badItem(row, 'I7: it is not a statement item'))
    else proven.set(effect.currency, (proven.get(effect.currency) ?? 0n) + effect.amount)
  }
  const currencies = new Set([...tokens.map(({ currency }) => currency), ...proven.keys()])
  for (const currency of currencies) {
    const own = tokens.filter((token) => token.currency === currency)
    const kept = sum(
      own.map(({ address, decimals }) => {
        const { available, debt } = balanceOf(balances, address)
        return (available + debt) * powerOfTen(scale - decimals)
      }),
    )
    const shown = proven.get(currency) ?? 0n
    if (kept === shown) continue
    const wrong = `I7: its rows add up to ${decimal(shown)}, but the balances say ${decimal(kept)}`
    badRows.push({ table: 'statement_item', key: `all rows in ${currency}`, wrong })
  }
  return badRows
}

/** I7, row by row: what each shows is what was moved for it, and nothing was moved that no row shows. */
export function checkRows(
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
    const came = left.get(name) ?? 0n
    left.delete(name)
    if (came === effect.amount) continue
    badRows.push(badItem(row, `I7: it shows ${decimal(effect.amount)}, but its movements come to ${decimal(came)}`))
  }
  for (const [name, amount] of left) {
    if (amount === 0n) continue
    badRows.push({ table: 'movement', key: name, wrong: `I7: ${decimal(amount)} moved, and no row shows it` })
  }
  return badRows
}

/** An amount at that scale as people write it. */
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

const effective: Readonly<Record<Item['type'], readonly string[]>> = {
  deposit: ['approved'],
  withdrawal: ['pending', 'processing', 'completed'],
  card_transaction: ['pending', 'settled'],
}

/** What one row does to the user's own money; null when somebody put there what is no row. */
function effectOf(text: string): { currency: string; amount: bigint } | null {
  try {
    const { type, status, amount, decimals, isCredit, currency, fiatCurrency }: Item = JSON.parse(text)
    const scaled = effective[type].includes(status) ? BigInt(amount) * powerOfTen(scale - decimals) : 0n
    return { currency: type === 'card_transaction' ? currency : fiatCurrency, amount: isCredit ? scaled : -scaled }
  } catch {
    return null
  }
}

export type ItemText = { readonly createdAt: Date; readonly itemId: string; readonly item: string }

/** I8: the statement's rows are, byte for byte, what the facts make. */
export function checkRebuilt(stored: readonly ItemText[], rebuilt: readonly ItemText[]): BadRow[] {
  const left = new Map(stored.map((row) => [placeOf(row), row]))
  const badRows: BadRow[] = []
  for (const row of rebuilt) {
    const found = left.get(placeOf(row))
    left.delete(placeOf(row))
    if (found === undefined) badRows.push(badItem(row, 'I8: it is missing, though the facts make it'))
    else if (found.item !== row.item) badRows.push(badItem(row, `I8: the facts make ${row.item}, it is ${found.item}`))
  }
  return [...badRows, ...[...left.values()].map((row) => badItem(row, 'I8: it is there, though no fact makes it'))]
}

function badItem(row: ItemText, wrong: string): BadRow {
  return { table: 'statement_item', key: placeOf(row), wrong }
}

function placeOf({ createdAt, itemId }: ItemText): string {
  return `${createdAt.toISOString()} ${itemId}`
}

/** One token's coins in one block, beside what the books say of them. */
export type Custody = {
  readonly chainId: number
  readonly token: string
  readonly block: number
  /** what came in and is final, less what went out and is final */
  readonly books: bigint
  /** how much of that can be gone already without the books knowing */
  readonly mayHaveLeft: bigint
  readonly wallets: bigint
  readonly depositAddresses: bigint
  /** what is more than the books say: the programme's own; negative: it is missing, if it is not on its way */
  readonly surplus: bigint
  readonly isShort: boolean
}

export function custodyOf(found: Omit<Custody, 'surplus' | 'isShort'>): Custody {
  const surplus = found.wallets + found.depositAddresses - found.books
  return { ...found, surplus, isShort: surplus < -found.mayHaveLeft }
}
