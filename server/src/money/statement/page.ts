/**
 * The JSON of one page, made of the items as they are stored: ASCII, so that each is copied once, byte by byte, and never
 * made a text of. Pages are written into memory that was used before: to fill a fresh buffer costs ten times as much.
 * No getters: V8 makes a hidden class for each object literal with one, which holds the page until all garbage is collected.
 */
export type Page = {
  /** Copies the item that is in the bytes from `start` to `end`; the one beyond the limit only tells that there are more. */
  readonly add: (bytes: Buffer, start: number, end: number) => void
  hasNext(): boolean
  /** The last item of the page; null when it is empty. */
  last(): string | null
  finish(nextCursor: string | null): FinishedPage
}

/** `release` gives the bytes away, so it is called when nobody reads them any more. One that is never released is garbage. */
export type FinishedPage = { readonly bytes: Buffer; readonly release: () => void }

const usualBytes = 160 * 1024
const mostKept = 16
const kept: Buffer[] = []
const none: Buffer = Buffer.alloc(0)

const head = '{"data":['
const comma = 0x2c

export function startPage(limit: number): Page {
  // Taken with the first item: requests that wait for the database hold none.
  let memory: Buffer = none
  let at = 0
  let lastAt = 0
  let count = 0

  function makeRoom(length: number): void {
    if (memory === none) {
      memory = kept.pop() ?? Buffer.allocUnsafeSlow(usualBytes)
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
        if (kept.length < mostKept) kept.push(memory)
      }
      return { bytes, release }
    },
  }
}
