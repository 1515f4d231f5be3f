import { type TSchema, Type } from 'typebox'
import { Refusal } from '../lib/errors.ts'
import { isId, lastId } from '../lib/id.ts'
import { nullable } from '../platform/http/schemas.ts'

/**
 * Keyset pages. A cursor is the key of the last row, so page 5,000 costs as much as page 1. A cursor is only a
 * position: every request checks the permission again.
 */
export const ListQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 600, description: '`pagination.nextCursor` of the previous page.' })),
})

const Pagination = Type.Object(
  { nextCursor: nullable(Type.String()), hasNext: Type.Boolean() },
  { title: 'OperatorPagination' },
)

export function listOf<T extends TSchema>(item: T) {
  return Type.Object({ data: Type.Array(item), pagination: Pagination })
}

const newestTime = '9999-12-31T23:59:59.999Z'
const oldestTime = '0001-01-01T00:00:00.000Z'

function isTime(text: string): boolean {
  const time = new Date(text)
  return !Number.isNaN(time.getTime()) && time.toISOString() === text
}

const parts = {
  id: { isValid: isId, newest: lastId, oldest: '00000000-0000-0000-0000-000000000000' },
  number: {
    isValid: (text: string) => /^-?\d{1,18}$/.test(text),
    newest: '999999999999999999',
    oldest: '-999999999999999999',
  },
  time: {
    // JavaScript reads February 30 as March 2, and PostgreSQL has no year 0: it would reject both.
    isValid: (text: string) => text >= oldestTime && text <= newestTime && isTime(text),
    newest: newestTime,
    oldest: oldestTime,
  },
  // Lists of texts begin with the smallest one.
  text: { isValid: (text: string) => /^[!-~]{0,300}$/.test(text), newest: '', oldest: '' },
} as const

/** The columns of the key, and the end at which the list begins. */
export type Order = { readonly parts: readonly (keyof typeof parts)[]; readonly from: 'newest' | 'oldest' }

export type ListRequest = { readonly limit?: number; readonly cursor?: string }
type KeyPart = string | number | bigint | Date
export type ListedRows<Row> = {
  readonly rows: readonly Row[]
  readonly pagination: { nextCursor: string | null; hasNext: boolean }
}

/**
 * Reads one page. `find` returns the rows beyond a key. For the first page, the key is the end at which the list
 * begins.
 */
export async function readList<Row>(
  order: Order,
  { limit = 50, cursor }: ListRequest,
  find: (beyond: readonly string[], limit: number) => Promise<readonly Row[]>,
  keyOf: (row: Row) => readonly KeyPart[],
): Promise<ListedRows<Row>> {
  const beyond = cursor === undefined ? order.parts.map((part) => parts[part][order.from]) : keyIn(order, cursor)
  const found = await find(beyond, limit + 1)
  const rows = found.slice(0, limit)
  const last = found.length > limit ? rows.at(-1) : undefined
  const nextCursor = last === undefined ? null : cursorOf(keyOf(last))
  return { rows, pagination: { nextCursor, hasNext: nextCursor !== null } }
}

function cursorOf(key: readonly KeyPart[]): string {
  const texts = key.map((part) => (part instanceof Date ? part.toISOString() : String(part)))
  return Buffer.from(JSON.stringify(texts)).toString('base64url')
}

function keyIn(order: Order, cursor: string): readonly string[] {
  const texts = listIn(Buffer.from(cursor, 'base64url').toString())
  const isValid =
    texts.length === order.parts.length && order.parts.every((part, i) => parts[part].isValid(texts[i] ?? ''))
  if (!isValid) throw new Refusal('INVALID_CURSOR')
  return texts
}

function listIn(text: string): readonly string[] {
  try {
    const given: unknown = JSON.parse(text)
    return Array.isArray(given) && given.every((part) => typeof part === 'string') ? given : []
  } catch {
    return []
  }
}

/** Returns the body of a list. */
export function listBody<Row, Item>({ rows, pagination }: ListedRows<Row>, itemOf: (row: Row) => Item) {
  return { data: rows.map(itemOf), pagination }
}
