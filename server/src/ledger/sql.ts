import { functionCall } from '../platform/db/call.ts'
import type { Queryable, Tx } from '../platform/db/db.ts'
import type { Movement, MovementKind } from './movements.ts'
import { type BalanceRow, type LedgerAccount, ledgerAccounts, type Posting } from './rules.ts'

const columns = ledgerAccounts.join(', ')

export async function findBalances(db: Queryable, userId: string): Promise<BalanceRow[]> {
  return db.query<BalanceRow>(`select token, ${columns} from ledger_balance where user_id = $1`, [userId])
}

/** The parameters of a function that posts movements. Lists have one element per posting, or per changed balance. */
export type MovementColumns = {
  /** The number of the posting's movement, from 1. */
  readonly places: readonly number[]
  readonly lines: readonly number[]
  readonly tokens: readonly string[]
  readonly from_accounts: readonly LedgerAccount[]
  readonly to_accounts: readonly LedgerAccount[]
  readonly amounts: readonly bigint[]
  readonly balance_tokens: readonly string[]
  /** One row per token, in the order of `ledgerAccounts`. */
  readonly changes: readonly (readonly bigint[])[]
}

export const movementParameters = [
  'places',
  'lines',
  'tokens',
  'from_accounts',
  'to_accounts',
  'amounts',
  'balance_tokens',
  'changes',
] as const satisfies readonly (keyof MovementColumns)[]

const call = functionCall('select post_movements', ['user_id', 'kinds', 'ref_ids', 'at', ...movementParameters])

export async function callPostMovements(
  tx: Tx,
  userId: string,
  movements: readonly Movement[],
  columns: MovementColumns,
): Promise<void> {
  const values = call.values({
    user_id: userId,
    kinds: movements.map(({ kind }) => kind),
    ref_ids: movements.map(({ refId }) => refId),
    at: movements.map(({ at }) => at),
    ...columns,
  })
  await tx.query(call.text, values)
}

export type PostedLine = Posting & { readonly seq: bigint; readonly kind: MovementKind; readonly at: Date }

/**
 * Returns the postings of a fact's movements, in order. The times of the movements narrow the search, because no index
 * covers `ref_id`.
 */
export async function findPostingsOf(
  db: Queryable,
  userId: string,
  refId: string,
  times: readonly Date[],
): Promise<PostedLine[]> {
  return db.query<PostedLine>(
    `select m.seq, m.kind, m.created_at as at, p.token, p.from_account as "from", p.to_account as "to", p.amount
     from movement m join posting p on p.user_id = m.user_id and p.movement_seq = m.seq
     where m.user_id = $1 and p.user_id = $1 and m.ref_id = $2 and m.created_at = any($3::timestamptz[])
     order by m.seq, p.line`,
    [userId, refId, times],
  )
}

export type Debts = { readonly atLeast: bigint; readonly users: bigint; readonly owed: bigint }

/** Returns, for each amount, the number of users who owe at least that much of a token. */
export async function scanDueDebts(db: Queryable, token: string, amounts: readonly bigint[]): Promise<Debts[]> {
  return db.query<Debts>(
    `-- scanDueDebts
     select a.amount as "atLeast", count(b.user_id) as users, coalesce(sum(-b.debt), 0) as owed
     from unnest($2::numeric[]) as a (amount)
       left join ledger_balance b on b.token = $1 and b.debt < 0 and b.debt <= -a.amount
     group by a.amount`,
    [token, amounts],
  )
}
