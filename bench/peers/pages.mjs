/** Returns the time and the id that a page begins after. */
export function readCursor(cursor) {
  return cursor
    ? JSON.parse(Buffer.from(cursor, 'base64url'))
    : ['9999-12-31T00:00:00.000Z', '00000000-0000-0000-0000-000000000000']
}

/** Returns the page of at most `limit` items. The items may have one more, which proves that another page follows. */
export function toPage(items, limit) {
  const hasNext = items.length > limit
  const data = hasNext ? items.slice(0, limit) : items
  const last = data.at(-1)
  const nextCursor =
    hasNext && last ? Buffer.from(JSON.stringify([last.createdAt, last.id])).toString('base64url') : null
  return { data, pagination: { nextCursor, hasNext } }
}
