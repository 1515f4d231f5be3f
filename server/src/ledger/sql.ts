import type { Queryable, Tx } from '../db/db.ts'
import type { Movement } from './movements.ts'
import { type BalanceRow, ledgerAccounts, type Posting } from './rules.ts'

const columns = ledgerAccounts.join(', ')
const added = ledgerAccounts.map((account) => `${account} = b.${account} + c.${account}`).join(', ')
const changed = `unnest($2::text[], ${ledgerAccounts.map((_, i) => `$${i + 3}::numeric[]`).join(', ')}) as c (token, ${columns})`

export async function findBalances(db: Queryable, userId: string): Promise<BalanceRow[]> {
  return db.query<BalanceRow>(`select token, ${columns} from ledger_balance where user_id = $1`, [userId])
}

/** Returns its number within the user's movements: one more than the last, safe under the account's lock. */
export async function insertMovement(tx: Tx, userId: string, { kind, refId, at }: Movement): Promise<bigint> {
  const [row] = await tx.query<{ seq: bigint }>(
    `insert into movement (user_id, seq, kind, ref_id, created_at)
     select $1, coalesce(max(seq), 0) + 1, $2, $3, $4 from movement where user_id = $1
     returning seq`,
    [userId, kind, refId, at],
  )
  if (!row) throw new Error('an insert returned no row')
  return row.seq
}

export async function insertPostings(tx: Tx, userId: string, seq: bigint, postings: readonly Posting[]): Promise<void> {
  await tx.query(
    `insert into posting (user_id, movement_seq, line, token, from_account, to_account, amount)
     select $1, $2, line, token, from_account, to_account, amount
     from unnest($3::text[], $4::text[], $5::text[], $6::numeric[])
       with ordinality as p (token, from_account, to_account, amount, line)`,
    [
      userId,
      seq,
      postings.map(({ token }) => token),
      postings.map(({ from }) => from),
      postings.map(({ to }) => to),
      postings.map(({ amount }) => amount),
    ],
  )
}

/** Returns the new balances of the tokens that have a row. */
export async function addToBalances(tx: Tx, userId: string, changes: readonly BalanceRow[]): Promise<BalanceRow[]> {
  return tx.query<BalanceRow>(
    `update ledger_balance b set ${added} from ${changed}
     where b.user_id = $1 and b.token = c.token
     returning b.token, ${ledgerAccounts.map((account) => `b.${account}`).join(', ')}`,
    [userId, ...asColumns(changes)],
  )
}

export async function insertBalances(tx: Tx, userId: string, balances: readonly BalanceRow[]): Promise<BalanceRow[]> {
  return tx.query<BalanceRow>(
    `insert into ledger_balance (user_id, token, ${columns}) select $1, c.* from ${changed} returning token, ${columns}`,
    [userId, ...asColumns(balances)],
  )
}

function asColumns(rows: readonly BalanceRow[]): unknown[] {
  return [rows.map(({ token }) => token), ...ledgerAccounts.map((account) => rows.map((row) => row[account]))]
}

export type Debts = { readonly atLeast: bigint; readonly users: bigint; readonly owed: bigint }

/** For each amount, who owes at least that much of a token. */
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
