import type { Ctx } from '../../context.ts'
import { requireAccount } from '../../identity/users/users.ts'
import { Refusal } from '../../lib/errors.ts'
import { requirePartnerUser } from '../../partners/partners.ts'
import type { Keys } from '../../platform/crypto/derive-key.ts'
import { type PooledBytes, startPage } from '../../platform/db/hot-reads/json-page.ts'
import type { UserCaller } from '../../platform/http/access.ts'
import type { StatementItem } from '../../statement-items/schemas.ts'
import { openCursor, sealCursor } from './cursor.ts'
import { type Filters, isEmptyRange, mergeFilters, type Position } from './rules.ts'
import { eachReadableItem, type StatementReader } from './sql.ts'

/**
 * The statement: every deposit, withdrawal and card transaction of a user, newest first. Owns no table: it returns the
 * JSON that `statement_item` stores.
 * Invariant: every row committed before the first page was read appears exactly once over all pages.
 */
export type PageRequest = { readonly limit: number; readonly cursor: string | null; readonly filters: Filters }

/** Returns the page as JSON. The caller releases its memory, which `sendBytes` does. */
export function readStatement(ctx: Ctx, cursorKeys: Keys, caller: UserCaller, page: PageRequest): Promise<PooledBytes> {
  return readPage(ctx, cursorKeys, caller, page, () => requireAccount(ctx.db, caller))
}

/** Returns a page of the statement of one of the partner's users. The caller has checked the permission. */
export function readStatementOf(
  ctx: Ctx,
  cursorKeys: Keys,
  { partnerId }: { readonly partnerId: string },
  userId: string,
  page: PageRequest,
): Promise<PooledBytes> {
  return readPage(ctx, cursorKeys, { partnerId, userId }, page, () => requirePartnerUser(ctx.db, { partnerId }, userId))
}

/** `requireAccess` throws if the reader may not read the statement. A page without items calls it to learn why. */
async function readPage(
  ctx: Ctx,
  cursorKeys: Keys,
  reader: StatementReader,
  { limit, cursor: text, filters: given }: PageRequest,
  requireAccess: () => Promise<unknown>,
): Promise<PooledBytes> {
  if (isEmptyRange(given)) throw new Refusal('INVALID_DATE_RANGE')
  const cursor = text === null ? null : openCursor(cursorKeys, reader.userId, text)
  if (text !== null && cursor === null) throw new Refusal('INVALID_CURSOR')
  const filters = cursor === null ? given : mergeFilters(given, cursor.filters)
  if (filters === null) throw new Refusal('CURSOR_MISMATCH')

  const page = startPage(limit)
  // The row beyond the limit shows whether there is a next page.
  const wanted = { filters, after: cursor?.after ?? null, limit: limit + 1 }
  await eachReadableItem(ctx.db.reader, reader, wanted, page.add)
  const last = page.last()
  if (last === null) await requireAccess()

  const after = page.hasNext() && last !== null ? positionOf(last) : null
  return page.finish(after && sealCursor(cursorKeys, reader.userId, { after, filters }))
}

function positionOf(item: string): Position {
  const { id, createdAt }: StatementItem = JSON.parse(item)
  return { createdAt: new Date(createdAt), itemId: id }
}
