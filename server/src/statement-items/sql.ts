import type { Tx } from '../db/db.ts'
import { addEvent } from '../events/events.ts'
import type { EventType } from '../events/rules.ts'

export type StatementRow = { readonly createdAt: Date; readonly itemId: string; readonly item: string }

/** One statement: the row, and where that changes anything, the event that says so with the row's own text. */
export async function upsertItem(
  tx: Tx,
  userId: string,
  { createdAt, itemId, item }: StatementRow,
  event: { eventId: string; type: EventType; at: Date },
): Promise<void> {
  await tx.query(
    `with changed as (
       insert into statement_item (user_id, created_at, item_id, item) values ($1, $6, $7, $4)
       on conflict (user_id, created_at, item_id) do update set item = excluded.item
         where statement_item.item <> excluded.item
       returning 1
     )
     ${addEvent} and exists (select 1 from changed)`,
    [userId, event.eventId, event.type, item, event.at, createdAt, itemId],
  )
}
