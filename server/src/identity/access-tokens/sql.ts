import type { JWK } from 'jose'
import type { Queryable, Tx } from '../../platform/db/db.ts'
import type { KeyLife } from './rules.ts'

export type AccessTokenKey = KeyLife & { readonly publicJwk: JWK; readonly encryptedPrivateJwk: string }

/** Locks the keys for a change. Other writers wait; readers do not. */
export async function lockKeys(tx: Tx): Promise<void> {
  await tx.query('lock table signing_key in share row exclusive mode')
}

export function selectKeys(db: Queryable): Promise<AccessTokenKey[]> {
  return db.query(
    `select kid, public_jwk as "publicJwk", encrypted_private_jwk as "encryptedPrivateJwk",
            active_from as "activeFrom", retired_at as "retiredAt"
     from signing_key`,
  )
}

export async function insertKey(tx: Tx, key: AccessTokenKey, algorithm: string, at: Date): Promise<void> {
  await tx.query(
    `insert into signing_key (kid, algorithm, public_jwk, encrypted_private_jwk, active_from, created_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [key.kid, algorithm, JSON.stringify(key.publicJwk), key.encryptedPrivateJwk, key.activeFrom, at],
  )
}

/** Returns false when the key does not exist or is already retired. */
export async function markRetired(tx: Tx, kid: string, at: Date): Promise<boolean> {
  const rows = await tx.query(
    'update signing_key set retired_at = $2 where kid = $1 and retired_at is null returning kid',
    [kid, at],
  )
  return rows.length > 0
}

export async function updateEncryptedKey(tx: Tx, kid: string, encryptedPrivateJwk: string): Promise<void> {
  await tx.query('update signing_key set encrypted_private_jwk = $2 where kid = $1', [kid, encryptedPrivateJwk])
}
