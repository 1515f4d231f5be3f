import type { Ctx } from '../context.ts'
import { powerOfTen } from '../lib/money.ts'
import type { AccountStatus } from '../lib/user-status.ts'
import type { Queryable, Tx } from '../platform/db/db.ts'
import type { Movement } from './movements.ts'
import { type BalanceRow, type Balances, ledgerAccounts, type Posting, type TokenBalance } from './rules.ts'
import {
  addToBalances,
  findBalances,
  insertBalances,
  insertMovement,
  insertMovements,
  insertPostingLines,
  insertPostings,
  scanDueDebts,
} from './sql.ts'

/**
 * The books. Owns `ledger_balance`, `movement`, `posting`.
 *
 * I1 per token the ledger accounts of a user add up to zero · I3 a balance is the sum of its postings ·
 * I4 free, held, frozen and processing money is never negative, debt never positive · I5 no free funds beside debt.
 * Movements and postings are only ever added. Outside accounts (network, chain, …) are mirrored per user, so every
 * movement balances within one user and one lock is enough: the user's account row, taken first.
 */

/** The account row under `for update`; whoever moves money has it, and gets it from `users/`. */
export type LockedAccount = {
  readonly userId: string
  readonly accountId: string
  /** where deposits arrive, EIP-55 */
  readonly address: string
  readonly currency: string
  readonly status: AccountStatus
}

export type { Movement }

/** For a decision, read it after the lock: a statement sees what was committed before it began. */
export async function readBalances(db: Queryable, userId: string): Promise<Balances> {
  return new Map((await findBalances(db, userId)).map((row) => [row.token, row]))
}

/** Writes the movement, its postings and the balances of the tokens that it touched, which it returns. */
export async function postMovement(tx: Tx, account: LockedAccount, movement: Movement): Promise<Balances> {
  if (movement.postings.length === 0) return new Map()
  const { userId } = account
  const changes = changesOf(movement.postings)
  const [rows] = await Promise.all([
    addToBalances(tx, userId, changes),
    insertMovement(tx, userId, movement),
    insertPostings(tx, userId, movement.postings),
  ])
  const balances = await withFirst(tx, userId, changes, rows)
  return new Map(balances.map((row) => [row.token, row]))
}

/** Several movements of one user in a handful of statements. Each must fit the balances that those before it leave. */
export async function postMovements(tx: Tx, account: LockedAccount, movements: readonly Movement[]): Promise<void> {
  const moving = movements.filter(({ postings }) => postings.length > 0)
  if (moving.length === 0) return
  const { userId } = account
  const firstSeq = await insertMovements(tx, userId, moving)
  const lines = moving.flatMap(({ postings }, i) =>
    postings.map((posting, line) => ({ ...posting, seq: firstSeq + BigInt(i), line: line + 1 })),
  )
  await insertPostingLines(tx, userId, lines)
  const changes = changesOf(lines)
  await withFirst(tx, userId, changes, await addToBalances(tx, userId, changes))
}

/** Those of tokens that had no balance yet join the others. */
async function withFirst(
  tx: Tx,
  userId: string,
  changes: readonly BalanceRow[],
  rows: readonly BalanceRow[],
): Promise<readonly BalanceRow[]> {
  // The first movement in a token; a negative balance in it breaks the table's checks, as it must.
  const touched = new Set(rows.map(({ token }) => token))
  const first = changes.filter(({ token }) => !touched.has(token))
  return first.length > 0 ? [...rows, ...(await insertBalances(tx, userId, first))] : rows
}

/** What the postings add to each ledger account of each token. */
function changesOf(postings: readonly Posting[]): BalanceRow[] {
  const changes = new Map<string, Record<string, bigint>>()
  for (const { token, from, to, amount } of postings) {
    const change = changes.get(token) ?? Object.fromEntries(ledgerAccounts.map((account) => [account, 0n]))
    change[from] = (change[from] ?? 0n) - amount
    change[to] = (change[to] ?? 0n) + amount
    changes.set(token, change)
  }
  // Built from the list of all ledger accounts, so each is there.
  return [...changes].map(([token, change]) => ({ token, ...(change as TokenBalance) }))
}

/** Debts are counted from these quantities on. */
const debtSteps = [0n, 10n, 100n, 1000n]

export async function measureDebts({ db, config, metrics }: Ctx): Promise<void> {
  for (const { address, symbol, decimals } of config.tokens) {
    const unit = powerOfTen(decimals)
    for (const { atLeast, users, owed } of await scanDueDebts(
      db,
      address,
      debtSteps.map((step) => step * unit),
    )) {
      metrics.debtUsers.set({ token: symbol, at_least: String(atLeast / unit) }, Number(users))
      // For a chart: a JavaScript number is exact enough there, and nowhere else.
      if (atLeast === 0n) metrics.debtAmount.set({ token: symbol }, Number(owed) / 10 ** decimals)
    }
  }
}
