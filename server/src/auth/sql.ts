import type { Queryable } from '../db/db.ts'

/** True for the first, once and for all. */
export async function useNonce(db: Queryable, nonce: string, expiresAt: Date): Promise<boolean> {
  const rows = await db.query(
    `insert into used_nonce (nonce, expires_at) values ($1, $2)
     on conflict (nonce) do nothing returning nonce`,
    [nonce, expiresAt],
  )
  return rows.length > 0
}

export async function isNonceUsed(db: Queryable, nonce: string): Promise<boolean> {
  const rows = await db.query('select nonce from used_nonce where nonce = $1', [nonce])
  return rows.length > 0
}

/** How many checks the nonce has asked for, this one included. */
export async function countContractCheck(db: Queryable, nonce: string, expiresAt: Date): Promise<number> {
  const [row] = await db.query<{ checks: number }>(
    `insert into contract_check (nonce, checks, expires_at) values ($1, 1, $2)
     on conflict (nonce) do update set checks = contract_check.checks + 1
     returning checks`,
    [nonce, expiresAt],
  )
  return row?.checks ?? 0
}

/** The user whose owner the wallet is, or null while it belongs to none. */
export async function findOwner(db: Queryable, address: string): Promise<string | null> {
  const [row] = await db.query<{ userId: string }>('select user_id as "userId" from directory where lookup_key = $1', [
    `wallet:${address}`,
  ])
  return row?.userId ?? null
}

export async function deleteExpiredNonces(db: Queryable, before: Date): Promise<void> {
  await db.query('delete from used_nonce where expires_at < $1', [before])
  await db.query('delete from contract_check where expires_at < $1', [before])
}
