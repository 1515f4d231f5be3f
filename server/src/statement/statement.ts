import type { Ctx } from '../context.ts'
import type { UserCaller } from '../http/access.ts'
import { Refusal } from '../lib/refusal.ts'
import { requireAccount } from '../users/users.ts'
import { openCursor, sealCursor } from './cursor.ts'
import { type Filters, isEmptyRange, mergeFilters, pageRange } from './rules.ts'
import { findReadableItems } from './sql.ts'

/**
 * The statement: every movement of a user, newest first. Owns no table; it reads `statement_item`, whose texts go out
 * as they are stored. Invariant: every row committed before the first page was read appears exactly once over the pages.
 */
export type PageRequest = { readonly limit: number; readonly cursor: string | null; readonly filters: Filters }

/** The page as JSON. */
export async function readStatement(
  ctx: Ctx,
  cursorKey: Buffer,
  caller: UserCaller,
  { limit, cursor: text, filters: given }: PageRequest,
): Promise<string> {
  if (isEmptyRange(given)) throw new Refusal('INVALID_DATE_RANGE')
  const cursor = text === null ? null : openCursor(cursorKey, caller.userId, text)
  if (text !== null && cursor === null) throw new Refusal('INVALID_CURSOR')
  const filters = cursor === null ? given : mergeFilters(given, cursor.filters)
  if (filters === null) throw new Refusal('CURSOR_MISMATCH')

  const range = pageRange(filters, cursor?.after ?? null)
  // One row more than asked for tells whether there is a next page.
  const rows = await findReadableItems(ctx.db, caller, range, limit + 1)
  if (rows.length === 0) await requireAccount(ctx.db, caller)

  const hasNext = rows.length > limit
  const page = hasNext ? rows.slice(0, limit) : rows
  const last = page.at(-1)
  const nextCursor =
    hasNext && last
      ? sealCursor(cursorKey, caller.userId, {
          after: { createdAt: new Date(last.createdAt), itemId: last.itemId },
          filters,
        })
      : null
  const items = page.map(({ item }) => item).join(',')
  return `{"data":[${items}],"pagination":{"nextCursor":${JSON.stringify(nextCursor)},"hasNext":${hasNext}}}`
}
