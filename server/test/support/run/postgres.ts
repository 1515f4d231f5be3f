import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { createDatabase, migrate } from '../../../src/platform/db/migrate.ts'
import { startEmbeddedPostgres } from '../../../src/sandbox/embedded-postgres.ts'
import { buildBundle } from '../bundle.ts'

export type TestServer = { host: string; port: number; user: string }

declare module 'vitest' {
  interface ProvidedContext {
    postgres: TestServer
  }
}

/** The migrated database that is copied for every test file, in about 30 ms. */
export const templateDatabase = 'purser_template'

/**
 * Builds the programs that tests start as processes. Starts one PostgreSQL for the whole run, either Purser's own or the
 * binaries that TEST_POSTGRES names. Its data is deleted afterwards, so it does not wait for the disk.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  buildBundle()
  const folder = await mkdtemp(join(tmpdir(), 'purser-test-'))
  const settings = { fsync: 'off', max_connections: '600', full_page_writes: 'off' }
  const binaries = process.env['TEST_POSTGRES']
  const postgres = await startEmbeddedPostgres(folder, { settings, ...(binaries && { binaries }) })
  const { host, port, user } = postgres.connection
  const template = { host, port, user, database: templateDatabase }
  await createDatabase(template)
  await migrate(template)
  project.provide('postgres', { host, port, user })
  return async () => {
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
