import type { SealedRecord } from '../../events/sealed-log.ts'
import type { Queryable } from '../../platform/db/db.ts'

/** The full precision of the column, so that a change of a microsecond is found. */
const micros = (column: string) => `(extract(epoch from ${column}) * 1000000)::bigint::text`

export function findDecisionRecords(db: Queryable, after: bigint, limit: number): Promise<SealedRecord[]> {
  return db.query<SealedRecord>(
    `select seq, hash, mac, secret_id as "secretId",
       array[decision_id::text, decided_by, ${micros('decided_at')}, command, subject, reason,
         break_glass::text, coalesce(approved_by, ''), coalesce(proof, '')] as fields
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
    `select seq, hash, mac, secret_id as "secretId",
       array[actor, action, subject, detail::text, ${micros('created_at')}] as fields
     from partner_audit where partner_id = $1 and seq > $2 order by seq limit $3`,
    [partnerId, after, limit],
  )
}

/** Matches the logs that the service writes. Anybody who can write to the database can invent other names. */
const ownLog = "'^(operator_decision|partner_audit:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$'"

/**
 * Returns the partners that appear in any of the tables or in the log of the service, so that a missing row hides no
 * partner.
 */
export async function findLoggingPartners(db: Queryable, logged: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ partnerId: string }>(
    `select partner_id::text as "partnerId" from partner
     union select partner_id::text from partner_audit
     union select substr(log, length('partner_audit:') + 1) from sealed_log
       where log like 'partner\\_audit:%' and log ~ ${ownLog}
     union select substr(log, length('partner_audit:') + 1) from unnest($1::text[]) as log
       where log like 'partner\\_audit:%' and log ~ ${ownLog}
     order by 1`,
    [logged],
  )
  return rows.map(({ partnerId }) => partnerId)
}

/** Returns the names of logs in `sealed_log` that the service never writes. */
export async function findForeignLogs(db: Queryable, limit: number): Promise<string[]> {
  const rows = await db.query<{ log: string }>(
    `select log from sealed_log where log !~ ${ownLog} order by log collate "C" limit $1`,
    [limit],
  )
  return rows.map(({ log }) => log)
}

/** Replaces the MACs of operator decisions. */
export async function updateDecisionMacs(db: Queryable, records: readonly SealedRecord[]): Promise<void> {
  await db.query(
    `update operator_decision d set mac = given.mac, secret_id = given.secret_id
     from unnest($1::bigint[], $2::bytea[], $3::text[]) as given (seq, mac, secret_id) where d.seq = given.seq`,
    macsOf(records),
  )
}

/** Replaces the MACs of entries of a partner's audit log. */
export async function updateAuditMacs(
  db: Queryable,
  partnerId: string,
  records: readonly SealedRecord[],
): Promise<void> {
  await db.query(
    `update partner_audit a set mac = given.mac, secret_id = given.secret_id
     from unnest($1::bigint[], $2::bytea[], $3::text[]) as given (seq, mac, secret_id)
     where a.partner_id = $4 and a.seq = given.seq`,
    [...macsOf(records), partnerId],
  )
}

function macsOf(records: readonly SealedRecord[]): unknown[] {
  return [records.map(({ seq }) => seq), records.map(({ mac }) => mac), records.map(({ secretId }) => secretId)]
}

export async function countOldRecords(db: Queryable, secretId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select ((select count(*) from operator_decision where secret_id <> $1) +
             (select count(*) from partner_audit where secret_id <> $1))::integer as count`,
    [secretId],
  )
  return row?.count ?? 0
}
