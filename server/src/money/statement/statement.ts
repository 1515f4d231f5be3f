import type { Ctx } from '../../context.ts'
import { requireAccount } from '../../identity/users/users.ts'
import { Refusal } from '../../lib/errors.ts'
import type { Keys } from '../../platform/crypto/derive-key.ts'
import { type PooledBytes, startPage } from '../../platform/db/hot-reads/json-page.ts'
import type { UserCaller } from '../../platform/http/access.ts'
import type { StatementItem } from '../../statement-items/schemas.ts'
import { openCursor, sealCursor } from './cursor.ts'
import { type Filters, isEmptyRange, mergeFilters, type Position, pageRange, selectionOf } from './rules.ts'
import { eachReadableItem } from './sql.ts'

/**
 * The statement: every movement of a user, newest first. Owns no table: it returns the JSON that `statement_item`
 * stores.
 * Invariant: every row committed before the first page was read appears exactly once over all pages.
 */
export type PageRequest = { readonly limit: number; readonly cursor: string | null; readonly filters: Filters }

/** Returns the page as JSON. The caller releases its memory, which `sendBytes` does. */
export async function readStatement(
  ctx: Ctx,
  cursorKeys: Keys,
  caller: UserCaller,
  { limit, cursor: text, filters: given }: PageRequest,
): Promise<PooledBytes> {
  if (isEmptyRange(given)) throw new Refusal('INVALID_DATE_RANGE')
  const cursor = text === null ? null : openCursor(cursorKeys, caller.userId, text)
  if (text !== null && cursor === null) throw new Refusal('INVALID_CURSOR')
  const filters = cursor === null ? given : mergeFilters(given, cursor.filters)
  if (filters === null) throw new Refusal('CURSOR_MISMATCH')

  const page = startPage(limit)
  // The row beyond the limit shows whether there is a next page.
  const range = { ...pageRange(filters, cursor?.after ?? null), limit: limit + 1 }
  await eachReadableItem(ctx.db.reader, caller, range, page.add, selectionOf(filters))
  const last = page.last()
  if (last === null) await requireAccount(ctx.db, caller)

  const after = page.hasNext() && last !== null ? positionOf(last) : null
  return page.finish(after && sealCursor(cursorKeys, caller.userId, { after, filters }))
}

function positionOf(item: string): Position {
  const { id, createdAt }: StatementItem = JSON.parse(item)
  return { createdAt: new Date(createdAt), itemId: id }
}
