import type { EventType } from '../events/rules.ts'
import { functionCall } from '../platform/db/call.ts'
import type { Tx } from '../platform/db/db.ts'

export type StatementRow = { readonly createdAt: Date; readonly itemId: string; readonly item: string }

/** A row with the event that is appended if the row changes. */
export type ItemRow = StatementRow & { readonly eventId: string; readonly type: EventType }

const call = functionCall('select put_statement_items', [
  'user_id',
  'created_at',
  'item_ids',
  'items',
  'event_ids',
  'event_types',
  'at',
])

/** Writes the rows in their order. If the content of a reported one changes, appends an event with the same text. */
export async function putRows(
  tx: Tx,
  userId: string,
  rows: readonly (ItemRow & { readonly isReported: boolean })[],
  at: Date,
): Promise<void> {
  const values = call.values({
    user_id: userId,
    created_at: rows.map(({ createdAt }) => createdAt),
    item_ids: rows.map(({ itemId }) => itemId),
    items: rows.map(({ item }) => item),
    event_ids: rows.map(({ eventId, isReported }) => (isReported ? eventId : null)),
    event_types: rows.map(({ type }) => type),
    at,
  })
  await tx.query(call.text, values)
}
