import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createDatabase, migrate } from '../../src/platform/db/migrate.ts'
import { startEmbeddedPostgres } from '../../src/sandbox/embedded-postgres.ts'
import { processEnv } from '../support/process-env.ts'

/** Real processes that a test may kill: only those that it has started itself, by their own handles. */

type Connection = { host: string; port: number; user: string; database: string }

export type Postgres = {
  readonly connection: Connection
  /** kill -9 of the postmaster; what it had not flushed is lost. */
  kill(): Promise<void>
  /** In order, as an operator would. */
  halt(): Promise<void>
  start(): Promise<void>
  remove(): Promise<void>
}

/** A durable PostgreSQL in a folder of its own: acknowledged means on disk. */
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
      for (const until = performance.now() + 60_000; ; await delay(100)) {
        try {
          server = await startEmbeddedPostgres(folder)
          return
        } catch (error) {
          // The sessions of a killed server notice its end one by one, and hold its memory until then.
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

/** The real service on a database, ready to be asked: this version of it, or one that stands elsewhere. */
export async function startProcess(
  { host, port, user, database }: Connection,
  env: Record<string, string> = {},
  main = join(import.meta.dirname, '../../src/main.ts'),
): Promise<Process> {
  const databaseUrl = `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
  const ownPort = env['PORT'] ?? String(await freePort())
  const child = spawn(process.execPath, [main], {
    env: {
      ...processEnv,
      DATABASE_URL: databaseUrl,
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

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

export type Wire = {
  readonly connection: Connection
  /** Calls back as soon as PostgreSQL has committed a transaction that wrote, before the service hears of it. */
  onCommit(callback: () => void): void
  /** Until it speaks again nothing gets through, either way, though all connections stay open. */
  silence(): void
  speak(): void
  stop(): Promise<void>
}

/** Stands between the service and PostgreSQL, and hears what the one says to the other. */
export async function tapWire({ host, port, user, database }: Connection): Promise<Wire> {
  const sockets = new Set<Socket>()
  let committed: (() => void) | null = null
  let isSilent = false
  const server = createServer((service) => {
    const postgres = connect(`${host}/.s.PGSQL.${port}`)
    let hasWritten = false
    for (const [from, to] of [
      [service, postgres],
      [postgres, service],
    ] as const) {
      sockets.add(from)
      from.on('error', () => to.destroy()).on('close', () => to.destroy())
      from.on('data', (chunk) => {
        const isAnswer = from === postgres
        // A command's end is told by its tag: "INSERT 0 1", "COMMIT".
        if (isAnswer && chunk.includes('INSERT 0 1')) hasWritten = true
        if (isAnswer && hasWritten && chunk.includes('COMMIT\0')) {
          hasWritten = false
          const callback = committed
          committed = null
          // What was heard is kept from the service.
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
