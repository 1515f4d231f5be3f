const coordinateLength = 32

/**
 * The two numbers of a P-256 signature, each in 32 bytes, one behind the other (RFC 7518, section 3.4), of the DER form
 * in which OpenSSL makes it: 30 length, then twice 02 length number (RFC 3279, section 2.2.3). DER writes a number in as
 * few bytes as it takes, with a zero in front of a first bit that would be read as a sign.
 */
export function concatenated(der: Buffer): Buffer {
  const both = Buffer.alloc(2 * coordinateLength)
  let at = 2
  for (const end of [coordinateLength, 2 * coordinateLength]) {
    const from = at + 2
    at = from + der.readUInt8(at + 1)
    const digits = der.subarray(Math.max(from, at - coordinateLength), at)
    digits.copy(both, end - digits.length)
  }
  return both
}
