import type { Queryable, Tx } from '../db/db.ts'

export type StoredKey = {
  requestHash: string
  refId: string
  status: number | null
  body: string | null
  leaseUntil: Date
}

/** Returns false when the key exists. Waits for a concurrent transaction that is inserting it. */
export async function insertIdempotencyKey(
  tx: Tx,
  row: { scope: string; key: string; requestHash: string; refId: string; leaseUntil: Date; now: Date },
): Promise<boolean> {
  const inserted = await tx.query(
    `insert into idempotency_key (user_id, key, request_hash, ref_id, lease_until, created_at)
     values ($1, $2, $3, $4, $5, $6) on conflict (user_id, key) do nothing returning key`,
    [row.scope, row.key, row.requestHash, row.refId, row.leaseUntil, row.now],
  )
  return inserted.length === 1
}

export async function lockIdempotencyKey(tx: Tx, scope: string, key: string): Promise<StoredKey> {
  const [row] = await tx.query<StoredKey>(
    `select request_hash as "requestHash", ref_id as "refId", status, body, lease_until as "leaseUntil"
     from idempotency_key where user_id = $1 and key = $2 for update`,
    [scope, key],
  )
  if (!row) throw new Error('an idempotency key disappeared after it was found')
  return row
}

export async function extendLease(tx: Tx, scope: string, key: string, leaseUntil: Date): Promise<void> {
  await tx.query('update idempotency_key set lease_until = $3 where user_id = $1 and key = $2', [
    scope,
    key,
    leaseUntil,
  ])
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
): Promise<void> {
  await db.query('update idempotency_key set status = $3, body = $4 where user_id = $1 and key = $2', [
    scope,
    key,
    response.status,
    response.body,
  ])
}

export async function deleteIdempotencyKey(db: Queryable, scope: string, key: string): Promise<void> {
  await db.query('delete from idempotency_key where user_id = $1 and key = $2 and status is null', [scope, key])
}

export async function deleteScope(tx: Tx, scope: string): Promise<void> {
  await tx.query('delete from idempotency_key where user_id = $1', [scope])
}
