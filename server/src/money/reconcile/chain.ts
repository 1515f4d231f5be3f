// pure
import { createHash, createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'

/**
 * The hash chain of one user's movements: pure functions. Each hash covers a movement, all its postings and the hash
 * before it, so that nothing in between can be changed, taken out or put in. Whoever can write to the database can
 * compute a whole chain anew, but not the code over its last hash: that key is never in the database.
 */
export type ChainedMovement = {
  readonly seq: bigint
  readonly kind: string
  readonly refId: string
  /** microseconds since 1970, the whole precision of the column */
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
/** What stands before a user's first movement. */
export const chainStart: Buffer = Buffer.alloc(hashLength)

export function hashMovement(userId: string, before: Buffer, movement: ChainedMovement): Buffer {
  const { seq, kind, refId, createdAtMicros, postings } = movement
  const lines = postings.flatMap(({ line, token, from, to, amount }) => [line, token, from, to, amount])
  const fields = [userId, seq, kind, refId, createdAtMicros, postings.length, ...lines]
  return createHash('sha256').update(before).update(lengthPrefixed(fields)).digest()
}

export function sealMovements(
  key: KeyObject,
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
  if (!first || !last) throw new Error('there is nothing to seal')
  const unsigned = { firstSeq: first.seq, lastSeq: last.seq, hashes: Buffer.concat(hashes), sealedAt }
  return { ...unsigned, mac: macOf(key, userId, unsigned) }
}

/** Whether it was made with our key, for this user and this place. */
export function isAuthentic(key: KeyObject, userId: string, seal: Seal): boolean {
  const mac = macOf(key, userId, seal)
  return mac.length === seal.mac.length && timingSafeEqual(mac, seal.mac)
}

export function headOf({ hashes }: Pick<Seal, 'hashes'>): Buffer {
  return hashes.subarray(-hashLength)
}

/** The stored hash of each movement that a seal covers. */
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

/** Each field behind its length: two lists of fields are never the same bytes. */
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
