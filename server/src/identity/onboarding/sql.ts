import type { Queryable, Tx } from '../../platform/db/db.ts'
import type { AcceptedTerms, QuestionnaireAnswer, Terms } from './rules.ts'

export type EmailCode = { readonly emailHash: string; readonly codeHash: string }

/** Stores the wallet's code. Replaces an earlier code and resets the attempts. */
export async function saveEmailCode(
  db: Queryable,
  signerAddress: string,
  { emailHash, codeHash }: EmailCode,
  expiresAt: Date,
): Promise<void> {
  await db.query(
    `insert into email_code (signer_address, email_hash, code_hash, attempts, expires_at) values ($1, $2, $3, 0, $4)
     on conflict (signer_address) do update set email_hash = excluded.email_hash, code_hash = excluded.code_hash,
       attempts = 0, expires_at = excluded.expires_at`,
    [signerAddress, emailHash, codeHash, expiresAt],
  )
}

/**
 * Counts a code for the subject, an email address with or without a wallet. Returns the number of codes in this hour.
 */
export async function countSentCode(db: Queryable, emailHash: string, hour: Date): Promise<number> {
  const [row] = await db.query<{ sent: number }>(
    `insert into email_code_count (email_hash, hour, sent) values ($1, $2, 1)
     on conflict (email_hash, hour) do update set sent = email_code_count.sent + 1 returning sent`,
    [emailHash, hour],
  )
  return row?.sent ?? 0
}

/** Uses up one attempt and returns the code to compare. Returns null if the code has expired or no attempt remains. */
export async function useCodeAttempt(
  db: Queryable,
  signerAddress: string,
  maxCodeAttempts: number,
  now: Date,
): Promise<EmailCode | null> {
  const [row] = await db.query<EmailCode>(
    `update email_code set attempts = attempts + 1 where signer_address = $1 and attempts < $2 and expires_at > $3
     returning email_hash as "emailHash", code_hash as "codeHash"`,
    [signerAddress, maxCodeAttempts, now],
  )
  return row ?? null
}

/** Deletes the code. Returns true for the first caller only. */
export async function consumeEmailCode(tx: Tx, signerAddress: string, codeHash: string): Promise<boolean> {
  const rows = await tx.query(
    'delete from email_code where signer_address = $1 and code_hash = $2 returning signer_address',
    [signerAddress, codeHash],
  )
  return rows.length === 1
}

export async function deleteExpiredCodes(db: Queryable, now: Date, hour: Date): Promise<void> {
  await db.query('-- scanDueExpired\ndelete from email_code where expires_at <= $1', [now])
  await db.query('-- scanDueExpired\ndelete from email_code_count where hour < $1', [hour])
}

export async function findAcceptedTerms(db: Queryable, userId: string): Promise<AcceptedTerms[]> {
  return db.query<AcceptedTerms>(
    `select type, version, accepted_at as "acceptedAt" from accepted_terms where user_id = $1
     order by accepted_at, type`,
    [userId],
  )
}

export async function insertAcceptedTerms(
  tx: Tx,
  userId: string,
  terms: readonly Terms[],
  acceptedAt: Date,
): Promise<void> {
  const inserts = terms.map(({ type, version }) =>
    tx.query(
      `insert into accepted_terms (user_id, type, version, accepted_at) values ($1, $2, $3, $4)
       on conflict (user_id, type, version) do nothing`,
      [userId, type, version, acceptedAt],
    ),
  )
  await Promise.all(inserts)
}

export async function hasAnswers(db: Queryable, userId: string): Promise<boolean> {
  const rows = await db.query('select question from source_of_funds_answer where user_id = $1 limit 1', [userId])
  return rows.length > 0
}

export async function saveAnswers(
  tx: Tx,
  userId: string,
  answers: readonly QuestionnaireAnswer[],
  answeredAt: Date,
): Promise<void> {
  const upserts = answers.map(({ question, answer }) =>
    tx.query(
      `insert into source_of_funds_answer (user_id, question, answer, answered_at) values ($1, $2, $3, $4)
       on conflict (user_id, question) do update set answer = excluded.answer, answered_at = excluded.answered_at`,
      [userId, question, answer, answeredAt],
    ),
  )
  await Promise.all(upserts)
}

export async function deleteAnswers(tx: Tx, userId: string): Promise<void> {
  await tx.query('delete from source_of_funds_answer where user_id = $1', [userId])
}
