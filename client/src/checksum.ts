/** Keccak-256 over 64-bit lanes (FIPS 202 with the original padding), for the checksum of EIP-55 addresses only. */
const rounds = 24
const rateBytes = 136
const mask = (1n << 64n) - 1n
const rotated = (lane: bigint, by: number) => ((lane << BigInt(by)) | (lane >> BigInt(64 - by))) & mask

function permute(state: bigint[]): void {
  const at = (index: number) => state[index] ?? 0n
  let register = 1
  /** The round constants come from a shift register, as the specification defines them. */
  const nextBit = () => {
    register = ((register << 1) ^ ((register >> 7) * 0x71)) % 256
    return register & 2
  }
  for (let round = 0; round < rounds; round++) {
    const columns = [0, 1, 2, 3, 4].map((x) => at(x) ^ at(x + 5) ^ at(x + 10) ^ at(x + 15) ^ at(x + 20))
    for (let index = 0; index < 25; index++) {
      const [left = 0n, right = 0n] = [columns[(index + 4) % 5], columns[(index + 1) % 5]]
      state[index] = at(index) ^ left ^ rotated(right, 1)
    }
    let [x, y, lane] = [1, 0, at(1)]
    for (let step = 0; step < 24; step++) {
      ;[x, y] = [y, (2 * x + 3 * y) % 5]
      const moved = at(x + 5 * y)
      state[x + 5 * y] = rotated(lane, (((step + 1) * (step + 2)) / 2) % 64)
      lane = moved
    }
    for (let row = 0; row < 25; row += 5) {
      const old = state.slice(row, row + 5)
      for (let index = 0; index < 5; index++) {
        const [one = 0n, two = 0n, three = 0n] = [old[index], old[(index + 1) % 5], old[(index + 2) % 5]]
        state[row + index] = one ^ (~two & mask & three)
      }
    }
    for (let bit = 0; bit < 7; bit++) if (nextBit()) state[0] = at(0) ^ (1n << BigInt(2 ** bit - 1))
  }
}

/** Returns the hash of a short ASCII text, in hex. */
function keccak256(text: string): string {
  const block = new Uint8Array(rateBytes)
  for (let index = 0; index < text.length; index++) block[index] = text.charCodeAt(index)
  block[text.length] = 1
  block[rateBytes - 1] = (block[rateBytes - 1] ?? 0) | 0x80
  const view = new DataView(block.buffer)
  const state = Array.from({ length: 25 }, (_, lane) => (lane < rateBytes / 8 ? view.getBigUint64(lane * 8, true) : 0n))
  permute(state)
  const hash = new DataView(new ArrayBuffer(32))
  for (let lane = 0; lane < 4; lane++) hash.setBigUint64(lane * 8, state[lane] ?? 0n, true)
  return Array.from(new Uint8Array(hash.buffer), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Returns an address with its EIP-55 checksum, which sign-in messages require. */
export function checksumAddress(address: string): string {
  const digits = address.slice(2).toLowerCase()
  const hash = keccak256(digits)
  const cased = Array.from(digits, (digit, index) =>
    Number.parseInt(hash[index] ?? '0', 16) > 7 ? digit.toUpperCase() : digit,
  )
  return `0x${cased.join('')}`
}
