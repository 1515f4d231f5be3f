import type { Ctx } from '../../context.ts'
import {
  auditLog,
  countHeadsUnderOldSecrets,
  decisionLog,
  logChecker,
  readEnds,
  readHead,
  resealHeads,
  resealRecord,
  type SealedRecord,
} from '../../events/sealed-log.ts'
import { secretId } from '../../platform/crypto/derive-key.ts'
import type { Queryable } from '../../platform/db/db.ts'
import { trailOf } from '../../platform/observability/log.ts'
import type { LoggedHead } from './check-hash-chain.ts'
import { lowestSeq } from './hash-chain.ts'
import type { BadRow } from './invariants.ts'
import {
  countOldRecords,
  findAuditRecords,
  findDecisionRecords,
  findForeignLogs,
  findLoggingPartners,
  updateAuditMacs,
  updateDecisionMacs,
} from './log-sql.ts'

/**
 * Checks I9: operator decisions, and the audit log of each partner, are exactly those that the service wrote. Also
 * replaces their MACs when SECRET is rotated.
 */
export type LogCheck = { readonly records: number; readonly badRows: readonly BadRow[] }

type LogCtx = Pick<Ctx, 'config' | 'db'>

/** The logged ends of each sealed log, by the name of the log. */
export type LoggedEnds = ReadonlyMap<string, readonly LoggedHead[]>

/** The message of the log lines that carry the number and the hash of a sealed log's last record. */
export const logEndMessage = 'log sealed'

/**
 * Logs the end of each sealed log whose last record is new. An insider can remove the newest records and restore an
 * older head. An external copy of the service's log reveals that.
 */
export async function logEnds({ db, log, caches: { loggedEnds } }: Pick<Ctx, 'db' | 'log' | 'caches'>): Promise<void> {
  for (const end of await readEnds(db)) {
    const head = end.hash.toString('hex')
    // The hash counts, because a record that replaces a removed one has the same number.
    if (loggedEnds.get(end.log) === head) continue
    loggedEnds.set(end.log, head)
    trailOf(log).info({ log: end.log, seq: String(end.seq), head }, logEndMessage)
  }
}

const maxRecordsPerPage = 1000

type Log = {
  readonly name: string
  find(db: Queryable, after: bigint, limit: number): Promise<SealedRecord[]>
  updateMacs(db: Queryable, records: readonly SealedRecord[]): Promise<void>
}

async function listLogs(db: Queryable, logged: readonly string[] = []): Promise<Log[]> {
  const partnerIds = await findLoggingPartners(db, logged)
  const audits = partnerIds.map((partnerId) => ({
    name: auditLog(partnerId),
    find: (reader: Queryable, after: bigint, limit: number) => findAuditRecords(reader, partnerId, after, limit),
    updateMacs: (writer: Queryable, records: readonly SealedRecord[]) => updateAuditMacs(writer, partnerId, records),
  }))
  const decisions = { name: decisionLog, find: findDecisionRecords, updateMacs: updateDecisionMacs }
  return [decisions, ...audits]
}

async function* readPages(db: Queryable, log: Log): AsyncGenerator<readonly SealedRecord[]> {
  for (let after = lowestSeq; ; ) {
    const page = await log.find(db, after, maxRecordsPerPage)
    if (page.length > 0) yield page
    if (page.length < maxRecordsPerPage) return
    after = page.at(-1)?.seq ?? after
  }
}

export async function checkLogs(
  ctx: LogCtx,
  { logged = new Map(), signal }: { logged?: LoggedEnds; signal?: AbortSignal | undefined } = {},
): Promise<LogCheck> {
  const checks: LogCheck[] = []
  for (const log of await listLogs(ctx.db, [...logged.keys()])) {
    signal?.throwIfAborted()
    checks.push(await checkLog(ctx, log, logged.get(log.name) ?? []))
  }
  const foreign = await findForeignLogs(ctx.db, maxRecordsPerPage)
  checks.push({
    records: 0,
    badRows: foreign.map((key) => ({ table: 'sealed_log', key, wrong: 'I9: no log has this name' })),
  })
  return {
    records: checks.reduce((count, { records }) => count + records, 0),
    badRows: checks.flatMap(({ badRows }) => badRows),
  }
}

async function checkLog(ctx: LogCtx, log: Log, logged: readonly LoggedHead[]): Promise<LogCheck> {
  return ctx.db.snapshot(async (db) => {
    const checker = logChecker(ctx, log.name)
    const badRows: BadRow[] = []
    const report = (found: readonly { key: string; wrong: string }[]) =>
      badRows.push(
        ...found.map(({ key, wrong }) => ({ table: log.name.split(':', 1).join(), key, wrong: `I9: ${wrong}` })),
      )
    let records = 0
    const missing = new Set(logged.map(({ seq, head }) => `${seq} ${head}`))
    for await (const page of readPages(db, log)) {
      for (const record of page) {
        report(checker.record(record))
        missing.delete(`${record.seq} ${record.hash.toString('hex')}`)
      }
      records += page.length
    }
    report(checker.head(await readHead(db, log.name)))
    report(
      [...missing].map((end) => {
        const [seq, head] = end.split(' ')
        return { key: `${log.name} ${seq}`, wrong: `its logged hash is ${head}, but it was removed or replaced` }
      }),
    )
    return { records, badRows }
  })
}

/**
 * Computes the MACs of all logs with the first secret, in batches. Records and heads that are not authentic stay
 * unchanged. Returns their number.
 */
export async function reauthenticateLogs(
  ctx: LogCtx,
  onBatch: (records: number) => void,
): Promise<{ rejected: number }> {
  const id = secretId(ctx.config.secrets[0])
  let { rejected } = await resealHeads(ctx)
  for (const log of await listLogs(ctx.db)) {
    const checker = logChecker(ctx, log.name)
    for await (const page of readPages(ctx.db, log)) {
      const good = page.filter((record) => checker.record(record).length === 0)
      const old = good.filter((record) => record.secretId !== id)
      rejected += page.length - good.length
      if (old.length === 0) continue
      await log.updateMacs(
        ctx.db,
        old.map((record) => resealRecord(ctx, log.name, record)),
      )
      onBatch(old.length)
    }
  }
  return { rejected }
}

export async function countLogsUnderOldSecrets({ config, db }: LogCtx): Promise<number> {
  const heads = await countHeadsUnderOldSecrets({ config, db })
  return heads + (await countOldRecords(db, secretId(config.secrets[0])))
}
