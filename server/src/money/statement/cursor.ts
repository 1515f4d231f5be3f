// pure
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { Keys } from '../../platform/crypto/derive-key.ts'
import type { Filters, Position } from './rules.ts'

/**
 * The position and filters of the next page, opaque to the client. The MAC binds a cursor to its user: nobody can forge
 * or change a cursor, or use another user's.
 */
export type Cursor = { readonly after: Position; readonly filters: Filters }

/** Well above the length of any cursor that `sealCursor` returns. */
const maxLength = 512

/** Returns `<JSON>.<MAC>`, both in base64url. */
export function sealCursor([key]: Keys, userId: string, cursor: Cursor): string {
  const body = Buffer.from(JSON.stringify(cursor)).toString('base64url')
  return `${body}.${macOf(key, userId, body)}`
}

/** Returns null for a text that `sealCursor` did not make for this user. */
export function openCursor(keys: Keys, userId: string, text: string): Cursor | null {
  if (text.length > maxLength) return null
  const body = text.slice(0, Math.max(0, text.lastIndexOf('.')))
  const given = Buffer.from(text.slice(body.length + 1))
  const isOurs = keys.some((key) => {
    const expected = Buffer.from(macOf(key, userId, body))
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  if (!isOurs) return null
  // The MAC proves that `sealCursor` wrote this JSON.
  const { after, filters }: Stored = JSON.parse(Buffer.from(body, 'base64url').toString())
  return {
    after: { createdAt: new Date(after.createdAt), itemId: after.itemId },
    filters: { ...filters, start: timeOf(filters.start), end: timeOf(filters.end) },
  }
}

/** A cursor as JSON holds it: times are ISO 8601. */
type Stored = {
  readonly after: { readonly createdAt: string; readonly itemId: string }
  readonly filters: Omit<Filters, 'start' | 'end'> & { readonly start: string | null; readonly end: string | null }
}

function timeOf(text: string | null): Date | null {
  return text === null ? null : new Date(text)
}

function macOf(key: KeyObject, userId: string, body: string): string {
  return createHmac('sha256', key).update(`${userId}.${body}`).digest('base64url')
}
