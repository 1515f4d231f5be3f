import type { EventType } from '../events/rules.ts'
import { newId } from '../lib/id.ts'
import type { Tx } from '../platform/db/db.ts'
import { asciiJson } from '../platform/db/hot-reads/ascii-json.ts'
import type { StatementItem } from './schemas.ts'
import { type ItemRow, putRows, type StatementRow } from './sql.ts'

/**
 * The rows of the statement, each stored as finished JSON, so that a page only joins them. Owns `statement_item`. A row
 * is written in the transaction of the fact that changes it. Its position, (createdAt, itemId), never changes. Rows
 * only repeat the facts. Each area has a pure function that renders an item, and a `rebuild…Items` that recreates all
 * rows of a user. `money/reconcile/` verifies that the bytes are equal.
 */
export type { ItemRow, StatementRow }

/** Returns the row of one item. Its text is ASCII: see `platform/db/hot-reads/ascii-json.ts`. */
export function statementRow(item: StatementItem): StatementRow {
  return { createdAt: new Date(item.createdAt), itemId: item.id, item: asciiJson(item) }
}

/** Writes an item, and an event for the partner if the item changed. */
export async function putItem(tx: Tx, userId: string, item: StatementItem, at: Date): Promise<void> {
  await putItems(tx, userId, [item], at, () => true)
}

/** Writes several items of one user in one statement. Changed items cause an event if `isReported` returns true. */
export async function putItems<I extends StatementItem>(
  tx: Tx,
  userId: string,
  items: readonly I[],
  at: Date,
  isReported: (item: I) => boolean,
): Promise<void> {
  const rows = items.map((item) => ({ ...itemRow(item, at), isReported: isReported(item) }))
  await putRows(tx, userId, rows, at)
}

/** Returns the row of an item, and the event that reports it. */
export function itemRow(item: StatementItem, at: Date): ItemRow {
  return { ...statementRow(item), eventId: newId(at), type: eventTypeOf(item) }
}

function eventTypeOf(item: StatementItem): EventType {
  switch (item.type) {
    case 'card_transaction':
      return `card.transaction.${item.status}`
    case 'deposit':
      return `deposit.${item.status}`
    case 'withdrawal':
      return `withdrawal.${item.status}`
  }
}
