import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildProgram } from '../../../../cli/build-program.ts'
import { createDatabase, migrate } from '../../../src/platform/db/migrate.ts'
import { startEmbeddedPostgres } from '../../../src/sandbox/embedded-postgres.ts'
import { buildBundle, buildPages } from '../bundle.ts'
import { cliFolder } from '../cli.ts'
import { createClusterTemplate, dropTestDatabases, openCluster } from './cluster.ts'

export type TestServer = { host: string; port: number; user: string }

declare module 'vitest' {
  interface ProvidedContext {
    postgres: TestServer
    /** The workers of the cluster whose coordinator is `postgres`. Empty: it is a single server. */
    workers: TestServer[]
  }
}

/** The migrated database that is copied for every test file, in about 30 ms. */
export const templateDatabase = 'purser_template'

/**
 * Builds the pages, and the programs that tests start as processes. Starts one PostgreSQL for the whole run, either
 * Purser's own or the binaries that TEST_POSTGRES names. Its data is deleted afterwards, so it does not wait for the
 * disk. With TEST_CLUSTER, the run uses that Citus cluster instead.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  buildBundle()
  buildPages()
  // The service that `npm pack` has put beside the command line may be older than the sources.
  await rm(join(cliFolder, 'home'), { recursive: true, force: true })
  await buildProgram(cliFolder)
  const cluster = process.env['TEST_CLUSTER']
  if (cluster) return useCluster(project, cluster)
  const folder = await mkdtemp(join(tmpdir(), 'purser-test-'))
  const settings = {
    ...{ fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' },
    ...{ wal_level: 'minimal', max_wal_senders: '0', checkpoint_timeout: '1h', max_wal_size: '8GB' },
    // The workers of autovacuum would visit hundreds of small databases in turn, several each second.
    autovacuum: 'off',
    max_connections: '600',
  }
  const binaries = process.env['TEST_POSTGRES']
  const postgres = await startEmbeddedPostgres(folder, { settings, ...(binaries && { binaries }) })
  const { host, port, user } = postgres.connection
  const template = { host, port, user, database: templateDatabase }
  await createDatabase(template)
  await migrate(template)
  project.provide('postgres', { host, port, user })
  project.provide('workers', [])
  return async () => {
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function useCluster(project: TestProject, url: string): Promise<() => Promise<void>> {
  const nodes = await openCluster(url)
  await dropTestDatabases(nodes, [templateDatabase])
  await createClusterTemplate(nodes, templateDatabase)
  project.provide('postgres', nodes.coordinator)
  project.provide('workers', [...nodes.workers])
  return () => dropTestDatabases(nodes, [templateDatabase])
}
