import pg from 'pg'
import type { Config } from '../../config/config.ts'
import { StartError } from '../../lib/errors.ts'
import { type Db, openDb, type PoolConnections, type StatementObserver } from './db.ts'
import { roleName } from './grants.ts'
import type { DatabaseRole } from './privileges.ts'

export type Connection =
  | { connectionString: string; options?: string }
  | { host: string; port: number; user: string; database: string }

/** The database as each part of the service sees it. */
export type Databases = {
  /** Returns the database under a role. Connects when it is first used. */
  as(role: DatabaseRole): Db
  /** Returns the connections of each open pool. Without roles there is one pool, named `all`. */
  connections(): ReadonlyMap<string, PoolConnections>
  stop(): Promise<void>
}

/**
 * Opens the database under the roles. Without `DATABASE_ROLES`, a configured DATABASE_URL is used unchanged, and all
 * roles share its connections.
 */
export function openDatabases(
  connection: Connection,
  config: Pick<Config, 'databasePoolSize' | 'databasePrepared' | 'databaseDistributed' | 'databaseRoles'>,
  onIdleError: (error: Error) => void,
  observe?: StatementObserver,
  onShortage?: Parameters<typeof openDb>[4],
): Databases {
  const opened = new Map<string, Db>()
  return {
    as(role) {
      const key = isUnderRoles(connection, config) ? role : 'all'
      const known = opened.get(key)
      if (known) return known
      const db = openDb(connectionAs(connection, config, role), config, onIdleError, observe, onShortage)
      opened.set(key, db)
      return db
    },
    connections: () => new Map([...opened].map(([role, db]) => [role, db.connections()])),
    async stop() {
      await Promise.all([...opened.values()].map((db) => db.stop()))
    },
  }
}

/** The embedded PostgreSQL trusts every user of its socket, so it always has the roles. */
function isUnderRoles(connection: Connection, { databaseRoles }: Pick<Config, 'databaseRoles'>): boolean {
  return 'host' in connection || databaseRoles
}

function connectionAs(connection: Connection, config: Pick<Config, 'databaseRoles'>, role: DatabaseRole): Connection {
  if (!isUnderRoles(connection, config)) return connection
  if ('host' in connection) return { ...connection, user: roleName(role) }
  return { ...connection, options: `-c role=${roleName(role)}` }
}

/** Checks that each connection really has its role, because options in DATABASE_URL override those of Purser. */
export async function requireRoles(
  connection: Connection,
  config: Pick<Config, 'databaseRoles'>,
  roles: readonly DatabaseRole[],
): Promise<void> {
  if (!isUnderRoles(connection, config)) return
  for (const role of roles) {
    const actual = await currentUser(connectionAs(connection, config, role))
    if (actual === roleName(role)) continue
    throw new StartError(
      `DATABASE_ROLES is on, but PostgreSQL does not grant the role ${roleName(role)}: ${actual}. Run the output of "npm run db:roles", and remove options from DATABASE_URL.`,
    )
  }
}

/** Returns the role of the connection, or the reason why PostgreSQL rejects it. */
async function currentUser(connection: Connection): Promise<string> {
  const client = new pg.Client(connection)
  try {
    await client.connect()
    const { rows } = await client.query<{ name: string }>('select current_user as name')
    return rows.map(({ name }) => name).join()
  } catch (error) {
    if (error instanceof pg.DatabaseError) return error.message
    throw error
  } finally {
    await client.end()
  }
}
