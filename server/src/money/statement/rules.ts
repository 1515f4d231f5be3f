/** What a page is asked for. Both bounds are inclusive and whole milliseconds, as stored times are. */
export type Filters = { readonly start: Date | null; readonly end: Date | null }

/** The place of a row in the order of the statement: newest first, ties by id. */
export type Position = { readonly createdAt: Date; readonly itemId: string }

const nilId = '00000000-0000-0000-0000-000000000000'
const endOfTime = new Date('9999-12-31T23:59:59.999Z')
const startOfTime = new Date('0001-01-01T00:00:00.000Z')

/** A date-time, or a bare date that stands for its first or its last instant (UTC). Null when it does not exist. */
export function parseBound(text: string, bound: 'start' | 'end'): Date | null {
  const isBareDate = /^\d{4}-\d{2}-\d{2}$/.test(text)
  const at = new Date(isBareDate ? `${text}${bound === 'start' ? 'T00:00:00.000Z' : 'T23:59:59.999Z'}` : text)
  if (Number.isNaN(at.getTime()) || at < startOfTime || at > endOfTime) return null
  return at
}

export function isEmptyRange({ start, end }: Filters): boolean {
  return start !== null && end !== null && start > end
}

/** Filters left out take the cursor's; null when one is given that is not the cursor's. */
export function mergeFilters(given: Filters, ofCursor: Filters): Filters | null {
  const agrees = (one: Date | null, other: Date | null) => one === null || one.getTime() === other?.getTime()
  return agrees(given.start, ofCursor.start) && agrees(given.end, ofCursor.end) ? ofCursor : null
}

/** The rows of a page are those below `before`, down to `from`; PostgreSQL's words for what is above and below all times. */
export type PageRange = {
  readonly before: Position | { readonly createdAt: 'infinity'; readonly itemId: string }
  readonly from: Date | '-infinity'
}

export function pageRange({ start, end }: Filters, after: Position | null): PageRange {
  const from = start ?? '-infinity'
  if (after !== null) return { before: after, from }
  if (end === null) return { before: { createdAt: 'infinity', itemId: nilId }, from }
  // No row lies between the last millisecond and the nil id of the next one.
  return { before: { createdAt: new Date(end.getTime() + 1), itemId: nilId }, from }
}
