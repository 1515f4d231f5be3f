import type { Queryable, Tx } from '../platform/db/db.ts'
import type { Movement, MovementKind } from './movements.ts'
import { type BalanceRow, ledgerAccounts, type Posting } from './rules.ts'

const columns = ledgerAccounts.join(', ')
const added = ledgerAccounts.map((account) => `${account} = b.${account} + c.${account}`).join(', ')
const changed = `unnest($2::text[], ${ledgerAccounts.map((_, i) => `$${i + 3}::numeric[]`).join(', ')}) as c (token, ${columns})`

export async function findBalances(db: Queryable, userId: string): Promise<BalanceRow[]> {
  return db.query<BalanceRow>(`select token, ${columns} from ledger_balance where user_id = $1`, [userId])
}

/** Inserts a movement with the user's next number. The account's lock prevents duplicates. */
export async function insertMovement(tx: Tx, userId: string, { kind, refId, at }: Movement): Promise<void> {
  await tx.query(
    `insert into movement (user_id, seq, kind, ref_id, created_at)
     select $1, coalesce(max(seq), 0) + 1, $2, $3, $4 from movement where user_id = $1`,
    [userId, kind, refId, at],
  )
}

/** Inserts the postings of the user's newest movement: under the account's lock, the one that was just inserted. */
export async function insertPostings(tx: Tx, userId: string, postings: readonly Posting[]): Promise<void> {
  await tx.query(
    `insert into posting (user_id, movement_seq, line, token, from_account, to_account, amount)
     select $1, (select max(seq) from movement where user_id = $1), line, token, from_account, to_account, amount
     from unnest($2::text[], $3::text[], $4::text[], $5::numeric[])
       with ordinality as p (token, from_account, to_account, amount, line)`,
    [
      userId,
      postings.map(({ token }) => token),
      postings.map(({ from }) => from),
      postings.map(({ to }) => to),
      postings.map(({ amount }) => amount),
    ],
  )
}

/** Inserts movements with consecutive numbers, and returns the first. The account's lock prevents duplicates. */
export async function insertMovements(tx: Tx, userId: string, movements: readonly Movement[]): Promise<bigint> {
  const rows = await tx.query<{ seq: bigint }>(
    `insert into movement (user_id, seq, kind, ref_id, created_at)
     select $1, coalesce((select max(seq) from movement where user_id = $1), 0) + n, kind, ref_id, created_at
     from unnest($2::text[], $3::uuid[], $4::timestamptz[]) with ordinality as m (kind, ref_id, created_at, n)
     returning seq`,
    [userId, movements.map(({ kind }) => kind), movements.map(({ refId }) => refId), movements.map(({ at }) => at)],
  )
  const [first] = rows.map(({ seq }) => seq).sort((a, b) => (a < b ? -1 : 1))
  if (first === undefined) throw new Error('an insert returned no row')
  return first
}

export type PostedLine = Posting & { readonly seq: bigint; readonly kind: MovementKind; readonly at: Date }

/**
 * Returns the postings of a fact's movements, in order. The times of the movements narrow the search, because a fact has no
 * index of its own.
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

export type PostingLine = Posting & { readonly seq: bigint; readonly line: number }

export async function insertPostingLines(tx: Tx, userId: string, lines: readonly PostingLine[]): Promise<void> {
  await tx.query(
    `insert into posting (user_id, movement_seq, line, token, from_account, to_account, amount)
     select $1, p.* from unnest($2::bigint[], $3::smallint[], $4::text[], $5::text[], $6::text[], $7::numeric[]) as p`,
    [
      userId,
      lines.map(({ seq }) => seq),
      lines.map(({ line }) => line),
      lines.map(({ token }) => token),
      lines.map(({ from }) => from),
      lines.map(({ to }) => to),
      lines.map(({ amount }) => amount),
    ],
  )
}

/** Adds the changes to the existing balances and returns the new ones. Skips tokens without a row. */
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
