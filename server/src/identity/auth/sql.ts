import type { Queryable } from '../../platform/db/db.ts'

/**
 * Uses up the nonce. The first caller across all processes gets the wallet's `userId`, which is null for a wallet without
 * a user. Every other caller gets null instead of the object.
 */
export async function useNonce(
  db: Queryable,
  { nonce, nonceExpiresAt, address }: { nonce: string; nonceExpiresAt: Date; address: string },
): Promise<{ userId: string | null } | null> {
  const [first] = await db.query<{ userId: string | null }>(
    `with used as (
       insert into used_nonce (nonce, expires_at) values ($1, $2)
       on conflict (nonce) do nothing returning nonce
     )
     select (select user_id from directory where lookup_key = $3) as "userId" from used`,
    [nonce, nonceExpiresAt, `wallet:${address}`],
  )
  return first ?? null
}

export async function isNonceUsed(db: Queryable, nonce: string): Promise<boolean> {
  const rows = await db.query('select nonce from used_nonce where nonce = $1', [nonce])
  return rows.length > 0
}

/** Counts one more contract check for the nonce, and returns the count. */
export async function countContractCheck(db: Queryable, nonce: string, expiresAt: Date): Promise<number> {
  const [row] = await db.query<{ checks: number }>(
    `insert into contract_check (nonce, checks, expires_at) values ($1, 1, $2)
     on conflict (nonce) do update set checks = contract_check.checks + 1
     returning checks`,
    [nonce, expiresAt],
  )
  return row?.checks ?? 0
}

export async function deleteExpiredNonces(db: Queryable, before: Date): Promise<void> {
  await db.query('delete from used_nonce where expires_at < $1', [before])
  await db.query('delete from contract_check where expires_at < $1', [before])
}
