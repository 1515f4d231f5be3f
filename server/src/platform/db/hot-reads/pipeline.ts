import { Socket } from 'node:net'
import { type Duplex, Readable } from 'node:stream'
import pg from 'pg'
import { parse, serialize } from 'pg-protocol'

/**
 * One read-only connection with many statements in flight, which PostgreSQL completes in order. The driver opens it
 * (address, password, TLS). From then on this module reads its bytes, and creates no string, object or event for a row
 * unless the caller needs it.
 */
export type Pipeline = {
  rows<Row>(statement: NamedStatement): Promise<Row[]>
  /** Passes the first column of each row to `sink` as raw bytes. The column must not be null. */
  eachRow(statement: NamedStatement, sink: ByteSink): Promise<void>
  /** Returns whether the oldest statement has waited so long that new ones should go to another connection. */
  isStalled(): boolean
  /** Sends the queued statements now instead of at the end of this turn of the event loop. */
  flush(): void
  end(): Promise<void>
}

/** Reads `bytes` from `start` to `end`. The memory is reused after the call, so a sink copies what it needs. */
export type ByteSink = (bytes: Buffer, start: number, end: number) => void

/** The name of a result's column, and the table column that it shows; zeros for an expression. */
export type ResultColumn = Pick<pg.FieldDef, 'name' | 'tableID' | 'columnID'>
export type RowCheck = (rows: readonly unknown[], columns: readonly ResultColumn[]) => void

export type NamedStatement = {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
  /** Checks whole rows. Raw bytes are not checked. */
  readonly checkRows: RowCheck | undefined
}

type Settings = pg.ClientConfig & {
  readonly types: pg.TypeOverrides
  readonly query_timeout: number
  /** The coordinator of a cluster rejects generic plans, because a plan depends on the node that has the user. */
  readonly hasGenericPlans: boolean
}
type ParseText = (text: string) => unknown
type Columns = readonly (ResultColumn & { readonly parse: ParseText })[]
type RowDescription = { readonly fields: readonly pg.FieldDef[] }

type Pending = {
  readonly sentAt: number
  readonly name: string
  readonly onRow: ByteSink
  readonly settle: (error: Error | null) => void
}

/** A statement that PostgreSQL skipped, because an earlier one of the same connection failed. It may be sent again. */
export class SkippedRead extends Error {}

/** Well above the time that a hundred full pages take. */
const stalledMilliseconds = 25
const messageType = { dataRow: 0x44, bindComplete: 0x32, commandComplete: 0x43, readyForQuery: 0x5a }
/** A message is its type, then its length, which includes itself but not the type. */
const headerBytes = 5
/** A data row is the number of columns, then the length and bytes of each; length -1 is null. */
const firstColumnAt = headerBytes + 2
const lengthBytes = 4
export const readOptions = '-c default_transaction_read_only=on'
/** PostgreSQL would otherwise replan a statement over arrays on every execution. */
const genericPlans = '-c plan_cache_mode=force_generic_plan'
const execute = serialize.execute()
const sync = serialize.sync()

/**
 * Opens the connection. Calls `onEnd` as soon as the pipeline accepts no more statements. After a failed statement,
 * calls it again when the connection closes.
 */
export async function openPipeline(
  settings: Settings,
  onIdleError: (error: Error) => void,
  onEnd: () => void,
): Promise<Pipeline> {
  /** In the order sent, which is the order of the results. */
  const pending: Pending[] = []
  /** The columns of each prepared statement, by name; empty until the server describes them. */
  const prepared = new Map<string, Columns>()
  const parseOther = messageParser(readOther)
  const receiver = createReceiver(readMessage)
  const unsent: Buffer[] = []

  const options = [settings.options, readOptions, settings.hasGenericPlans ? genericPlans : ''].join(' ')
  const client = new pg.Client({ ...settings, options, stream: receiver.socket })
  client.on('error', onIdleError)
  await client.connect()
  const { stream } = client.connection
  receiver.takeOver(stream)
  stream.once('close', () => {
    clearInterval(watch)
    onEnd()
    for (const one of pending.splice(0)) one.settle(new Error('Connection terminated unexpectedly'))
  })
  // One timer for all statements: one that exceeds the deadline blocks all others.
  const watch = setInterval(() => {
    if (hasWaited(settings.query_timeout)) stream.destroy()
  }, settings.query_timeout / 10).unref()

  function hasWaited(milliseconds: number): boolean {
    const [oldest] = pending
    return oldest !== undefined && performance.now() - oldest.sentAt > milliseconds
  }

  function readMessage(bytes: Buffer, start: number, end: number): void {
    switch (bytes[start]) {
      case messageType.dataRow:
        pending[0]?.onRow(bytes, start + firstColumnAt, end)
        return
      case messageType.bindComplete:
      case messageType.readyForQuery:
        return
      case messageType.commandComplete:
        pending.shift()?.settle(null)
        return
      default:
        parseOther(bytes.subarray(start, end))
    }
  }

  /** Handles the messages outside the hot path, which the driver's own parser decodes. */
  function readOther(message: object): void {
    const [current] = pending
    if (message instanceof pg.DatabaseError) fail(message)
    else if (isRowDescription(message) && current) prepared.set(current.name, columnsOf(message))
  }

  /** Queues a statement. Resolves to `result`, which `onRow` may fill. */
  function send<T>(statement: NamedStatement, onRow: ByteSink, result: T): Promise<T> {
    const { name, text, values } = statement
    return new Promise((resolve, reject) => {
      const bind = serialize.bind({ statement: name, values: [...values], valueMapper: asText })
      const isNew = !prepared.has(name)
      if (isNew) prepared.set(name, [])
      const preparation = isNew ? [serialize.parse({ name, text }), serialize.describe({ type: 'S', name })] : []
      const settle = (error: Error | null) => (error === null ? resolve(result) : reject(error))
      pending.push({ sentAt: performance.now(), name, onRow, settle })
      if (unsent.length === 0) setImmediate(flush)
      unsent.push(...preparation, bind, execute)
    })
  }

  /**
   * Sends all statements of one turn of the event loop in one write and one transaction. Under READ COMMITTED each
   * statement still has its own snapshot.
   */
  function flush(): void {
    if (unsent.length === 0) return
    stream.write(Buffer.concat([...unsent.splice(0), sync]))
  }

  /**
   * Ends the connection after any failed statement. No input makes a read fail, so the cause is a stale prepared
   * statement, a deadlock with a migration, or a shard that has moved. PostgreSQL skips the other statements of the
   * same write: reading on would give their callers the wrong rows.
   */
  function fail(error: pg.DatabaseError): void {
    onEnd()
    pending.shift()?.settle(error)
    for (const skipped of pending.splice(0)) skipped.settle(new SkippedRead('an earlier statement failed'))
    stream.destroy()
  }

  function columnsOf({ fields }: RowDescription): Columns {
    return fields.map(({ name, tableID, columnID, dataTypeID }) => ({
      name,
      tableID,
      columnID,
      // The declared type takes a number, but the driver passes the column's text.
      parse: settings.types.getTypeParser(dataTypeID) as unknown as ParseText,
    }))
  }

  return {
    rows<Row>(statement: NamedStatement) {
      const rows: Row[] = []
      const onRow: ByteSink = (bytes, start) => rows.push(readRow(bytes, start, prepared.get(statement.name)))
      const read = send(statement, onRow, rows)
      const { name, checkRows } = statement
      if (checkRows === undefined) return read
      return read.then((rows) => {
        checkRows(rows, prepared.get(name) ?? [])
        return rows
      })
    },
    eachRow: (statement, sink) =>
      send(statement, (bytes, start, end) => sink(bytes, start + lengthBytes, end), undefined),
    isStalled: () => hasWaited(stalledMilliseconds),
    flush,
    async end() {
      await client.end()
    },
  }
}

/** Returns a function that parses whole messages with the driver's parser, which accepts only a stream. */
function messageParser(onMessage: (message: object) => void): (bytes: Buffer) => void {
  const feed = new Readable({ read() {} })
  void parse(feed, onMessage)
  return (bytes) => feed.emit('data', bytes)
}

function isRowDescription(message: object): message is RowDescription {
  return 'name' in message && message.name === 'rowDescription'
}

/**
 * Splits the incoming bytes into messages. All bytes go through one reused buffer: the README measures the cost of a
 * new buffer for each read.
 */
function createReceiver(onMessage: ByteSink) {
  let memory = Buffer.allocUnsafeSlow(256 * 1024)
  /** The number of bytes at the beginning of the memory that belong to an incomplete message. */
  let incomplete = 0
  let taken: Duplex | null = null

  /** Reads the messages in the memory after `length` more bytes arrived. */
  function advance(length: number): void {
    const until = incomplete + length
    let at = 0
    while (at + headerBytes <= until && !taken?.destroyed) {
      const end = at + 1 + memory.readInt32BE(at + 1)
      if (end > until) {
        makeRoom(end - at)
        break
      }
      onMessage(memory, at, end)
      at = end
    }
    memory.copyWithin(0, at, until)
    incomplete = until - at
  }

  function makeRoom(length: number): void {
    if (length > memory.length) memory = Buffer.concat([memory], 2 * length)
  }

  return {
    /** Creates the socket for the driver, which reads the handshake. For TLS the driver wraps it in another socket. */
    socket({ ssl }: { ssl?: unknown } = {}): Socket {
      if (ssl) return new Socket()
      const socket = new Socket({
        onread: {
          buffer: () => memory.subarray(incomplete),
          callback(length, bytes) {
            if (taken === socket) advance(length)
            else socket.emit('data', Buffer.from(bytes.subarray(0, length)))
            return true
          },
        },
      })
      return socket
    },
    /** Takes the stream over from the driver: from here on, the receiver reads its bytes. */
    takeOver(stream: Duplex): void {
      taken = stream
      stream.removeAllListeners('data').on('data', (chunk: Buffer) => {
        makeRoom(incomplete + chunk.length)
        chunk.copy(memory, incomplete)
        advance(chunk.length)
      })
    },
  }
}

function readRow<Row>(bytes: Buffer, start: number, columns: Columns = []): Row {
  const row: Record<string, unknown> = {}
  let at = start
  for (const { name, parse: parseText } of columns) {
    const length = bytes.readInt32BE(at)
    at += lengthBytes
    row[name] = length < 0 ? null : parseText(bytes.toString('utf8', at, at + length))
    if (length > 0) at += length
  }
  // The row type matches the caller's SQL; the flow tests prove each against the real database.
  return row as Row
}

/** Returns the text form of a parameter. PostgreSQL accepts years above 9999 only without a sign and leading zeros. */
export function asText(value: unknown): string | null {
  if (value === null) return null
  if (value instanceof Date) return value.toISOString().replace(/^\+0*/, '')
  if (Array.isArray(value)) return `{${value.map(asElement).join(',')}}`
  if (typeof value === 'object') throw new TypeError('a hot read accepts only plain values and arrays of them')
  return String(value)
}

function asElement(value: unknown): string {
  const text = asText(value)
  return text === null ? 'null' : `"${text.replace(/["\\]/g, '\\$&')}"`
}
