/**
 * Builds the JSON of one page from items that are stored as ASCII JSON. Each item is copied once, byte by byte, into a
 * pooled buffer, and never becomes a string.
 */
export type JsonPage = {
  /**
   * Appends the item at `start` to `end` of the bytes. The item beyond the limit only shows that there is a next page.
   */
  readonly add: (bytes: Buffer, start: number, end: number) => void
  // Methods, because V8 retains an object literal with a getter, and its page, until a full garbage collection.
  hasNext(): boolean
  /** Returns the text of the last item, or null when the page is empty. */
  last(): string | null
  finish(nextCursor: string | null): PooledBytes
}

/** `release` returns the memory to the pool. A buffer that is never released is garbage-collected. */
export type PooledBytes = { readonly bytes: Buffer; readonly release: () => void }

const defaultBytes = 160 * 1024
const maxPooled = 16
const pool: Buffer[] = []
const empty: Buffer = Buffer.alloc(0)

const head = '{"data":['
const comma = 0x2c

export function startPage(limit: number): JsonPage {
  // Taken with the first item, so that requests that wait for the database hold no memory.
  let memory: Buffer = empty
  let at = 0
  let lastAt = 0
  let count = 0

  function makeRoom(length: number): void {
    if (memory === empty) {
      memory = pool.pop() ?? Buffer.allocUnsafeSlow(defaultBytes)
      at = memory.write(head, 'latin1')
    }
    if (at + length > memory.length) memory = Buffer.concat([memory], 2 * (at + length))
  }

  return {
    hasNext: () => count > limit,
    last: () => (count === 0 ? null : memory.toString('latin1', lastAt, at)),
    add(bytes, start, end) {
      count += 1
      if (count > limit) return
      makeRoom(end - start + 1)
      if (count > 1) memory[at++] = comma
      lastAt = at
      at += bytes.copy(memory, at, start, end)
    },
    finish(nextCursor) {
      const tail = `],"pagination":{"nextCursor":${JSON.stringify(nextCursor)},"hasNext":${count > limit}}}`
      makeRoom(tail.length)
      const bytes = memory.subarray(0, at + memory.write(tail, at, 'latin1'))
      const release = () => {
        if (pool.length < maxPooled) pool.push(memory)
      }
      return { bytes, release }
    },
  }
}
