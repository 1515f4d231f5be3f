import type { Queryable, Tx } from '../../platform/db/db.ts'
import type { IbanStatus } from './rules.ts'

export type IbanRow = {
  readonly address: string
  readonly signature: string
  readonly status: IbanStatus
  readonly iban: string | null
  readonly bic: string | null
}

export async function findIban(db: Queryable, userId: string): Promise<IbanRow | null> {
  const [row] = await db.query<IbanRow>('select address, signature, status, iban, bic from iban where user_id = $1', [
    userId,
  ])
  return row ?? null
}

/** Requests an IBAN, or requests a rejected one again. Does nothing when one is assigned or pending. */
export async function requestIban(
  tx: Tx,
  userId: string,
  { address, signature }: { address: string; signature: string },
  now: Date,
): Promise<void> {
  await tx.query(
    `insert into iban (user_id, address, signature, status, due_at, created_at, updated_at)
     values ($1, $2, $3, 'pending', $4, $4, $4)
     on conflict (user_id) do update set address = excluded.address, signature = excluded.signature, status = 'pending',
       due_at = excluded.due_at, attempts = 0, updated_at = excluded.updated_at
     where iban.user_id = $1 and iban.status = 'refused'`,
    [userId, address, signature, now],
  )
}

export async function updateIban(
  tx: Tx,
  userId: string,
  { status, iban, bic }: Pick<IbanRow, 'status' | 'iban' | 'bic'>,
  { now, dueAt }: { now: Date; dueAt: Date | null },
): Promise<void> {
  await tx.query(
    `update iban set status = $2, iban = $3, bic = $4, due_at = $5, attempts = 0, updated_at = $6
     where user_id = $1 and status = 'pending'`,
    [userId, status, iban, bic, dueAt, now],
  )
}

export async function deleteIban(tx: Tx, userId: string): Promise<void> {
  await tx.query('delete from iban where user_id = $1', [userId])
}
