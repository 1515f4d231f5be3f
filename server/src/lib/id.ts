import { v5, v7 } from 'uuid'

/** A UUIDv7 whose time part is the given instant: ids made later sort later (RFC 9562, section 5.7). */
export function newId(at: Date): string {
  return v7({ msecs: at.getTime() })
}

const ownNames = '0b7c5d3e-5a1f-4c6b-9d4e-7f2a8c1e6b90'

/** The same id for the same name, whoever makes it; never one that `newId` makes, since its version is 5. */
export function idOfName(name: string): string {
  return v5(name, ownNames)
}

export function isIdOfName(id: string): boolean {
  return id[14] === '5'
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

/** Whether it is written as an id is; a database takes it then. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}
