import { v7 } from 'uuid'

/** A UUIDv7 whose time part is the given instant: ids made later sort later (RFC 9562, section 5.7). */
export function newId(at: Date): string {
  return v7({ msecs: at.getTime() })
}

/** Not above any id that is made at the instant or later: where a search by time may begin in an index of ids. */
export function firstIdAt(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/** When an id was made, to the millisecond. */
export function timeOf(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))
}
