import type { KeyObject } from 'node:crypto'
import type { Ctx } from '../context.ts'
import type { UserCaller } from '../http/access.ts'
import { Refusal } from '../lib/refusal.ts'
import { requireAccount } from '../users/users.ts'
import { openCursor, sealCursor } from './cursor.ts'
import { type Filters, isEmptyRange, mergeFilters, type Position, pageRange } from './rules.ts'
import { findReadableItems } from './sql.ts'

/**
 * The statement: every movement of a user, newest first. Owns no table; it reads `statement_item`, whose texts go out
 * as they are stored. Invariant: every row committed before the first page was read appears exactly once over the pages.
 */
export type PageRequest = { readonly limit: number; readonly cursor: string | null; readonly filters: Filters }

/** The page as JSON. */
export async function readStatement(
  ctx: Ctx,
  cursorKey: KeyObject,
  caller: UserCaller,
  { limit, cursor: text, filters: given }: PageRequest,
): Promise<Buffer> {
  if (isEmptyRange(given)) throw new Refusal('INVALID_DATE_RANGE')
  const cursor = text === null ? null : openCursor(cursorKey, caller.userId, text)
  if (text !== null && cursor === null) throw new Refusal('INVALID_CURSOR')
  const filters = cursor === null ? given : mergeFilters(given, cursor.filters)
  if (filters === null) throw new Refusal('CURSOR_MISMATCH')

  const range = pageRange(filters, cursor?.after ?? null)
  // One row more than asked for tells whether there is a next page.
  const items = await findReadableItems(ctx.db.reader, caller, range, limit + 1)
  if (items.length === 0) await requireAccount(ctx.db, caller)

  const hasNext = items.length > limit
  if (hasNext) items.pop()
  const last = items.at(-1)
  const nextCursor =
    hasNext && last !== undefined ? sealCursor(cursorKey, caller.userId, { after: placeOf(last), filters }) : null
  return joinPage(items, `],"pagination":{"nextCursor":${JSON.stringify(nextCursor)},"hasNext":${hasNext}}}`)
}

const head = '{"data":['
const comma = 0x2c

/** The page's bytes: what is stored is ASCII, so it is copied once and never made a text of. */
function joinPage(items: readonly Buffer[], tail: string): Buffer {
  const itemBytes = items.reduce((total, item) => total + item.length + 1, 0)
  const page = Buffer.allocUnsafe(head.length + Math.max(itemBytes - 1, 0) + tail.length)
  let at = page.write(head, 0, 'latin1')
  for (const [index, item] of items.entries()) {
    if (index > 0) page[at++] = comma
    page.set(item, at)
    at += item.length
  }
  page.write(tail, at, 'latin1')
  return page
}

/** In a JSON text no quotation mark of a value stands bare, so these can only be the item's own fields. */
const placePattern = /"id":"([^"]+)".*?"createdAt":"([^"]+)"/

/** Where an item stands in the order: its text says it. Parsing all of it for that costs a twentieth of the page. */
function placeOf(item: Buffer): Position {
  const [, itemId, createdAt] = placePattern.exec(item.toString('latin1')) ?? []
  if (itemId === undefined || createdAt === undefined) throw new Error('a stored statement item without its place')
  return { createdAt: new Date(createdAt), itemId }
}
