import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { createDatabase, migrate } from '../server/src/platform/db/migrate.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../server/src/sandbox/embedded-postgres.ts'
import { databaseUrl } from '../server/test/support/database-url.ts'
import type { Connection } from './load.ts'
import { familyCpuSeconds } from './machine.ts'

export type Database = {
  readonly connection: EmbeddedPostgres['connection']
  readonly url: string
  /** For bulk loads, which exceed the service's deadline for a statement. */
  readonly client: pg.Client
  /** Returns the CPU time of the server and all its connections. */
  cpuSeconds(): number
  /** Creates another, empty database on the same server. */
  createPeerDatabase(name: string): Promise<string>
  stop(): Promise<void>
}

/** The settings that docs/operations.md recommends for a machine with 4 GB. All sides of a comparison share them. */
const serverSettings = { shared_buffers: '1GB', max_wal_size: '4GB', checkpoint_timeout: '15min' }

/** Starts PostgreSQL as the service does without DATABASE_URL: durable, and with the schema. */
export async function startDatabase(
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Database> {
  const server = await startEmbeddedPostgres(dataDir, { settings: { ...serverSettings, ...settings } })
  const { connection } = server
  await createDatabase(connection)
  await migrate(connection)
  const client = new pg.Client(connection)
  await client.connect()
  const pid = Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n', 1)[0])
  return {
    connection,
    url: databaseUrl(connection),
    client,
    cpuSeconds: () => familyCpuSeconds(pid),
    async createPeerDatabase(name) {
      await createDatabase({ ...connection, database: name })
      return databaseUrl({ ...connection, database: name })
    },
    async stop() {
      await client.end()
      await server.stop()
    },
  }
}

/** Runs `work` with a client that is closed afterwards. */
export async function withClient<T>(connection: Connection, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
