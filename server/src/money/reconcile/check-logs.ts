import type { Ctx } from '../../context.ts'
import { auditLog, decisionLog, logChecker, type SealedRecord } from '../../events/sealed-log.ts'
import type { Queryable } from '../../platform/db/db.ts'
import type { BadRow } from './invariants.ts'
import { findAuditRecords, findDecisionRecords, findHead, findLoggingPartners } from './log-sql.ts'

/** Checks I9: operator decisions, and the audit log of each partner, are exactly those that the service wrote. */
export type LogCheck = { readonly records: number; readonly badRows: readonly BadRow[] }

const maxRecordsPerPage = 1000
type FindRecords = (db: Queryable, after: bigint, limit: number) => Promise<SealedRecord[]>

export async function checkLogs({ config, db }: Pick<Ctx, 'config' | 'db'>, signal?: AbortSignal): Promise<LogCheck> {
  const checks = [await checkLog({ config, db }, decisionLog, findDecisionRecords)]
  for (const partnerId of await findLoggingPartners(db)) {
    signal?.throwIfAborted()
    const find: FindRecords = (reader, after, limit) => findAuditRecords(reader, partnerId, after, limit)
    checks.push(await checkLog({ config, db }, auditLog(partnerId), find))
  }
  return {
    records: checks.reduce((count, { records }) => count + records, 0),
    badRows: checks.flatMap(({ badRows }) => badRows),
  }
}

async function checkLog(ctx: Pick<Ctx, 'config' | 'db'>, log: string, find: FindRecords): Promise<LogCheck> {
  return ctx.db.snapshot(async (db) => {
    const checker = logChecker(ctx, log)
    const badRows: BadRow[] = []
    const report = (found: readonly { key: string; wrong: string }[]) =>
      badRows.push(...found.map(({ key, wrong }) => ({ table: log.split(':', 1).join(), key, wrong: `I9: ${wrong}` })))
    let records = 0
    for (let after = lowestSeq; ; ) {
      const page = await find(db, after, maxRecordsPerPage)
      for (const record of page) report(checker.record(record))
      records += page.length
      after = page.at(-1)?.seq ?? after
      if (page.length < maxRecordsPerPage) break
    }
    report(checker.head(await findHead(db, log)))
    return { records, badRows }
  })
}

/** The smallest int8. Purser's numbers begin with 1, but an insider's may not. */
const lowestSeq = -(2n ** 63n)
