const uuidBytes = 16
/** The first state of PostgreSQL's hash for a key of this length. */
const seed = (0x9e3779b9 + uuidBytes + 3923095) | 0
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const rotate = (word: number, bits: number) => (word << bits) | (word >>> (32 - bits))

/**
 * Returns PostgreSQL's hash of a UUID (`uuid_hash`), a signed number of 32 bits. A cluster finds the shard of a row by
 * it. The function is Bob Jenkins' lookup3, which is in the public domain. Returns null for a text that is not a UUID.
 */
export function hashOfUuid(uuid: string): number | null {
  if (!uuidPattern.test(uuid)) return null
  const key = Buffer.from(uuid.replaceAll('-', ''), 'hex')
  let a = (seed + key.readInt32LE(0)) | 0
  let b = (seed + key.readInt32LE(4)) | 0
  let c = (seed + key.readInt32LE(8)) | 0

  // Each step of lookup3 does the same to the three words in turn.
  for (const bits of [4, 6, 8, 16, 19, 4]) {
    const mixed = ((a - c) ^ rotate(c, bits)) | 0
    ;[a, b, c] = [b, (c + b) | 0, mixed]
  }
  a = (a + key.readInt32LE(12)) | 0
  for (const bits of [14, 11, 25, 16, 4, 14, 24]) {
    const mixed = ((c ^ b) - rotate(b, bits)) | 0
    ;[a, b, c] = [b, mixed, a]
  }
  return b
}
