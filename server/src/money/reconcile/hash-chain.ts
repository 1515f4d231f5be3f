// pure
import { createHash, createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { Keys } from '../../platform/crypto/derive-key.ts'

/**
 * The hash chain of one user's movements. Each hash covers a movement, its postings and the previous hash, so no
 * movement can be changed, removed or inserted unnoticed. An insider who can write to the database can recompute all
 * hashes, but not the MAC of the last one: its key is never in the database.
 */
export type ChainedMovement = {
  readonly seq: bigint
  readonly kind: string
  readonly refId: string
  /** microseconds since 1970, the full precision of the column */
  readonly createdAtMicros: bigint
  readonly postings: readonly ChainedPosting[]
}

export type ChainedPosting = {
  readonly line: number
  readonly token: string
  readonly from: string
  readonly to: string
  readonly amount: bigint
}

export type Seal = {
  readonly firstSeq: bigint
  readonly lastSeq: bigint
  readonly hashes: Buffer
  readonly mac: Buffer
  readonly sealedAt: Date
}

const hashLength = 32
/** The hash before a user's first movement. */
export const chainStart: Buffer = Buffer.alloc(hashLength)
/** The smallest int8. Purser numbers movements and records from 1, but an insider may insert lower numbers. */
export const lowestSeq = -(2n ** 63n)

export function hashMovement(userId: string, before: Buffer, movement: ChainedMovement): Buffer {
  const { seq, kind, refId, createdAtMicros, postings } = movement
  const lines = postings.flatMap(({ line, token, from, to, amount }) => [line, token, from, to, amount])
  const fields = [userId, seq, kind, refId, createdAtMicros, postings.length, ...lines]
  return createHash('sha256').update(before).update(lengthPrefixed(fields)).digest()
}

export function sealMovements(
  [key]: Keys,
  userId: string,
  before: Buffer,
  movements: readonly ChainedMovement[],
  sealedAt: Date,
): Seal {
  const hashes: Buffer[] = []
  let head = before
  for (const movement of movements) {
    head = hashMovement(userId, head, movement)
    hashes.push(head)
  }
  const [first, last] = [movements[0], movements.at(-1)]
  if (!first || !last) throw new Error('a seal needs at least one movement')
  const unsigned = { firstSeq: first.seq, lastSeq: last.seq, hashes: Buffer.concat(hashes), sealedAt }
  return { ...unsigned, mac: macOf(key, userId, unsigned) }
}

/** Returns whether the seal's MAC was computed with one of the keys, for this user and these movements. */
export function isAuthentic(keys: Keys, userId: string, seal: Seal): boolean {
  return keys.some((key) => {
    const mac = macOf(key, userId, seal)
    return mac.length === seal.mac.length && timingSafeEqual(mac, seal.mac)
  })
}

/** Recomputes the MAC of an authentic seal with the first key. */
export function reauthenticate([key]: Keys, userId: string, seal: Seal): Buffer {
  return macOf(key, userId, seal)
}

export function headOf({ hashes }: Pick<Seal, 'hashes'>): Buffer {
  return hashes.subarray(-hashLength)
}

/** Returns the stored hash of each movement that a seal covers, by sequence number. */
export function hashesBySeq(seals: readonly Seal[]): ReadonlyMap<bigint, Buffer> {
  const bySeq = new Map<bigint, Buffer>()
  for (const { firstSeq, hashes } of seals) {
    for (let at = 0; at < hashes.length; at += hashLength) {
      bySeq.set(firstSeq + BigInt(at / hashLength), hashes.subarray(at, at + hashLength))
    }
  }
  return bySeq
}

function macOf(key: KeyObject, userId: string, seal: Omit<Seal, 'mac'>): Buffer {
  const { firstSeq, lastSeq, sealedAt } = seal
  const fields = [userId, firstSeq, lastSeq, headOf(seal).toString('hex'), sealedAt.toISOString()]
  return createHmac('sha256', key).update(lengthPrefixed(fields)).digest()
}

/** Prefixes each field with its length, so that different lists of fields never encode to the same bytes. */
function lengthPrefixed(fields: readonly (string | number | bigint)[]): Buffer {
  return Buffer.concat(
    fields.flatMap((field) => {
      const bytes = Buffer.from(String(field))
      const length = Buffer.alloc(4)
      length.writeUInt32BE(bytes.length)
      return [length, bytes]
    }),
  )
}
