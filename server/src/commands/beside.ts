import type { Config } from '../config/config.ts'
import { StartError } from '../lib/errors.ts'
import type { Db } from '../platform/db/db.ts'
import type { DatabaseRole } from '../platform/db/privileges.ts'
import { openDatabases } from '../platform/db/roles.ts'
import { requireProgramme } from '../platform/programme/programme.ts'
import { embeddedConnection } from '../sandbox/embedded-postgres.ts'

/**
 * Runs a command beside the service, with its environment and its database, under a database role. Every command starts
 * here, except those that prepare the database, so that none works on a database of another mode.
 */
export async function besideService(
  config: Config,
  role: DatabaseRole,
  command: (opened: { config: Config; db: Db }) => Promise<void>,
): Promise<void> {
  const connection =
    config.databaseUrl === null ? embeddedConnection(config.dataDir) : { connectionString: config.databaseUrl }
  const databases = openDatabases(connection, config, () => {})
  const db = databases.as(role)
  try {
    await requireProgramme({ config, db }).catch((error: unknown) => {
      throw isMissingTable(error) ? new StartError(withoutTables) : error
    })
    await command({ config, db })
  } finally {
    await databases.stop()
  }
}

const withoutTables = 'The database does not have the tables of Purser. Run: purser migrate'

/** 42P01 is PostgreSQL's code `undefined_table`. */
const isMissingTable = (error: unknown) => Object(error).code === '42P01'
