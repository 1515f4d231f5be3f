import type { EventType } from '../events/rules.ts'
import { newId } from '../lib/id.ts'
import type { Tx } from '../platform/db/db.ts'
import { asciiJson } from '../platform/db/hot-reads/ascii-json.ts'
import type { StatementItem } from './schemas.ts'
import { type ItemRow, type StatementRow, upsertItem, upsertItems } from './sql.ts'

/**
 * The rows of the statement, each stored as the finished JSON that a page concatenates. Owns `statement_item`.
 * A row is written in the transaction that changes its movement. Its position, (createdAt, itemId), never changes.
 * Rows only repeat the facts. Each capability has a pure `statementItem(facts)`, and `rebuild…Items`, which recreates all
 * rows of a user; `reconcile/` verifies that the bytes are equal.
 */
export type { StatementRow }

/** Returns the row of one item. Its text is ASCII: see `hot-reads/ascii-json.ts`. */
export function statementRow(item: StatementItem): StatementRow {
  return { createdAt: new Date(item.createdAt), itemId: item.id, item: asciiJson(item) }
}

/** Writes an item, and the partner's event if the item changed: partners see exactly the changes of the statement. */
export async function putItem(tx: Tx, userId: string, item: StatementItem, at: Date): Promise<void> {
  await upsertItem(tx, userId, rowOf(item, at), at)
}

/** Writes several items of one user in one statement. Only those for which `isNews` holds cause an event. */
export async function putItems<I extends StatementItem>(
  tx: Tx,
  userId: string,
  items: readonly I[],
  at: Date,
  isNews: (item: I) => boolean,
): Promise<void> {
  const rows = items.map((item) => ({ ...rowOf(item, at), isNews: isNews(item) }))
  await upsertItems(tx, userId, rows, at)
}

function rowOf(item: StatementItem, at: Date): ItemRow {
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
