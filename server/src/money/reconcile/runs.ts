import type { Ctx } from '../../context.ts'
import { type Balances, ledgerAccounts } from '../../ledger/rules.ts'
import { newId } from '../../lib/id.ts'
import type { Queryable } from '../../platform/db/db.ts'
import type { Custody } from './custody.ts'
import type { Report } from './report.ts'
import { findRuns, insertRun, type RunTexts, type StoredRun } from './run-sql.ts'
import { scanDueNewestRecord } from './sql.ts'

/** The results of checks over all users. Owns `reconcile_run`, whose rows are never changed. */
export type { StoredRun }

/** Stores a finished check. `custody` is null when no chain was read. */
export async function storeRun(
  { db, clock }: Pick<Ctx, 'db' | 'clock'>,
  startedAt: Date,
  report: Report,
  custody: readonly Custody[] | null,
): Promise<void> {
  const { totals, firstBadRows, unsealed, ...counts } = report
  const texts: RunTexts = {
    firstBadRows,
    unsealed: { ...unsealed, since: unsealed.since?.toISOString() ?? null },
    totals: totalTexts(totals),
    custody: custody?.map(custodyText) ?? null,
  }
  await insertRun(db, { runId: newId(startedAt), startedAt, endedAt: clock.now(), ...counts, ...texts })
}

/** Returns the runs below an id, newest first. */
export function listRuns(db: Queryable, below: string, limit: number): Promise<StoredRun[]> {
  return findRuns(db, below, limit)
}

/** Returns the time of the newest movement or check, which shows the age of a backup. */
export function findNewestRecord(db: Queryable): Promise<Date | null> {
  return scanDueNewestRecord(db)
}

/** JSON numbers are not exact, so amounts are texts. */
function totalTexts(totals: Balances): RunTexts['totals'] {
  return [...totals].map(([token, total]) => ({
    token,
    accounts: Object.fromEntries(ledgerAccounts.map((account) => [account, String(total[account])])),
  }))
}

function custodyText({ chainId, token, block, isShort, ...amounts }: Custody) {
  const { books, maxOutgoing, wallets, depositAddresses, surplus } = amounts
  return {
    ...{ chainId, token, block, isShort },
    ...{ books: String(books), maxOutgoing: String(maxOutgoing), wallets: String(wallets) },
    ...{ depositAddresses: String(depositAddresses), surplus: String(surplus) },
  }
}
