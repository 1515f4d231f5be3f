import type { Tx } from '../db/db.ts'

export type StatementRow = { readonly createdAt: Date; readonly itemId: string; readonly item: string }

export async function upsertItem(tx: Tx, userId: string, { createdAt, itemId, item }: StatementRow): Promise<void> {
  await tx.query(
    `insert into statement_item (user_id, created_at, item_id, item) values ($1, $2, $3, $4)
     on conflict (user_id, created_at, item_id) do update set item = excluded.item`,
    [userId, createdAt, itemId, item],
  )
}

export async function upsertItems(tx: Tx, userId: string, rows: readonly StatementRow[]): Promise<void> {
  await tx.query(
    `insert into statement_item (user_id, created_at, item_id, item)
     select $1, i.* from unnest($2::timestamptz[], $3::uuid[], $4::text[]) as i
     on conflict (user_id, created_at, item_id) do update set item = excluded.item`,
    [userId, rows.map(({ createdAt }) => createdAt), rows.map(({ itemId }) => itemId), rows.map(({ item }) => item)],
  )
}
