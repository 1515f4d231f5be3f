import type { Queryable } from '../../platform/db/db.ts'

/** The user of a wallet and the user's partner. Both are null for a wallet without a user. */
export type WalletUser = { readonly userId: string | null; readonly partnerId: string | null }

/** Uses up the nonce. The first caller across all processes gets the wallet's user. Every other caller gets null. */
export async function useNonce(
  db: Queryable,
  { nonce, nonceExpiresAt, address }: { nonce: string; nonceExpiresAt: Date; address: string },
): Promise<WalletUser | null> {
  const [first] = await db.query<WalletUser>(
    `with used as (
       insert into used_nonce (nonce, expires_at) values ($1, $2)
       on conflict (nonce) do nothing returning nonce
     )
     select d.user_id as "userId", d.partner_id as "partnerId" from used left join directory d on d.lookup_key = $3`,
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
