import type { Config } from '../config/config.ts'
import { type Db, openDb } from '../platform/db/db.ts'
import { requireProgramme } from '../platform/programme/programme.ts'
import { embeddedConnection } from '../sandbox/embedded-postgres.ts'

/**
 * Runs a command beside the service, with its environment and its database. Every command starts here, so that none works
 * on a database of another mode.
 */
export async function besideService(
  config: Config,
  command: (opened: { config: Config; db: Db }) => Promise<void>,
): Promise<void> {
  const connection =
    config.databaseUrl === null ? embeddedConnection(config.dataDir) : { connectionString: config.databaseUrl }
  const db = openDb(connection, config, () => {})
  try {
    await requireProgramme({ config, db })
    await command({ config, db })
  } finally {
    await db.stop()
  }
}
