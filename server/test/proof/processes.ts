import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createDatabase, migrate } from '../../src/platform/db/migrate.ts'
import { startEmbeddedPostgres } from '../../src/sandbox/embedded-postgres.ts'
import { bundled } from '../support/bundle.ts'
import { databaseUrl } from '../support/database-url.ts'
import { freePort } from '../support/free-port.ts'
import { fewConnections, processEnv } from '../support/process-env.ts'

/** Real processes that a test may kill. A test kills only the processes that it started, by their handles. */

export type Connection = { host: string; port: number; user: string; database: string }

export type Postgres = {
  readonly connection: Connection
  /** Kills the postmaster with SIGKILL. Unflushed data is lost. */
  kill(): Promise<void>
  /** Shuts PostgreSQL down cleanly, as an operator would. */
  halt(): Promise<void>
  start(): Promise<void>
  remove(): Promise<void>
}

/** Starts a durable PostgreSQL in a new folder. Its acknowledged commits are on disk. */
export async function startPostgres(): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), 'purser-kills-'))
  let server = await startEmbeddedPostgres(folder)
  const { connection } = server
  await createDatabase(connection)
  await migrate(connection)
  return {
    connection,
    async kill() {
      const pid = Number((await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8')).split('\n', 1)[0])
      process.kill(pid, 'SIGKILL')
      await server.stop()
    },
    halt: () => server.stop(),
    async start() {
      for (const until = performance.now() + 300_000; ; await delay(100)) {
        try {
          server = await startEmbeddedPostgres(folder)
          return
        } catch (error) {
          // The sessions of a killed server end one by one, and hold its shared memory until then.
          if (performance.now() > until) throw error
        }
      }
    },
    async remove() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export type Process = {
  readonly url: string
  readonly child: ChildProcess
  kill(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>
}

/** Starts the real service on a database and waits until it is ready. `main` may name another version. */
export async function startProcess(
  connection: Connection,
  env: Record<string, string> = {},
  main = bundled('main'),
): Promise<Process> {
  const ownPort = env['PORT'] ?? String(await freePort())
  const child = spawn(process.execPath, [main], {
    env: {
      ...processEnv,
      ...fewConnections,
      DATABASE_URL: databaseUrl(connection),
      DATABASE_ROLES: 'on',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'fatal',
      ...env,
      PORT: ownPort,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const isEnded = () => child.exitCode !== null || child.signalCode !== null
  for (const until = performance.now() + 120_000; !output.includes('Purser is ready'); await delay(20)) {
    if (isEnded() || performance.now() > until) throw new Error(`the service did not start: ${output}`)
  }
  return {
    url: `http://127.0.0.1:${ownPort}`,
    child,
    async kill(signal = 'SIGKILL') {
      if (isEnded()) return
      const ended = once(child, 'exit')
      child.kill(signal)
      await ended
    },
  }
}

export type Wire = {
  readonly connection: Connection
  /**
   * Returns the statements and round trips since the last call. Statements that are sent together share a round trip.
   */
  takeCounts(): WireCounts
  /** Calls back once PostgreSQL has committed a writing transaction. The service never receives the response. */
  onCommit(callback: () => void): void
  /** Drops all data in both directions until `speak`. The connections stay open. */
  silence(): void
  speak(): void
  stop(): Promise<void>
}

type WireCounts = { statements: number; roundTrips: number }

/**
 * Returns a function that counts the statements in the next bytes of a connection. It keeps an incomplete message for
 * the next call.
 */
function statementCounter(): (chunk: Buffer) => number {
  let rest = Buffer.alloc(0)
  let isStarted = false
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    let statements = 0
    for (;;) {
      // The first message has no type. The others begin with one: `Q` for a simple statement, `E` to execute a prepared
      // one.
      const head = isStarted ? 1 : 0
      if (rest.length < head + 4) return statements
      const end = head + rest.readUInt32BE(head)
      if (rest.length < end) return statements
      if (isStarted && 'QE'.includes(String.fromCharCode(rest[0] ?? 0))) statements++
      isStarted = true
      rest = rest.subarray(end)
    }
  }
}

/** Starts a proxy between the service and PostgreSQL that reads their protocol. */
export async function tapWire({ host, port, user, database }: Connection): Promise<Wire> {
  const sockets = new Set<Socket>()
  let committed: (() => void) | null = null
  let isSilent = false
  let counts: WireCounts = { statements: 0, roundTrips: 0 }
  const server = createServer((service) => {
    const postgres = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    let hasWritten = false
    const countStatements = statementCounter()
    let isResponding = true
    for (const [from, to] of [
      [service, postgres],
      [postgres, service],
    ] as const) {
      sockets.add(from)
      from.on('error', () => to.destroy()).on('close', () => to.destroy())
      from.on('data', (chunk) => {
        const isResponse = from === postgres
        if (!isResponse) {
          counts.statements += countStatements(chunk)
          if (isResponding) counts.roundTrips++
        }
        isResponding = isResponse
        // PostgreSQL ends each command with its tag, such as "INSERT 0 1" or "COMMIT". The result column of a call has
        // the name of its SQL function.
        if (isResponse && /INSERT 0 1|record_card_message/.test(chunk.toString('latin1'))) hasWritten = true
        if (isResponse && hasWritten && chunk.includes('COMMIT\0')) {
          hasWritten = false
          const callback = committed
          committed = null
          // The service does not receive the response.
          if (callback !== null) return callback()
        }
        if (isSilent) return
        to.write(chunk)
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    connection: { host: '127.0.0.1', port: (server.address() as AddressInfo).port, user, database },
    takeCounts() {
      const taken = counts
      counts = { statements: 0, roundTrips: 0 }
      return taken
    },
    onCommit(callback) {
      committed = callback
    },
    silence() {
      isSilent = true
    },
    speak() {
      isSilent = false
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
