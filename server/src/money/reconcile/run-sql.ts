import type { Queryable } from '../../platform/db/db.ts'
import type { Report } from './report.ts'

/** The parts of a run that are stored as JSON. Amounts are texts. */
export type RunTexts = {
  readonly firstBadRows: Report['firstBadRows']
  readonly unsealed: { readonly users: number; readonly movements: number; readonly since: string | null }
  readonly totals: readonly { readonly token: string; readonly accounts: Readonly<Record<string, string>> }[]
  readonly custody:
    | readonly {
        readonly chainId: number
        readonly token: string
        readonly block: number
        readonly isShort: boolean
        readonly books: string
        readonly maxOutgoing: string
        readonly wallets: string
        readonly depositAddresses: string
        readonly surplus: string
      }[]
    | null
}

type Counts = Pick<Report, 'users' | 'movements' | 'postings' | 'items' | 'records' | 'badUsers' | 'badRows'>

export type StoredRun = Counts & RunTexts & { readonly runId: string; readonly startedAt: Date; readonly endedAt: Date }

export async function insertRun(db: Queryable, run: StoredRun): Promise<void> {
  await db.query(
    `insert into reconcile_run (run_id, started_at, ended_at, users, movements, postings, items, records, bad_users,
       bad_rows, first_bad_rows, unsealed, totals, custody)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      run.runId,
      run.startedAt,
      run.endedAt,
      run.users,
      run.movements,
      run.postings,
      run.items,
      run.records,
      run.badUsers,
      run.badRows,
      JSON.stringify(run.firstBadRows),
      JSON.stringify(run.unsealed),
      JSON.stringify(run.totals),
      run.custody === null ? null : JSON.stringify(run.custody),
    ],
  )
}

const columns = `run_id as "runId", started_at as "startedAt", ended_at as "endedAt", users::float8, movements::float8,
  postings::float8, items::float8, records::float8, bad_users::float8 as "badUsers", bad_rows::float8 as "badRows",
  first_bad_rows as "firstBadRows", unsealed, totals, custody`

export function findRuns(db: Queryable, below: string, limit: number): Promise<StoredRun[]> {
  return db.query<StoredRun>(`select ${columns} from reconcile_run where run_id < $1 order by run_id desc limit $2`, [
    below,
    limit,
  ])
}
