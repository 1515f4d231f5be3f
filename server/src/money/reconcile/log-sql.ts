import type { Head, SealedRecord } from '../../events/sealed-log.ts'
import type { Queryable } from '../../platform/db/db.ts'

/** The full precision of the column, so that a change of a microsecond is found. */
const micros = (column: string) => `(extract(epoch from ${column}) * 1000000)::bigint::text`

export function findDecisionRecords(db: Queryable, after: bigint, limit: number): Promise<SealedRecord[]> {
  return db.query<SealedRecord>(
    `select seq, mac,
       array[decision_id::text, decided_by, ${micros('decided_at')}, command, subject, reason] as fields
     from operator_decision where seq > $1 order by seq limit $2`,
    [after, limit],
  )
}

export function findAuditRecords(
  db: Queryable,
  partnerId: string,
  after: bigint,
  limit: number,
): Promise<SealedRecord[]> {
  return db.query<SealedRecord>(
    `select seq, mac, array[actor, action, subject, detail::text, ${micros('created_at')}] as fields
     from partner_audit where partner_id = $1 and seq > $2 order by seq limit $3`,
    [partnerId, after, limit],
  )
}

/** Returns the partners that appear in any of the tables, so that a missing row hides no partner. */
export async function findLoggingPartners(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ partnerId: string }>(
    `select partner_id::text as "partnerId" from partner
     union select partner_id::text from partner_audit
     union select substr(log, length('partner_audit:') + 1) from sealed_log where log like 'partner\\_audit:%'
     order by 1`,
  )
  return rows.map(({ partnerId }) => partnerId)
}

export async function findHead(db: Queryable, log: string): Promise<Head | null> {
  const [head] = await db.query<Head>('select seq, mac, head_mac as "headMac" from sealed_log where log = $1', [log])
  return head ?? null
}
