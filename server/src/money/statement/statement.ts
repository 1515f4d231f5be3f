import type { Ctx } from '../../context.ts'
import { requireAccount } from '../../identity/users/users.ts'
import { Refusal } from '../../lib/errors.ts'
import type { UserCaller } from '../../platform/http/access.ts'
import { openCursor, sealCursor } from './cursor.ts'
import { type FinishedPage, startPage } from './page.ts'
import { type Filters, isEmptyRange, mergeFilters, type Position, pageRange } from './rules.ts'
import { eachReadableItem } from './sql.ts'

/**
 * The statement: every movement of a user, newest first. Owns no table; it reads `statement_item`, whose texts go out
 * as they are stored. Invariant: every row committed before the first page was read appears exactly once over the pages.
 */
export type PageRequest = { readonly limit: number; readonly cursor: string | null; readonly filters: Filters }

/** The page as JSON; whoever sends it releases it. */
export async function readStatement(
  ctx: Ctx,
  cursorKey: string,
  caller: UserCaller,
  { limit, cursor: text, filters: given }: PageRequest,
): Promise<FinishedPage> {
  if (isEmptyRange(given)) throw new Refusal('INVALID_DATE_RANGE')
  const cursor = text === null ? null : openCursor(cursorKey, caller.userId, text)
  if (text !== null && cursor === null) throw new Refusal('INVALID_CURSOR')
  const filters = cursor === null ? given : mergeFilters(given, cursor.filters)
  if (filters === null) throw new Refusal('CURSOR_MISMATCH')

  const page = startPage(limit)
  // One row more than asked for tells whether there is a next page.
  await eachReadableItem(
    ctx.db.reader,
    caller,
    { ...pageRange(filters, cursor?.after ?? null), limit: limit + 1 },
    page.add,
  )
  const last = page.last()
  if (last === null) await requireAccount(ctx.db, caller)

  const after = page.hasNext() && last !== null ? placeOf(last) : null
  return page.finish(after && sealCursor(cursorKey, caller.userId, { after, filters }))
}

/** In a JSON text no quotation mark of a value stands bare, so these can only be the item's own fields. */
const placePattern = /"id":"([^"]+)".*?"createdAt":"([^"]+)"/

/** Where an item stands in the order: its text says it. Parsing all of it for that costs a twentieth of the page. */
function placeOf(item: string): Position {
  const [, itemId, createdAt] = placePattern.exec(item) ?? []
  if (itemId === undefined || createdAt === undefined) throw new Error('a stored statement item without its place')
  return { createdAt: new Date(createdAt), itemId }
}
