import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { stringify } from 'uuid'
import type { Filters, Position } from './rules.ts'

/**
 * Where the next page begins and which filters it has, opaque to the client. The MAC binds it to the user: nobody can
 * make one, change one or use another user's.
 */
export type Cursor = { readonly after: Position; readonly filters: Filters }

// version (1) · createdAt (8) · start (8) · end (8) · item id (16) · MAC (16). The MAC counts the user's id in before them.
const version = 1
const idBytes = 16
const bodyBytes = 41
const macBytes = 16
const textLength = Math.ceil(((bodyBytes + macBytes) * 4) / 3)
const noFilter = -(2n ** 63n)

export function sealCursor(key: KeyObject, userId: string, { after, filters }: Cursor): string {
  const bytes = Buffer.alloc(idBytes + bodyBytes + macBytes)
  const body = bytes.subarray(idBytes)
  writeId(bytes, userId, 0)
  body.writeUInt8(version, 0)
  body.writeBigInt64BE(BigInt(after.createdAt.getTime()), 1)
  body.writeBigInt64BE(filters.start === null ? noFilter : BigInt(filters.start.getTime()), 9)
  body.writeBigInt64BE(filters.end === null ? noFilter : BigInt(filters.end.getTime()), 17)
  writeId(body, after.itemId, 25)
  body.set(macOf(key, bytes), bodyBytes)
  return body.toString('base64url')
}

/** Null for a text that `sealCursor` did not make for this user. */
export function openCursor(key: KeyObject, userId: string, text: string): Cursor | null {
  if (text.length !== textLength || !/^[A-Za-z0-9_-]*$/.test(text)) return null
  const bytes = Buffer.alloc(idBytes + bodyBytes + macBytes)
  const body = bytes.subarray(idBytes)
  writeId(bytes, userId, 0)
  body.write(text, 'base64url')
  if (!timingSafeEqual(body.subarray(bodyBytes), macOf(key, bytes))) return null
  // A MAC that holds says that the rest is ours, but an older build may have written it.
  if (body.readUInt8(0) !== version) return null
  const filter = (at: bigint) => (at === noFilter ? null : new Date(Number(at)))
  return {
    after: { createdAt: new Date(Number(body.readBigInt64BE(1))), itemId: stringify(body.subarray(25)) },
    filters: { start: filter(body.readBigInt64BE(9)), end: filter(body.readBigInt64BE(17)) },
  }
}

function writeId(bytes: Buffer, id: string, at: number): void {
  bytes.write(id.replaceAll('-', ''), at, idBytes, 'hex')
}

/** Of everything before the MAC's own place. */
function macOf(key: KeyObject, bytes: Buffer): Buffer {
  const signed = bytes.subarray(0, idBytes + bodyBytes)
  return createHmac('sha256', key).update(signed).digest().subarray(0, macBytes)
}
