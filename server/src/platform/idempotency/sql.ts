import type { Queryable, Tx } from '../db/db.ts'

export type StoredKey = {
  requestHash: string
  refId: string
  status: number | null
  body: string | null
  leaseUntil: Date
}

export type NewKey = {
  scope: string
  key: string
  requestHash: string
  refId: string
  leaseUntil: Date
  /** null: the request needs no lease */
  leasedBy: string | null
  now: Date
  /** null: never */
  expiresAt: Date | null
}

/** Returns false when the key exists. Waits for a concurrent transaction that is inserting it. */
export async function insertIdempotencyKey(tx: Tx, row: NewKey): Promise<boolean> {
  const inserted = await tx.query(
    `insert into idempotency_key (user_id, key, request_hash, ref_id, lease_until, created_at, expires_at, leased_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (user_id, key) do nothing returning key`,
    [row.scope, row.key, row.requestHash, row.refId, row.leaseUntil, row.now, row.expiresAt, row.leasedBy],
  )
  return inserted.length === 1
}

/** Returns null when the key expired and was deleted. */
export async function lockIdempotencyKey(tx: Tx, scope: string, key: string): Promise<StoredKey | null> {
  const [row] = await tx.query<StoredKey>(
    `select request_hash as "requestHash", ref_id as "refId", status, body, lease_until as "leaseUntil"
     from idempotency_key where user_id = $1 and key = $2 for update`,
    [scope, key],
  )
  return row ?? null
}

export async function extendLease(
  tx: Tx,
  { scope, key, leaseUntil, leasedBy }: Pick<NewKey, 'scope' | 'key' | 'leaseUntil' | 'leasedBy'>,
): Promise<void> {
  await tx.query('update idempotency_key set lease_until = $3, leased_by = $4 where user_id = $1 and key = $2', [
    scope,
    key,
    leaseUntil,
    leasedBy,
  ])
}

/** Returns the keys whose requests a process has not finished. */
export async function scanDueLeases(
  db: Queryable,
  processId: string,
  now: Date,
): Promise<{ scope: string; key: string }[]> {
  return db.query(
    `-- scanDue
     select user_id as scope, key from idempotency_key where leased_by = $1 and status is null and lease_until > $2`,
    [processId, now],
  )
}

export async function releaseLease(
  db: Queryable,
  { scope, key }: { scope: string; key: string },
  processId: string,
  now: Date,
): Promise<void> {
  await db.query(
    `update idempotency_key set lease_until = $4
     where user_id = $1 and key = $2 and leased_by = $3 and status is null`,
    [scope, key, processId, now],
  )
}

export async function endLease(db: Queryable, scope: string, key: string, now: Date): Promise<void> {
  await db.query('update idempotency_key set lease_until = $3 where user_id = $1 and key = $2 and status is null', [
    scope,
    key,
    now,
  ])
}

export async function storeResponse(
  db: Queryable,
  scope: string,
  key: string,
  response: { status: number; body: string },
  expiresAt: Date | null,
): Promise<void> {
  await db.query('update idempotency_key set status = $3, body = $4, expires_at = $5 where user_id = $1 and key = $2', [
    scope,
    key,
    response.status,
    response.body,
    expiresAt,
  ])
}

/** Keeps the newest `max` of the stored responses that expire. Deletes up to 100 older ones. */
export async function deleteOldestKeys(db: Queryable, scope: string, max: number): Promise<void> {
  await db.query(
    `delete from idempotency_key where user_id = $1 and key in (
       select key from idempotency_key where user_id = $1 and expires_at is not null and status is not null
       order by expires_at desc offset $2 limit 100)`,
    [scope, max],
  )
}

export async function scanDueKeys(db: Queryable, now: Date, limit: number): Promise<{ scope: string; key: string }[]> {
  return db.query(
    `-- scanDue
     select user_id as scope, key from idempotency_key where expires_at <= $1 order by expires_at limit $2`,
    [now, limit],
  )
}

/** Deletes those of the keys that have expired. */
export async function deleteExpiredKeys(
  db: Queryable,
  expired: readonly { scope: string; key: string }[],
  now: Date,
): Promise<void> {
  await db.query('delete from idempotency_key where user_id = any($1) and key = any($2) and expires_at <= $3', [
    [...new Set(expired.map(({ scope }) => scope))],
    expired.map(({ key }) => key),
    now,
  ])
}

export async function deleteIdempotencyKey(db: Queryable, scope: string, key: string): Promise<void> {
  await db.query('delete from idempotency_key where user_id = $1 and key = $2 and status is null', [scope, key])
}

export async function deleteScope(tx: Tx, scope: string): Promise<void> {
  await tx.query('delete from idempotency_key where user_id = $1', [scope])
}
