import { v5, v7 } from 'uuid'

/** Returns a UUIDv7 of an instant (RFC 9562, section 5.7). Later ids sort later. */
export function newId(at: Date): string {
  return v7({ msecs: at.getTime() })
}

const namespace = '0b7c5d3e-5a1f-4c6b-9d4e-7f2a8c1e6b90'

/** Returns the UUIDv5 of a name: always the same id, and never one of `newId`. */
export function idOfName(name: string): string {
  return v5(name, namespace)
}

/** Writes 32 hexadecimal digits as a UUID. */
export function uuidOf(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Returns whether an id was made by `idOfName`. */
export function isIdOfName(id: string): boolean {
  return id[14] === '5'
}

/** Returns the smallest id of an instant: the start of a search by time in an index of ids. */
export function firstIdAt(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/** No id is larger. */
export const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Returns the instant of an id of `newId`, to the millisecond. */
export function timeOf(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))
}

/** Returns whether a text is a UUID that PostgreSQL accepts. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}
