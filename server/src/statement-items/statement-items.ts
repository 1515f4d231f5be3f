import type { EventType } from '../events/rules.ts'
import { newId } from '../lib/id.ts'
import type { Tx } from '../platform/db/db.ts'
import { asciiJson } from '../platform/db/hot-reads/ascii-json.ts'
import type { StatementItem } from './schemas.ts'
import { type StatementRow, type Told, upsertItem, upsertItems } from './sql.ts'

/**
 * The statement's rows, each as the finished JSON text that a page concatenates. Owns `statement_item`.
 * A row is written in the transaction that changes its movement. Its place, (createdAt, itemId), never changes.
 * It holds nothing that the facts do not: each capability has a pure `statementItem(facts)`, and `rebuildItems` that
 * makes all of a user's rows again; `reconcile/` proves that the bytes are the same.
 */
export type { StatementRow }

/** The row of one item. Its text is ASCII: what that saves is in `lib/ascii-json.ts`. */
export function statementRow(item: StatementItem): StatementRow {
  return { createdAt: new Date(item.createdAt), itemId: item.id, item: asciiJson(item) }
}

/** The partner hears of what the statement shows, no more: what changes the one is the event of the other. */
export async function putItem(tx: Tx, userId: string, item: StatementItem, at: Date): Promise<void> {
  await upsertItem(tx, userId, told(item, at), at)
}

/** Several rows of one user, in one statement; the partner hears of those that are news. */
export async function putItems<I extends StatementItem>(
  tx: Tx,
  userId: string,
  items: readonly I[],
  at: Date,
  isNews: (item: I) => boolean,
): Promise<void> {
  const rows = items.map((item) => ({ ...told(item, at), isNews: isNews(item) }))
  await upsertItems(tx, userId, rows, at)
}

function told(item: StatementItem, at: Date): Told {
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
