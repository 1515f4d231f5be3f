import { createHash } from 'node:crypto'
import pg from 'pg'
import type { Config } from '../../config/config.ts'
import { type PlacedRow, readTogether, type Together } from './hot-reads/batch.ts'
import { openLanes } from './hot-reads/failover.ts'
import { type NamedStatement, openLane, type TakeBytes } from './hot-reads/pipeline.ts'

/** What a query function takes first: the pool or one transaction. */
export type Queryable = {
  /**
   * Runs one statement. The text is static, so each is prepared once a connection, under a name made from it. Of several
   * that are sent without waiting for each other, those of a transaction run in the order of the calls, and are one
   * round trip; when one fails, PostgreSQL refuses those after it. Wait for all of them with `Promise.all`.
   */
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
}

export type Tx = Queryable & {
  /** Undoes what `work` wrote, and only that, when it throws. */
  savepoint<T>(work: () => Promise<T>): Promise<T>
  /** Runs once the transaction is committed, and never if it is not. Must not throw: nothing can be undone any more. */
  afterCommit(act: () => void): void
}

export type Reader = Queryable & {
  /** For what every client asks for: one statement answers all who ask in one turn of the event loop. */
  readonly together: Together
  /**
   * Hands over each row of a statement with one column, as the bytes that the database sent. They are gone when `take`
   * returns, so it copies what it keeps.
   */
  eachRow(text: string, values: readonly unknown[], take: TakeBytes): Promise<void>
}

export type Db = Queryable & {
  /**
   * For the hot reads: a shared read-only connection with many statements under way, and a second one while it is held
   * up. That saves most of what a statement costs the driver; but one that waits holds up those behind it, so nothing
   * that can wait belongs here.
   */
  readonly reader: Reader
  /**
   * READ COMMITTED, whatever the database's default is: what is read under a lock must be newer than the wait for it.
   * Run again on a serialisation failure or a deadlock, so `work` must not act outside the database.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** REPEATABLE READ, READ ONLY: every statement sees the same moment, and nothing waits for it. */
  snapshot<T>(work: (db: Queryable) => Promise<T>): Promise<T>
  stop(): Promise<void>
}

/**
 * Sees every statement before it is sent, and may return a check of its rows. Tests throw from it on a breach of the rules
 * for sharding, and on a row that has not its declared shape.
 */
export type StatementObserver = (text: string) => ((rows: readonly unknown[]) => void) | undefined

const retriedStates = new Set(['40001', '40P01'])
/** An earlier statement of the transaction has failed, and this one was not looked at. */
const abortedState = '25P02'
const mostTries = 5
/** A statement or commit not answered by then has an unknown outcome, which is not the same as failed. */
const deadlineMilliseconds = 10_000

// int8 and numeric are money, ids and counts: bigint end to end.
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, parseBigInt)
types.setTypeParser(pg.types.builtins.NUMERIC, parseBigInt)

const limits = { types, query_timeout: deadlineMilliseconds, connectionTimeoutMillis: deadlineMilliseconds }

export function openDb(
  connection: { connectionString: string } | { host: string; port: number; user: string; database: string },
  config: Pick<Config, 'databasePoolSize' | 'databasePrepared'>,
  onIdleError: (error: Error) => void,
  observe: StatementObserver = () => undefined,
): Db {
  const pool = new pg.Pool({
    ...connection,
    ...limits,
    max: config.databasePoolSize,
    idleTimeoutMillis: 30_000,
    // Several statements of a transaction may be under way at once.
    pipeline: true,
  })
  let isStopping = false
  // Without a listener a stopping server would end the process. The pool hangs its client on the error, with keys of the
  // connection; and it forgets its connections before they are closed, so an end that we asked for is heard here too.
  pool.on('error', (error) => {
    if (!isStopping) onIdleError(Object.assign(error, { client: undefined }))
  })

  const names = new Map<string, string>()
  function nameOf(text: string): string {
    let name = names.get(text)
    if (name === undefined) {
      name = createHash('sha256').update(text).digest('base64url').slice(0, 24)
      names.set(text, name)
    }
    return name
  }

  async function run<Row>(
    client: pg.Pool | pg.PoolClient | pg.Client,
    text: string,
    values: readonly unknown[],
  ): Promise<Row[]> {
    const checkRows = observe(text)
    // The row type is what the caller's SQL selects; the flows prove each against the real database.
    const rows = config.databasePrepared
      ? await client.query({ name: nameOf(text), text, values: [...values] })
      : await client.query({ text, values: [...values] })
    checkRows?.(rows.rows)
    return rows.rows as Row[]
  }

  async function attempt<T>(begin: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    const client = await pool.connect()
    // The pool hears idle connections only: one that ends between two statements would end the process.
    client.on('error', onIdleError)
    let broken: Error | undefined
    let cause: unknown = null
    const acts: (() => void)[] = []
    try {
      await client.query(begin)
      const answer = await work({
        async query(text, values = []) {
          sendTogether(client)
          try {
            return await run(client, text, values)
          } catch (error) {
            // Of statements sent together the one that was refused may be heard of before the one that failed.
            if (cause === null || sqlState(error) !== abortedState) cause = error
            throw cause
          }
        },
        async savepoint(inner) {
          await client.query('savepoint work')
          const kept = acts.length
          try {
            const answer = await inner()
            await client.query('release savepoint work')
            return answer
          } catch (error) {
            acts.length = kept
            await client.query('rollback to savepoint work')
            cause = null
            throw error
          }
        },
        afterCommit(act) {
          acts.push(act)
        },
      })
      const { command } = await client.query('commit')
      // What PostgreSQL answers when a statement has failed, even if nobody here minded.
      if (command === 'ROLLBACK') throw cause
      for (const act of acts) act()
      return answer
    } catch (error) {
      await client.query('rollback').catch((failure: Error) => {
        broken = failure
      })
      throw error
    } finally {
      client.off('error', onIdleError)
      client.release(broken)
    }
  }

  const lanes = config.databasePrepared
    ? openLanes((onEnd) => openLane({ ...connection, ...limits }, onIdleError, onEnd))
    : null

  function named(text: string, values: readonly unknown[]): NamedStatement {
    observe(text)
    return { name: nameOf(text), text, values }
  }

  const reader: Reader = lanes
    ? {
        together: readTogether(async (text, values) =>
          lanes.send((lane) => {
            const rows = lane.rows<PlacedRow>(named(text, values))
            // This turn is over: the next one brings other requests.
            lane.flush()
            return rows
          }),
        ),
        query: (text, values = []) => lanes.send((lane) => lane.rows(named(text, values))),
        eachRow: (text, values, take) => lanes.send((lane) => lane.eachRow(named(text, values), take)),
      }
    : {
        together: readTogether((text, values) => run(pool, text, values)),
        query: (text, values = []) => run(pool, text, values),
        async eachRow(text, values, take) {
          const rows = await run<object>(pool, text, values)
          for (const row of rows) {
            const bytes = Buffer.from(String(Object.values(row)[0]))
            take(bytes, 0, bytes.length)
          }
        },
      }

  return {
    // A statement by itself is a transaction, too.
    query: (text, values = []) => retried(() => run(pool, text, values)),
    reader,
    transaction: (work) => retried(() => attempt('begin isolation level read committed', work)),
    snapshot: (work) => attempt('begin isolation level repeatable read, read only', work),
    async stop() {
      isStopping = true
      await Promise.all([pool.end(), lanes?.end()])
    },
  }
}

/** Most figures of a balance are zero, which need not be read. */
function parseBigInt(text: string): bigint {
  return text === '0' ? 0n : BigInt(text)
}

/** PostgreSQL has undone all of it, and asks for it to be tried again. */
export async function retried<T>(act: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await act()
    } catch (error) {
      if (tries >= mostTries || !retriedStates.has(sqlState(error) ?? '')) throw error
    }
  }
}

/** What is asked before anybody waits leaves in one write, and wakes PostgreSQL up once. */
function sendTogether({ connection: { stream } }: pg.PoolClient): void {
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/** Whether the database could not be reached or did not answer in time: not the caller's fault, and worth a retry. */
export function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  // 08: connection exceptions; 57P: the server is stopping or starting; 53300: no connection free
  if (/^(08|57P|53300)/.test(sqlState(error) ?? '')) return true
  const code = 'code' in error ? error.code : null
  return (
    code === 'ECONNREFUSED' ||
    code === 'ECONNRESET' ||
    code === 'ENOENT' ||
    code === 'EPIPE' ||
    /^(Query read timeout|Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error)/.test(
      error.message,
    )
  )
}

/** The SQLSTATE of a database error; null for anything else. The only thing of it that code may branch on. */
function sqlState(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.code ?? null) : null
}
