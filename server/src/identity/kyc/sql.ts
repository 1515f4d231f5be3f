import type { Queryable, Tx } from '../../platform/db/db.ts'
import { deleteName, findUserByName, takeName } from '../../platform/db/directory.ts'

export type ApplicantRow = { readonly applicantId: string; readonly dueAt: Date | null; readonly createdAt: Date }

export async function findApplicant(db: Queryable, userId: string): Promise<ApplicantRow | null> {
  const [row] = await db.query<ApplicantRow>(
    'select applicant_id as "applicantId", due_at as "dueAt", created_at as "createdAt" from kyc_applicant where user_id = $1',
    [userId],
  )
  return row ?? null
}

export function findUserOfApplicant(db: Queryable, applicantId: string): Promise<string | null> {
  return findUserByName(db, `applicant:${applicantId}`)
}

/** Returns false when the user already has an applicant, or the applicant already belongs to a user. */
export async function insertApplicant(
  tx: Tx,
  { userId, applicantId, dueAt, createdAt }: ApplicantRow & { readonly userId: string },
): Promise<boolean> {
  if (!(await takeName(tx, `applicant:${applicantId}`, userId))) return false
  const inserted = await tx.query(
    `insert into kyc_applicant (user_id, applicant_id, due_at, created_at) values ($1, $2, $3, $4)
     on conflict (user_id) do nothing returning user_id`,
    [userId, applicantId, dueAt, createdAt],
  )
  return inserted.length === 1
}

export async function scheduleRefresh(db: Queryable, userId: string, dueAt: Date): Promise<void> {
  await db.query('update kyc_applicant set due_at = $2, attempts = 0 where user_id = $1', [userId, dueAt])
}

/**
 * Reschedules the refresh, unless a callback has changed the due time from `before`. Returns false when another worker
 * has already handled that callback.
 */
export async function rescheduleRefresh(
  tx: Tx,
  userId: string,
  before: Date | null,
  { dueAt, now }: { dueAt: Date | null; now: Date },
): Promise<boolean> {
  const rows = await tx.query(
    `update kyc_applicant set due_at = case when due_at is not distinct from $2 then $3 else due_at end, attempts = 0
     where user_id = $1 and (due_at is not distinct from $2 or due_at <= $4) returning user_id`,
    [userId, before, dueAt, now],
  )
  return rows.length > 0
}

export async function deleteApplicant(tx: Tx, userId: string): Promise<void> {
  const rows = await tx.query<{ applicantId: string }>(
    'delete from kyc_applicant where user_id = $1 returning applicant_id as "applicantId"',
    [userId],
  )
  for (const { applicantId } of rows) await deleteName(tx, `applicant:${applicantId}`)
}
