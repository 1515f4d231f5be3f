import { appendNewEvents } from '../events/events.ts'
import type { EventType } from '../events/rules.ts'
import type { Tx } from '../platform/db/db.ts'

export type StatementRow = { readonly createdAt: Date; readonly itemId: string; readonly item: string }

/** A row with the event that is appended if the row changes. */
export type ItemRow = StatementRow & { readonly eventId: string; readonly type: EventType }

/** Writes the row. If its content changes, the same statement appends an event with the same text. */
export async function upsertItem(tx: Tx, userId: string, row: ItemRow, at: Date): Promise<void> {
  await tx.query(
    `with changed as (
       insert into statement_item (user_id, created_at, item_id, item) values ($1, $6, $7, $5)
       on conflict (user_id, created_at, item_id) do update set item = excluded.item
         where statement_item.item <> excluded.item
       returning item_id
     ), new_events as (select 1 as n, $3::uuid as event_id, $4::text as type, $5::text as data from changed)
     ${appendNewEvents}`,
    [userId, at, row.eventId, row.type, row.item, row.createdAt, row.itemId],
  )
}

export async function upsertItems(
  tx: Tx,
  userId: string,
  rows: readonly (ItemRow & { readonly isReported: boolean })[],
  at: Date,
): Promise<void> {
  await tx.query(
    `with given as (
       select * from unnest($3::uuid[], $4::text[], $5::text[], $6::timestamptz[], $7::uuid[], $8::boolean[])
         with ordinality as g (event_id, type, data, created_at, item_id, is_reported, n)
     ), changed as (
       insert into statement_item (user_id, created_at, item_id, item)
       select $1, created_at, item_id, data from given
       on conflict (user_id, created_at, item_id) do update set item = excluded.item
         where statement_item.item <> excluded.item
       returning item_id
     ), new_events as (select g.n, g.event_id, g.type, g.data from given g join changed c on c.item_id = g.item_id
       where g.is_reported)
     ${appendNewEvents}`,
    [
      userId,
      at,
      rows.map(({ eventId }) => eventId),
      rows.map(({ type }) => type),
      rows.map(({ item }) => item),
      rows.map(({ createdAt }) => createdAt),
      rows.map(({ itemId }) => itemId),
      rows.map(({ isReported }) => isReported),
    ],
  )
}
