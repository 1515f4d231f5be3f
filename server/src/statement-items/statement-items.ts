import type { Tx } from '../db/db.ts'
import { asciiJson } from '../lib/ascii-json.ts'
import type { StatementItem } from './schemas.ts'
import { type StatementRow, upsertItem, upsertItems } from './sql.ts'

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

export async function putItem(tx: Tx, userId: string, item: StatementItem): Promise<void> {
  await upsertItem(tx, userId, statementRow(item))
}

/** Several rows of one user, in one statement. */
export async function putItems(tx: Tx, userId: string, items: readonly StatementItem[]): Promise<void> {
  await upsertItems(tx, userId, items.map(statementRow))
}
