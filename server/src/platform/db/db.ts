import { createHash } from 'node:crypto'
import pg from 'pg'
import type { Config } from '../../config/config.ts'
import { type Batch, type BatchRow, createBatch } from './hot-reads/batch.ts'
import { openFailover } from './hot-reads/failover.ts'
import {
  type ByteSink,
  type NamedStatement,
  openPipeline,
  type RowCheck,
  readOptions,
  SkippedRead,
} from './hot-reads/pipeline.ts'
import { openUserNodes } from './hot-reads/user-nodes.ts'
import { connectionAt, customPlans, type DataNode, findNodes, genericPlans, onlyNode } from './nodes.ts'
import { type Shortage, watchShortages } from './shortage.ts'
import { sqlState } from './sql-state.ts'

/** The first parameter of a query function: the pool or one transaction. */
export type Queryable = {
  /**
   * Runs one statement. Its text is static, so each connection prepares it once, under a name derived from the text.
   *
   * Statements of a transaction may be sent without waiting for each other (`Promise.all`). They run in the order of
   * the calls and take one round trip. When one fails, PostgreSQL rejects those after it. A transaction that begins
   * with a `select` sends it together with `begin`.
   */
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
}

export type Tx = Queryable & {
  /**
   * Sends a statement without waiting for it, so that the next statement or the commit shares its round trip. If it
   * fails, they fail with its error.
   */
  send(text: string, values?: readonly unknown[]): void
  /** Runs `work` in a savepoint: rolls back its writes, and only those, when it throws. */
  savepoint<T>(work: () => Promise<T>): Promise<T>
  /** Registers an action that runs after the commit, and never after a rollback. It must not throw. */
  afterCommit(act: () => void): void
}

/** If the first parameter of a statement is a user, a cluster reads at the node of that user. */
export type HotReader = Queryable & {
  /** Runs all reads of one SQL text that arrive in one turn of the event loop as one statement. */
  readonly batch: Batch
  /**
   * Passes each row of a statement with one column to `sink`, as the bytes that the database sent. The memory is reused
   * after the call, so `sink` copies what it needs.
   */
  eachRow(text: string, values: readonly unknown[], sink: ByteSink): Promise<void>
}

export type Db = Queryable & {
  /**
   * Reads over one shared, read-only, pipelined connection, on a cluster one for each node: see hot-reads/README.md. A
   * slow statement delays those behind it, so statements that can wait for a lock do not belong here. Repeats a read
   * that PostgreSQL aborted, unless the caller has already received rows.
   */
  readonly reader: HotReader
  /**
   * Runs `work` in a READ COMMITTED transaction, regardless of the database's default: a read under a lock must see the
   * writes of the lock's previous holder. Retries on a serialization failure or a deadlock, so `work` must have no
   * effect outside the database.
   *
   * With a `userId`, a cluster runs the transaction at the node of the user, so its statements take no detour. Such a
   * transaction may use only tables that are split by a key or copied to all nodes. It also works after a move of the
   * user's shard.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, userId?: string): Promise<T>
  /**
   * Runs `work` in a REPEATABLE READ, READ ONLY transaction: all statements see one snapshot, and nothing waits for it.
   */
  snapshot<T>(work: (db: Queryable) => Promise<T>): Promise<T>
  /**
   * Returns the nodes that have rows of the tables, as of now: moving a shard changes them. A plain database is one
   * node.
   */
  nodes(tables: readonly string[]): Promise<readonly DataNode[]>
  /**
   * Returns the reason for which the database rejected writes or connections in the last 30 seconds; null: it did not.
   */
  shortage(): Shortage | null
  /** Returns the number of connections of the pool by state, and of transactions that are waiting for one. */
  connections(): PoolConnections
  stop(): Promise<void>
}

export type PoolConnections = Readonly<Record<'idle' | 'busy' | 'waiting', number>>

/**
 * Called with every statement before it is sent, and may return a check of its rows. The tests use it to enforce the
 * sharding rules, the lists of states and the declared row shapes.
 */
export type StatementObserver = (text: string, values: readonly unknown[]) => RowCheck | undefined

const retriedStates = new Set(['40001', '40P01'])
/** A migration invalidates prepared plans. Because of it, PostgreSQL may also abort or cancel a read. */
const repeatedReadStates = new Set([...retriedStates, '0A000', '57014'])
/** Errors of a cluster while a shard moves: internal errors, missing objects and wrong states. */
const nodeFaults = /^(XX|42|55)/
/** The SQLSTATE of a statement that was skipped because an earlier one of its transaction failed. */
const abortedState = '25P02'
const maxTries = 5
const maxReads = 3
/** The deadline of a statement or commit. A commit that exceeds it has an unknown outcome; it may have succeeded. */
const deadlineMilliseconds = 10_000

// int8 and numeric hold money, ids and counts: they are bigint throughout.
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, BigInt)
types.setTypeParser(pg.types.builtins.NUMERIC, BigInt)

const limits = { types, query_timeout: deadlineMilliseconds, connectionTimeoutMillis: deadlineMilliseconds }

export function openDb(
  connection: pg.ClientConfig,
  config: Pick<Config, 'databasePoolSize' | 'databasePrepared' | 'databaseDistributed'>,
  onIdleError: (error: Error) => void,
  observe: StatementObserver = () => undefined,
  onShortage: (shortage: Shortage) => void = () => {},
): Db {
  const shortages = watchShortages(onShortage)
  let isStopping = false
  function openPool(to: pg.ClientConfig, max: number): pg.Pool {
    // Several statements of a transaction may be in flight at once.
    const opened = new pg.Pool({ ...to, ...limits, max, idleTimeoutMillis: 30_000, pipeline: true })
    // Without a listener, a stopping PostgreSQL would end the process. The pool attaches its client, with the
    // connection's secrets, to the error: that must not be logged. While the pool stops, it reports connections that we
    // closed ourselves.
    opened.on('error', (error) => {
      if (!isStopping) onIdleError(Object.assign(error, { client: undefined }))
    })
    return opened
  }
  const pool = openPool(connection, config.databasePoolSize)

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
    const checkRows = observe(text, values)
    // The row type matches the caller's SQL; the flow tests prove each against the real database.
    const rows = config.databasePrepared
      ? await client.query({ name: nameOf(text), text, values: [...values] })
      : await client.query({ text, values: [...values] })
    checkRows?.(rows.rows, rows.fields)
    return rows.rows as Row[]
  }

  /**
   * Returns a connection with a listener for its errors. The pool listens to idle connections only. Without a listener,
   * a connection lost between two statements ends the process. Adding it after a promise of the pool would be too late:
   * PostgreSQL may send its last response and the end of the connection in one packet.
   */
  function connect(to: pg.Pool): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      to.connect((error, client) => {
        if (client === undefined) return reject(error)
        client.on('error', onIdleError)
        resolve(client)
      })
    })
  }

  /** Connects to the node of the user. Returns null on a plain database, and while the node cannot be reached. */
  async function connectToNode(userId: string | undefined): Promise<pg.PoolClient | null> {
    const node = userId === undefined ? null : (userNodes?.nodeOf(userId) ?? null)
    if (node === null) return null
    try {
      return await connect(poolAt(node, config.databasePoolSize, customPlans))
    } catch (error) {
      userNodes?.pause(error)
      return null
    }
  }

  async function attempt<T>(client: pg.PoolClient, begin: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    let broken: Error | undefined
    let cause: unknown = null
    const afterCommit: (() => void)[] = []
    const sent: Promise<unknown>[] = []
    corkUntilNextTick(client)
    const begun = client.query(begin)
    // The first statement reports a failure.
    begun.catch(() => {})
    let isFirst = true

    async function send<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
      // Only a read may follow `begin` unconfirmed: if `begin` failed, a write would be committed alone.
      const isConfirmed = !isFirst || !isRead(text)
      isFirst = false
      if (isConfirmed) await begun
      corkUntilNextTick(client)
      try {
        const rows = await run<Row>(client, text, values)
        await begun
        return rows
      } catch (error) {
        // Of several statements in flight, a skipped one may settle before the one that failed.
        if (cause === null || sqlState(error) !== abortedState) cause = error
        throw cause
      }
    }

    try {
      const result = await work({
        query: (text, values = []) => send(text, values),
        send(text, values = []) {
          const outcome = send(text, values)
          outcome.catch(() => {})
          sent.push(outcome)
        },
        async savepoint(inner) {
          isFirst = false
          await begun
          await client.query('savepoint work')
          const before = { acts: afterCommit.length, sent: sent.length }
          try {
            const result = await inner()
            await client.query('release savepoint work')
            return result
          } catch (error) {
            afterCommit.length = before.acts
            await client.query('rollback to savepoint work')
            await Promise.allSettled(sent.splice(before.sent))
            const failure = sqlState(error) === abortedState ? cause : error
            cause = null
            throw failure
          }
        },
        afterCommit(act) {
          afterCommit.push(act)
        },
      })
      await begun
      corkUntilNextTick(client)
      const { command } = await client.query('commit')
      const outcomes = await Promise.allSettled(sent)
      // PostgreSQL rolls back when any statement has failed, even if its error was ignored.
      if (command === 'ROLLBACK') throw cause
      // A statement that never reached PostgreSQL could not abort the transaction.
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
      for (const act of afterCommit) act()
      return result
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

  /**
   * Runs a transaction at the node of the user. Repeats it at the coordinator if the node rejects a statement, which a
   * moving shard can cause: the rejected transaction has written nothing.
   */
  async function transact<T>(work: (tx: Tx) => Promise<T>, userId: string | undefined): Promise<T> {
    const begin = 'begin isolation level read committed'
    const atNode = await connectToNode(userId)
    if (atNode === null) return attempt(await connect(pool), begin, work)
    try {
      return await attempt(atNode, begin, work)
    } catch (error) {
      if (!nodeFaults.test(sqlState(error) ?? '')) throw error
      userNodes?.pause(error)
      return attempt(await connect(pool), begin, work)
    }
  }

  const queryOf = (of: pg.Pool): Queryable['query'] => {
    // A single statement is a transaction too.
    return (text, values = []) => shortages.watch(retried(() => run(of, text, values)))
  }
  const reading = { ...connection, ...limits, hasGenericPlans: !config.databaseDistributed }
  const pipelines = config.databasePrepared ? openFailover((onEnd) => openPipeline(reading, onIdleError, onEnd)) : null

  function named(text: string, values: readonly unknown[]): NamedStatement {
    return { name: nameOf(text), text, values, checkRows: observe(text, values) }
  }

  const whole: Queryable = { query: queryOf(pool) }
  const wholeReader: HotReader = pipelines
    ? {
        batch: createBatch((text, values) =>
          repeated(() =>
            pipelines.send((pipeline) => {
              const rows = pipeline.rows<BatchRow>(named(text, values))
              // The batch was collected over a whole turn already.
              pipeline.flush()
              return rows
            }),
          ),
        ),
        query: (text, values = []) => repeated(() => pipelines.send((pipeline) => pipeline.rows(named(text, values)))),
        eachRow(text, values, sink) {
          let hasRows = false
          const counted: ByteSink = (bytes, start, end) => {
            hasRows = true
            sink(bytes, start, end)
          }
          const read = () => pipelines.send((pipeline) => pipeline.eachRow(named(text, values), counted))
          return repeated(read, () => !hasRows)
        },
      }
    : {
        batch: createBatch((text, values) => repeated(() => run(pool, text, values))),
        query: (text, values = []) => repeated(() => run(pool, text, values)),
        async eachRow(text, values, sink) {
          const rows = await repeated(() => run<object>(pool, text, values))
          for (const row of rows) {
            const bytes = Buffer.from(String(Object.values(row)[0]))
            sink(bytes, 0, bytes.length)
          }
        },
      }

  const userNodes =
    config.databasePrepared && config.databaseDistributed
      ? openUserNodes({
          coordinator: whole,
          whole: wholeReader,
          open(address) {
            const settings = {
              ...connectionAt(connection, address, `${genericPlans} ${readOptions}`),
              ...limits,
              hasGenericPlans: true,
            }
            return openFailover((onEnd) => openPipeline(settings, onIdleError, onEnd))
          },
          nameOf,
          checkOf: observe,
          onError: onIdleError,
        })
      : null

  /** Pools of the other nodes of a cluster. After a node has left, its pool closes the idle connections. */
  const nodePools = new Map<string, pg.Pool>()
  function poolAt(address: { host: string; port: number }, max: number, options: string): pg.Pool {
    const key = `${address.host}:${address.port} ${options}`
    const nodePool = nodePools.get(key) ?? openPool(connectionAt(connection, address, options), max)
    nodePools.set(key, nodePool)
    return nodePool
  }

  return {
    ...whole,
    reader: userNodes?.reader ?? wholeReader,
    nodes: async (tables) =>
      config.databaseDistributed
        ? findNodes(whole, (address) => queryOf(poolAt(address, 1, genericPlans)), tables)
        : [onlyNode(whole)],
    transaction: (work, userId) => shortages.watch(retried(() => transact(work, userId))),
    snapshot: async (work) => attempt(await connect(pool), 'begin isolation level repeatable read, read only', work),
    shortage: shortages.current,
    connections: () => ({
      idle: pool.idleCount,
      busy: pool.totalCount - pool.idleCount,
      waiting: pool.waitingCount,
    }),
    async stop() {
      isStopping = true
      await Promise.all([
        pool.end(),
        pipelines?.end(),
        userNodes?.end(),
        ...[...nodePools.values()].map((each) => each.end()),
      ])
    },
  }
}

/**
 * Returns the database inside a running transaction. A use case that begins a transaction of its own joins this one.
 */
export function joinTransaction(db: Db, tx: Tx): Db {
  return { ...db, query: (text, values) => tx.query(text, values), transaction: (work) => work(tx) }
}

/** Retries `act` when PostgreSQL rolled it back because of a serialization failure or a deadlock. */
export async function retried<T>(act: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await act()
    } catch (error) {
      if (tries >= maxTries || !retriedStates.has(sqlState(error) ?? '')) throw error
    }
  }
}

/** Repeats a read that PostgreSQL aborted, while `mayRepeat` permits it. */
function repeated<T>(read: () => Promise<T>, mayRepeat = () => true, tries = 1): Promise<T> {
  return read().catch((error: unknown) => {
    const isAborted = error instanceof SkippedRead || repeatedReadStates.has(sqlState(error) ?? '')
    if (!isAborted || tries >= maxReads || !mayRepeat()) throw error
    return repeated(read, mayRepeat, tries + 1)
  })
}

/** Returns whether the statement only reads. A function that writes is never the first statement of a transaction. */
function isRead(text: string): boolean {
  return /^\s*(--[^\n]*\n\s*)*select\b/i.test(text)
}

/** Collects the statements of this tick in one write. */
function corkUntilNextTick({ connection: { stream } }: pg.PoolClient): void {
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/** The system's codes for a server that cannot be reached, and for a host name that cannot be resolved. */
const networkFailures: ReadonlySet<unknown> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'ENOENT'],
])

/** Returns whether the database was unreachable or did not respond in time, so that a retry may succeed. */
export function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  // 08: connection exceptions; 57P: the server is stopping or starting; 57014: a statement was canceled, as by a
  // timeout; 53300: too many connections
  if (/^(08|57P|57014|53300)/.test(sqlState(error) ?? '')) return true
  return (
    ('code' in error && networkFailures.has(error.code)) ||
    /^(Query read timeout|Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error)/.test(
      error.message,
    )
  )
}
