import type { Queryable, Tx } from '../../platform/db/db.ts'
import type { ViewAction } from './rules.ts'

export type ViewKey = { readonly userId: string; readonly viewId: string }

export type View = ViewKey & {
  readonly cardId: string
  readonly signerAddress: string
  readonly action: ViewAction
  readonly tokenHash: string
  readonly expiresAt: Date
  /** The partner whose pages may embed the view; null: none. */
  readonly partnerId: string | null
}

/** Returns the partner that the user came through; null: none. */
export async function findOwnPartner(db: Queryable, userId: string): Promise<string | null> {
  const [row] = await db.query<{ partnerId: string | null }>(
    'select partner_id as "partnerId" from app_user where user_id = $1',
    [userId],
  )
  return row?.partnerId ?? null
}

export async function insertView(db: Queryable, view: View, now: Date): Promise<void> {
  const { userId, viewId, cardId, signerAddress, action, tokenHash, expiresAt, partnerId } = view
  await db.query(
    `insert into card_view (user_id, view_id, card_id, signer_address, action, token_hash, expires_at, created_at,
       partner_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [userId, viewId, cardId, signerAddress, action, tokenHash, expiresAt, now, partnerId],
  )
}

/** Finds a view that is neither opened nor expired. */
export async function findOpenable(db: Queryable, { userId, viewId }: ViewKey, now: Date): Promise<View | null> {
  const [row] = await db.query<View>(
    `select user_id as "userId", view_id as "viewId", card_id as "cardId", signer_address as "signerAddress", action,
       token_hash as "tokenHash", expires_at as "expiresAt", partner_id as "partnerId"
     from card_view where user_id = $1 and view_id = $2 and opened_at is null and expires_at > $3`,
    [userId, viewId, now],
  )
  return row ?? null
}

/** Marks a view as opened. Returns true only for the first caller. */
export async function markOpened(db: Queryable, { userId, viewId }: ViewKey, now: Date): Promise<boolean> {
  const rows = await db.query(
    `update card_view set opened_at = $3 where user_id = $1 and view_id = $2 and opened_at is null returning view_id`,
    [userId, viewId, now],
  )
  return rows.length === 1
}

export async function deleteViews(tx: Tx, userId: string): Promise<void> {
  await tx.query('delete from card_view where user_id = $1', [userId])
}
