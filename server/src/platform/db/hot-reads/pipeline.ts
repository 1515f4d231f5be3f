import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import pg from 'pg'
import { serialize } from 'pg-protocol'
import { RowDescriptionMessage } from 'pg-protocol/dist/messages.js'
import { Parser } from 'pg-protocol/dist/parser.js'

/**
 * One read-only connection with many statements under way, which answers them in order. The driver opens it (address,
 * password, TLS); from then on its bytes are read here, because what the driver makes of each row costs more than the
 * row: a page of the statement goes out as the bytes that came in.
 */
export type Lane = {
  rows<Row>(statement: NamedStatement): Promise<Row[]>
  /** Hands over the first column of each row, never null, as it came. */
  eachRow(statement: NamedStatement, take: TakeBytes): Promise<void>
  /** Whether an answer lets so long wait for itself that those who ask now had better ask elsewhere. */
  isHeldUp(): boolean
  /** Sends what was asked for now, instead of at the end of this turn of the event loop. */
  flush(): void
  end(): Promise<void>
}

/** Takes the bytes from `start` up to `end`, gone when it returns. A view of its own for each would cost more than a copy. */
export type TakeBytes = (bytes: Buffer, start: number, end: number) => void

export type NamedStatement = { readonly name: string; readonly text: string; readonly values: readonly unknown[] }

type Settings = pg.ClientConfig & { readonly types: pg.TypeOverrides; readonly query_timeout: number }
type Parse = (text: string) => unknown
type Columns = readonly { readonly name: string; readonly parse: Parse }[]

type Waiting = {
  readonly since: number
  readonly name: string
  readonly takeRow: TakeBytes
  readonly settle: (error: Error | null) => void
}

/** Longer than a hundred whole pages take. */
const heldUpMilliseconds = 25
const code = { dataRow: 0x44, bindComplete: 0x32, commandComplete: 0x43, readyForQuery: 0x5a }
/** A message is its code, then its length, which counts itself but not the code. */
const headerBytes = 5
/** A row is the number of its columns, then each with its length; -1 is null. */
const firstColumnAt = headerBytes + 2
const lengthBytes = 4
/** By itself PostgreSQL plans a statement over arrays each time, which takes it longer than to run it. */
const options = '-c default_transaction_read_only=on -c plan_cache_mode=force_generic_plan'
const execution = serialize.execute()
const end = serialize.sync()

/** `onEnd` is called once, as soon as the lane takes no more statements. */
export async function openLane(
  settings: Settings,
  onIdleError: (error: Error) => void,
  onEnd: () => void,
): Promise<Lane> {
  /** In the order in which they were sent, which is that of the answers. */
  const waiting: Waiting[] = []
  /** By name, what was sent to be prepared, with the columns that the server then tells of. */
  const prepared = new Map<string, Columns>()
  const parser = new Parser()
  const received = receiver(readMessage)
  const unsent: Buffer[] = []

  const client = new pg.Client({ ...settings, options, stream: received.socket })
  client.on('error', onIdleError)
  await client.connect()
  const { stream } = client.connection
  received.takeOver(stream)
  stream.once('close', () => {
    clearInterval(watch)
    onEnd()
    for (const one of waiting.splice(0)) one.settle(new Error('Connection terminated unexpectedly'))
  })
  // One clock for all: a statement not answered by then holds up every other.
  const watch = setInterval(() => {
    if (isLate(settings.query_timeout)) stream.destroy()
  }, settings.query_timeout / 10).unref()

  function isLate(milliseconds: number): boolean {
    const [oldest] = waiting
    return oldest !== undefined && performance.now() - oldest.since > milliseconds
  }

  function readMessage(bytes: Buffer, start: number, end: number): void {
    const [current] = waiting
    switch (bytes[start]) {
      case code.dataRow:
        current?.takeRow(bytes, start + firstColumnAt, end)
        return
      case code.bindComplete:
      case code.readyForQuery:
        return
      case code.commandComplete:
        waiting.shift()?.settle(null)
        return
      default:
        parser.parse(bytes.subarray(start, end), (parsed) => {
          if (parsed instanceof pg.DatabaseError) refuse(parsed)
          else if (parsed instanceof RowDescriptionMessage && current) prepared.set(current.name, columnsOf(parsed))
        })
    }
  }

  /** Resolves to `answer`, which `takeRow` may fill. */
  function send<T>(statement: NamedStatement, takeRow: TakeBytes, answer: T): Promise<T> {
    const { name, text, values } = statement
    return new Promise((resolve, reject) => {
      const binding = serialize.bind({ statement: name, values: [...values], valueMapper: asText })
      const isNew = !prepared.has(name)
      if (isNew) prepared.set(name, [])
      const preparation = isNew ? [serialize.parse({ name, text }), serialize.describe({ type: 'S', name })] : []
      const settle = (error: Error | null) => (error === null ? resolve(answer) : reject(error))
      waiting.push({ since: performance.now(), name, takeRow, settle })
      if (unsent.length === 0) setImmediate(flush)
      unsent.push(...preparation, binding, execution)
    })
  }

  /**
   * Once for all the requests that arrived together: a write costs more than most of what it says, and so does the end
   * of a transaction, at which PostgreSQL writes its answers. Each statement still sees what was committed before it.
   */
  function flush(): void {
    if (unsent.length === 0) return
    stream.write(Buffer.concat([...unsent.splice(0), end]))
  }

  /**
   * Nothing that a caller says makes a read fail: what is prepared here is not right any more, so the lane ends. At once,
   * since PostgreSQL leaves out what was sent with the statement, and the next answer would be taken for another's.
   */
  function refuse(error: pg.DatabaseError): void {
    waiting.shift()?.settle(error)
    onEnd()
    stream.destroy()
  }

  function columnsOf({ fields }: RowDescriptionMessage): Columns {
    // Its declared type takes a number, where a text goes in.
    return fields.map(({ name, dataTypeID }) => ({
      name,
      parse: settings.types.getTypeParser(dataTypeID) as unknown as Parse,
    }))
  }

  return {
    rows<Row>(statement: NamedStatement) {
      const rows: Row[] = []
      const take: TakeBytes = (bytes, start) => rows.push(readRow(bytes, start, prepared.get(statement.name)))
      return send(statement, take, rows)
    },
    eachRow: (statement, take) =>
      send(statement, (bytes, start, end) => take(bytes, start + lengthBytes, end), undefined),
    isHeldUp: () => isLate(heldUpMilliseconds),
    flush,
    async end() {
      await client.end()
    },
  }
}

/**
 * Cuts what comes in into messages. All of it goes through the same memory, which stays warm: a new buffer for each read
 * of the socket would cost as much as what is done with its bytes.
 */
function receiver(onMessage: TakeBytes) {
  let memory = Buffer.allocUnsafeSlow(256 * 1024)
  /** The length of a message whose end has not come yet, at the beginning of the memory. */
  let begun = 0
  let own: Duplex | null = null

  /** Reads on, `length` bytes behind what was there. */
  function advance(length: number): void {
    const until = begun + length
    let at = 0
    while (at + headerBytes <= until && !own?.destroyed) {
      const end = at + 1 + memory.readInt32BE(at + 1)
      if (end > until) {
        makeRoom(end - at)
        break
      }
      onMessage(memory, at, end)
      at = end
    }
    memory.copyWithin(0, at, until)
    begun = until - at
  }

  function makeRoom(length: number): void {
    if (length > memory.length) memory = Buffer.concat([memory], 2 * length)
  }

  return {
    /** What the driver connects. It reads the first bytes itself; one that is to speak TLS it wraps into another socket. */
    socket({ ssl }: { ssl?: unknown } = {}): Socket {
      if (ssl) return new Socket()
      const socket = new Socket({
        onread: {
          buffer: () => memory.subarray(begun),
          callback(length, bytes) {
            if (own === socket) advance(length)
            else socket.emit('data', Buffer.from(bytes.subarray(0, length)))
            return true
          },
        },
      })
      return socket
    },
    /** From here on the bytes are read here. */
    takeOver(stream: Duplex): void {
      own = stream
      stream.removeAllListeners('data').on('data', (chunk: Buffer) => {
        makeRoom(begun + chunk.length)
        chunk.copy(memory, begun)
        advance(chunk.length)
      })
    },
  }
}

function readRow<Row>(bytes: Buffer, start: number, columns: Columns = []): Row {
  const row: Record<string, unknown> = {}
  let at = start
  for (const { name, parse } of columns) {
    const length = bytes.readInt32BE(at)
    at += lengthBytes
    row[name] = length < 0 ? null : parse(bytes.toString('utf8', at, at + length))
    if (length > 0) at += length
  }
  // The row type is what the caller's SQL selects; the flows prove each against the real database.
  return row as Row
}

/** What PostgreSQL reads. Of a year past 9999 it wants no sign and no zero in front. */
export function asText(value: unknown): string | null {
  if (value === null) return null
  if (value instanceof Date) return value.toISOString().replace(/^\+0*/, '')
  if (Array.isArray(value)) return `{${value.map(asElement).join(',')}}`
  if (typeof value === 'object') throw new TypeError('a shared read takes plain values only')
  return String(value)
}

function asElement(value: unknown): string {
  const text = asText(value)
  return text === null ? 'null' : `"${text.replace(/["\\]/g, '\\$&')}"`
}
