import type { Queryable, Tx } from '../../platform/db/db.ts'
import { directoryKey } from '../../platform/db/directory.ts'

export type Session = {
  readonly sessionId: string
  readonly signer: string
  readonly domain: string
  readonly expiresAt: Date
}

/** All but `sessions` are null for a wallet without a user. `sessions` counts the signer's earlier sessions. */
export type FirstUse = {
  readonly userId: string | null
  readonly accessId: string | null
  readonly partnerId: string | null
  readonly sessions: number
}

/**
 * Uses up the nonce and, at a sign-in, begins the session in the same row. The first caller across all processes gets
 * the wallet's user. Every other caller gets null.
 */
export async function useNonce(
  db: Queryable,
  { nonce, nonceExpiresAt, address }: { nonce: string; nonceExpiresAt: Date; address: string },
  session: Session | null,
): Promise<FirstUse | null> {
  const [first] = await db.query<FirstUse>(
    `-- scanDueSessions
     with used as (
       insert into used_nonce (nonce, expires_at, signer, session_id, domain) values ($1, $2, $4, $5, $6)
       on conflict (nonce) do nothing returning nonce
     )
     select (select user_id from directory where lookup_key = $3) as "userId",
            (select ref_id from directory where lookup_key = $3) as "accessId",
            (select partner_id from directory where lookup_key = $3) as "partnerId",
            (select count(*)::int from used_nonce where signer = $4 and nonce <> $1) as sessions
     from used`,
    [
      nonce,
      session?.expiresAt ?? nonceExpiresAt,
      directoryKey(`wallet:${address}`),
      session?.signer ?? null,
      session?.sessionId ?? null,
      session?.domain ?? null,
    ],
  )
  return first ?? null
}

export async function hasSession(db: Queryable, signer: string, sessionId: string): Promise<boolean> {
  const rows = await db.query(
    `-- scanDueSessions
     select nonce from used_nonce where signer = $1 and session_id = $2`,
    [signer, sessionId],
  )
  return rows.length > 0
}

/** Returns whether the session is open. It then stays open until the transaction ends. */
export async function lockSession(tx: Tx, signer: string, sessionId: string): Promise<boolean> {
  // An update, because a cluster allows `select … for update` only in a statement that names the nonce.
  const rows = await tx.query(
    `-- scanDueSessions
     update used_nonce set session_id = $2 where signer = $1 and session_id = $2 returning nonce`,
    [signer, sessionId],
  )
  return rows.length > 0
}

/** Returns the open sessions of the signers, newest first. */
export async function findSessions(db: Queryable, signers: readonly string[], now: Date): Promise<Session[]> {
  return db.query<Session>(
    `-- scanDueSessions
     select session_id as "sessionId", signer, domain, expires_at as "expiresAt" from used_nonce
     where signer = any($1) and expires_at > $2 order by session_id desc`,
    [signers, now],
  )
}

/** Ends a session. Its nonce stays used until `nonceExpiresAt`. Returns false when the session has ended already. */
export async function clearSession(
  db: Queryable,
  { signer, sessionId, nonceExpiresAt }: { signer: string; sessionId: string; nonceExpiresAt: Date },
): Promise<boolean> {
  const rows = await db.query(
    `-- scanDueSessions
     update used_nonce set signer = null, session_id = null, domain = null, expires_at = $3
     where signer = $1 and session_id = $2 returning nonce`,
    [signer, sessionId, nonceExpiresAt],
  )
  return rows.length > 0
}

/** Ends all sessions of the signers except one, if given. */
export async function clearSessions(
  db: Queryable,
  { signers, except, nonceExpiresAt }: { signers: readonly string[]; except: string | null; nonceExpiresAt: Date },
): Promise<void> {
  await db.query(
    `-- scanDueSessions
     update used_nonce set signer = null, session_id = null, domain = null, expires_at = $2
     where signer = any($1) and ($3::uuid is null or session_id <> $3)`,
    [signers, nonceExpiresAt, except],
  )
}

/** Returns whether the nonce is used, and whether the wallet is an owner of a user. */
export async function findAttempt(
  db: Queryable,
  { nonce, address }: { nonce: string; address: string },
): Promise<{ isUsed: boolean; isKnown: boolean }> {
  const [row] = await db.query<{ isUsed: boolean; isKnown: boolean }>(
    `select exists (select 1 from used_nonce where nonce = $1) as "isUsed",
            exists (select 1 from directory where lookup_key = $2) as "isKnown"`,
    [nonce, directoryKey(`wallet:${address}`)],
  )
  return row ?? { isUsed: false, isKnown: false }
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
  await db.query('-- scanDueExpired\ndelete from used_nonce where expires_at < $1', [before])
  await db.query('-- scanDueExpired\ndelete from contract_check where expires_at < $1', [before])
}
