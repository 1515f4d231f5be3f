import type { Ctx } from '../context.ts'
import { powerOfTen } from '../lib/money.ts'
import type { AccountStatus } from '../lib/user-status.ts'
import type { Queryable, Tx } from '../platform/db/db.ts'
import { tokenLabels } from '../platform/observability/token-labels.ts'
import type { Movement, MovementKind } from './movements.ts'
import { type BalanceRow, type Balances, ledgerAccounts, type Posting, type TokenBalance } from './rules.ts'
import {
  callPostMovements,
  findBalances,
  findPostingsOf,
  type MovementColumns,
  movementParameters,
  scanDueDebts,
} from './sql.ts'

/**
 * The ledger. Owns the tables `ledger_balance`, `movement` and `posting`.
 *
 * Invariants, per user and token (`money/reconcile/` verifies these and the others):
 * - I1: the ledger accounts add up to zero.
 * - I3: each balance is the sum of its postings.
 * - I4: available, held, frozen and processing funds are never negative; debt and unfinal funds are never positive.
 * - I5: a user with debt has no available funds.
 *
 * Movements and postings are only ever added. Each user has their own copy of the outside accounts (network, chain, …),
 * so every movement balances within one user. Code that posts locks the user's account row first.
 */

/** The locked account row, from `identity/users/`. Every function that moves money takes it as proof of the lock. */
export type LockedAccount = {
  readonly userId: string
  readonly accountId: string
  /** the deposit address, with its EIP-55 checksum */
  readonly address: string
  readonly currency: string
  readonly status: AccountStatus
}

export type { Movement, MovementColumns }
export { movementParameters }

/** Returns a user's balances. Decisions must read them under the lock, so that no concurrent movement is missed. */
export async function readBalances(db: Queryable, userId: string): Promise<Balances> {
  return new Map((await findBalances(db, userId)).map((row) => [row.token, row]))
}

export type StoredMovement = {
  readonly seq: bigint
  readonly kind: MovementKind
  readonly at: Date
  readonly postings: readonly Posting[]
}

/** Returns the movements of one fact, oldest first. `times` must contain the time of each. */
export async function readMovementsOf(
  db: Queryable,
  userId: string,
  refId: string,
  times: readonly Date[],
): Promise<StoredMovement[]> {
  const lines = Map.groupBy(await findPostingsOf(db, userId, refId, times), ({ seq }) => seq)
  return [...lines.values()].flatMap((own) =>
    own.slice(0, 1).map(({ seq, kind, at }) => ({
      seq,
      kind,
      at,
      postings: own.map(({ token, from, to, amount }) => ({ token, from, to, amount })),
    })),
  )
}

/** Writes a movement, its postings and the changed balances. */
export async function postMovement(tx: Tx, account: LockedAccount, movement: Movement): Promise<void> {
  await postMovements(tx, account, [movement])
}

/** Writes several movements of one user. Each must be valid for the balances that the preceding ones leave. */
export async function postMovements(tx: Tx, account: LockedAccount, movements: readonly Movement[]): Promise<void> {
  const moving = movements.filter(({ postings }) => postings.length > 0)
  if (moving.length > 0) await callPostMovements(tx, account.userId, moving, movementColumns(moving))
}

/** Returns the parameters of the functions that write movements: the postings, and the changes of the balances. */
export function movementColumns(movements: readonly Pick<Movement, 'postings'>[]): MovementColumns {
  const lines = movements.flatMap(({ postings }, i) =>
    postings.map((posting, line) => ({ ...posting, place: i + 1, line: line + 1 })),
  )
  const changes = changesOf(lines)
  return {
    places: lines.map(({ place }) => place),
    lines: lines.map(({ line }) => line),
    tokens: lines.map(({ token }) => token),
    from_accounts: lines.map(({ from }) => from),
    to_accounts: lines.map(({ to }) => to),
    amounts: lines.map(({ amount }) => amount),
    balance_tokens: changes.map(({ token }) => token),
    changes: changes.map((change) => ledgerAccounts.map((account) => change[account])),
  }
}

/** Returns the sum of the postings per token and ledger account. */
function changesOf(postings: readonly Posting[]): BalanceRow[] {
  const changes = new Map<string, Record<string, bigint>>()
  for (const { token, from, to, amount } of postings) {
    const change = changes.get(token) ?? Object.fromEntries(ledgerAccounts.map((account) => [account, 0n]))
    change[from] = (change[from] ?? 0n) - amount
    change[to] = (change[to] ?? 0n) + amount
    changes.set(token, change)
  }
  // Safe cast: each record was built from the list of all ledger accounts.
  return [...changes].map(([token, change]) => ({ token, ...(change as TokenBalance) }))
}

/** The lower bounds of the metric's buckets, in whole tokens. */
const debtSteps = [0n, 10n, 100n, 1000n]

/** Measures how many users have debts, and how much they owe. */
export async function measureDebts({ db, config, metrics }: Ctx): Promise<void> {
  for (const token of config.tokens) {
    const { address, decimals } = token
    const labels = tokenLabels(token)
    const unit = powerOfTen(decimals)
    for (const { atLeast, users, owed } of await scanDueDebts(
      db,
      address,
      debtSteps.map((step) => step * unit),
    )) {
      metrics.debtUsers.set({ ...labels, at_least: String(atLeast / unit) }, Number(users))
      // A metric is a floating-point number, which is precise enough for a chart.
      if (atLeast === 0n) metrics.debtAmount.set(labels, Number(owed) / 10 ** decimals)
    }
  }
}
