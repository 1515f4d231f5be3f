import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase } from '../../server/src/platform/db/migrate.ts'
import { startEmbeddedPostgres } from '../../server/src/sandbox/embedded-postgres.ts'

/**
 * Runs a PostgreSQL of its own for a check until SIGTERM, on a TCP port of this machine.
 * Run:  node deploy/checks/postgres.ts <port>
 */
const port = process.argv[2] ?? '5432'
const folder = await mkdtemp(join(tmpdir(), 'purser-check-'))
const stopped = once(process, 'SIGTERM')
const postgres = await startEmbeddedPostgres(join(folder, 'data'), {
  settings: { listen_addresses: '127.0.0.1', port, fsync: 'off' },
})
await createDatabase({ host: '127.0.0.1', port: Number(port), user: 'purser', database: 'purser' })
console.log('ready')
await stopped
await postgres.stop()
await rm(folder, { recursive: true, force: true })
