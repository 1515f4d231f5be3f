// pure
import { firstIdAt, lastId } from '../../lib/id.ts'

export const itemTypes = ['card_transaction', 'deposit', 'withdrawal'] as const
type ItemType = (typeof itemTypes)[number]

/** The filters of a page. Both bounds are inclusive and have whole milliseconds, like the stored times. */
export type Filters = {
  readonly start: Date | null
  readonly end: Date | null
  readonly type: ItemType | null
  /** Only card transactions have a card. */
  readonly cardId: string | null
}

type Bounds = Pick<Filters, 'start' | 'end'>

/** The position of a row in the statement: newest first, ties by id. */
export type Position = { readonly createdAt: Date; readonly itemId: string }

const nilId = '00000000-0000-0000-0000-000000000000'
const endOfTime = new Date('9999-12-31T23:59:59.999Z')
const startOfTime = new Date('0001-01-01T00:00:00.000Z')

/**
 * Parses a date-time, or a bare date as its first or last instant (UTC). Returns null for a time that does not exist.
 */
export function parseBound(text: string, bound: 'start' | 'end'): Date | null {
  const isBareDate = /^\d{4}-\d{2}-\d{2}$/.test(text)
  const at = new Date(isBareDate ? `${text}${bound === 'start' ? 'T00:00:00.000Z' : 'T23:59:59.999Z'}` : text)
  if (Number.isNaN(at.getTime()) || at < startOfTime || at > endOfTime) return null
  return at
}

export function isEmptyRange({ start, end }: Bounds): boolean {
  return start !== null && end !== null && start > end
}

/** Returns the cursor's filters, or null when a given filter differs from the cursor's. */
export function mergeFilters(given: Filters, ofCursor: Filters): Filters | null {
  const agrees = (one: Date | null, other: Date | null) => one === null || one.getTime() === other?.getTime()
  const isSame = (one: string | null, other: string | null) => one === null || one === other
  return agrees(given.start, ofCursor.start) &&
    agrees(given.end, ofCursor.end) &&
    isSame(given.type, ofCursor.type) &&
    isSame(given.cardId, ofCursor.cardId)
    ? ofCursor
    : null
}

/** The items that a page selects: all, those of one type, those of one card, or none. */
export type Selection = { readonly of: 'all' | ItemType | 'nothing' } | { readonly of: 'card'; readonly cardId: string }

export function selectionOf({ type, cardId }: Pick<Filters, 'type' | 'cardId'>): Selection {
  if (cardId === null) return { of: type ?? 'all' }
  return type === null || type === 'card_transaction' ? { of: 'card', cardId } : { of: 'nothing' }
}

/**
 * The rows from just below `before` down to `from`. PostgreSQL's `infinity` is after all times, `-infinity` before all.
 */
export type PageRange = {
  readonly before: Position | { readonly createdAt: 'infinity'; readonly itemId: string }
  readonly from: Date | '-infinity'
}

export function pageRange({ start, end }: Bounds, after: Position | null): PageRange {
  const from = start ?? '-infinity'
  if (after !== null) return { before: after, from }
  if (end === null) return { before: { createdAt: 'infinity', itemId: nilId }, from }
  // Stored times have whole milliseconds, so no row lies between `end` and the nil id of the next millisecond.
  return { before: { createdAt: new Date(end.getTime() + 1), itemId: nilId }, from }
}

/** Returns the same range as ids. Ids of card transactions begin with their time, so they sort like the statement. */
export function idRange({ before, from }: PageRange): { readonly below: string; readonly from: string } {
  // Before 1970 there are no ids.
  const firstAt = (at: Date) => firstIdAt(new Date(Math.max(0, at.getTime())))
  const { createdAt, itemId } = before
  const below = createdAt === 'infinity' ? lastId : itemId === nilId ? firstAt(createdAt) : itemId
  return { below, from: from === '-infinity' ? nilId : firstAt(from) }
}
