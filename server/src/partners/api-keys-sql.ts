import { Type } from 'typebox'
import { partnerStatuses } from '../lib/partner-status.ts'
import type { Queryable, Tx } from '../platform/db/db.ts'
import { OneOf, withRowShape } from '../platform/db/row-shapes.ts'
import type { Scope } from './rules.ts'
import type { PartnerStanding } from './sql.ts'

export type ApiKey = {
  readonly keyId: string
  readonly name: string
  readonly lastCharacters: string
  readonly scopes: readonly Scope[]
  /** The actor that created the key, as in the audit log. */
  readonly createdBy: string
  /** The lifetime of the key and of its successors. null: unlimited */
  readonly ttlInSeconds: number | null
  /** null: the key does not expire */
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
  readonly createdAt: Date
}

const keyColumns = `key_id as "keyId", name, last_characters as "lastCharacters", scopes,
  created_by as "createdBy", ttl_in_seconds as "ttlInSeconds", expires_at as "expiresAt",
  revoked_at as "revokedAt", created_at as "createdAt"`

const selectKeyByHash = withRowShape(
  Type.Object({ status: OneOf(partnerStatuses) }),
  `select ${keyColumns}, partner_id as "partnerId",
     (select p.status from partner p where p.partner_id = k.partner_id) as status,
     (select p.reads_details is true from partner p where p.partner_id = k.partner_id) as "readsDetails"
   from partner_api_key k where key_hash = $1`,
)

export async function findApiKeyByHash(
  db: Queryable,
  keyHash: string,
): Promise<(ApiKey & PartnerStanding & { readonly partnerId: string }) | null> {
  const [row] = await db.query<ApiKey & PartnerStanding & { partnerId: string }>(selectKeyByHash, [keyHash])
  return row ?? null
}

export async function findApiKey(db: Queryable, partnerId: string, keyId: string): Promise<ApiKey | null> {
  const [row] = await db.query<ApiKey>(
    `select ${keyColumns} from partner_api_key where partner_id = $1 and key_id = $2`,
    [partnerId, keyId],
  )
  return row ?? null
}

export async function findApiKeys(db: Queryable, partnerId: string): Promise<ApiKey[]> {
  return db.query<ApiKey>(`select ${keyColumns} from partner_api_key where partner_id = $1 order by key_id`, [
    partnerId,
  ])
}

/** Returns the keys that have neither expired nor been revoked. */
export async function findValidKeys(db: Queryable, partnerId: string, now: Date): Promise<ApiKey[]> {
  return db.query<ApiKey>(
    `select ${keyColumns} from partner_api_key
     where partner_id = $1 and revoked_at is null and (expires_at is null or expires_at > $2) order by key_id`,
    [partnerId, now],
  )
}

export async function findValidKeysBy(db: Queryable, partnerId: string, actor: string, now: Date): Promise<ApiKey[]> {
  return (await findValidKeys(db, partnerId, now)).filter(({ createdBy }) => createdBy === actor)
}

export async function insertApiKey(tx: Tx, partnerId: string, key: ApiKey, keyHash: string): Promise<void> {
  await tx.query(
    `insert into partner_api_key (key_id, partner_id, name, key_hash, last_characters, scopes, created_by,
       ttl_in_seconds, expires_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      ...[key.keyId, partnerId, key.name, keyHash, key.lastCharacters],
      ...[key.scopes, key.createdBy, key.ttlInSeconds, key.expiresAt, key.createdAt],
    ],
  )
}

export async function expireApiKey(tx: Tx, partnerId: string, keyId: string, expiresAt: Date): Promise<void> {
  await tx.query('update partner_api_key set expires_at = $3 where partner_id = $1 and key_id = $2', [
    partnerId,
    keyId,
    expiresAt,
  ])
}

/** Returns false when the key does not exist or is no longer valid. */
export async function markApiKeyRevoked(tx: Tx, partnerId: string, keyId: string, at: Date): Promise<boolean> {
  const rows = await tx.query(
    `update partner_api_key set revoked_at = $3 where partner_id = $1 and key_id = $2 and revoked_at is null
       and (expires_at is null or expires_at > $3) returning key_id`,
    [partnerId, keyId, at],
  )
  return rows.length > 0
}
