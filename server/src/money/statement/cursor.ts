import { hash, timingSafeEqual } from 'node:crypto'
import type { Filters, Position } from './rules.ts'

/**
 * Where the next page begins and which filters it has, opaque to the client. The MAC binds it to the user: nobody can
 * make one, change one or use another user's.
 */
export type Cursor = { readonly after: Position; readonly filters: Filters }

/** `version.createdAt.start.end.itemId.MAC`, times in milliseconds, to the base of 36; no filter is empty. */
const version = '2'
const longest = 128

export function sealCursor(key: string, userId: string, { after, filters }: Cursor): string {
  const { start, end } = filters
  const body = `${version}.${textOf(after.createdAt)}.${textOf(start)}.${textOf(end)}.${after.itemId}`
  return `${body}.${macOf(key, userId, body)}`
}

/** Null for a text that `sealCursor` did not make for this user. */
export function openCursor(key: string, userId: string, text: string): Cursor | null {
  if (text.length > longest) return null
  const body = text.slice(0, Math.max(0, text.lastIndexOf('.')))
  const given = Buffer.from(text.slice(body.length + 1))
  const wanted = Buffer.from(macOf(key, userId, body))
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null
  // A MAC that holds says that the rest is ours, but another build may have written it.
  const [by, createdAt = '', start = '', end = '', itemId] = body.split('.')
  const at = timeOf(createdAt)
  if (by !== version || at === null || itemId === undefined) return null
  return { after: { createdAt: at, itemId }, filters: { start: timeOf(start), end: timeOf(end) } }
}

function textOf(time: Date | null): string {
  return time === null ? '' : time.getTime().toString(36)
}

function timeOf(text: string): Date | null {
  return text === '' ? null : new Date(Number.parseInt(text, 36))
}

/**
 * SHA3-256 over the key and what it is for: no text can be appended to what SHA-3 has hashed, so it needs no HMAC
 * (keccak.team, "Strengths"), which costs twice as much. Key and user have one length each.
 */
function macOf(key: string, userId: string, body: string): string {
  return hash('sha3-256', `${key}${userId}${body}`, 'base64url')
}
