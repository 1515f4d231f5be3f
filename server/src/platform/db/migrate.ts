import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { Mode } from '../../config/setting.ts'
import { StartError } from '../../lib/errors.ts'
import { type Db, retried } from './db.ts'
import { renderGrants, renderRoles, roleName } from './grants.ts'
import { databaseRoles } from './privileges.ts'
import type { Connection } from './roles.ts'

const folder = fileURLToPath(new URL('migrations', import.meta.url))
const table = 'applied_migration'

/** In the format of `server_version_num`. The test suite runs on this version and newer ones. */
const minServerVersion = 150_000

/**
 * Creates the database and the roles unless they exist. The roles may connect, because only the owner of the socket can
 * reach the server.
 */
export async function createDatabase(connection: Extract<Connection, { host: string }>): Promise<void> {
  const client = new pg.Client({ ...connection, database: 'postgres' })
  await client.connect()
  try {
    const found = await client.query('select 1 from pg_database where datname = $1', [connection.database])
    if (found.rowCount === 0) await client.query(`create database ${client.escapeIdentifier(connection.database)}`)
    await client.query(renderRoles('login'))
  } finally {
    await client.end()
  }
}

/** An arbitrary key. Processes that start at the same time wait on this lock for the one that migrates. */
const migrationLock = '7241865325823964'

/**
 * The longest wait for a table lock. All other statements on the table queue behind a waiting migration, including
 * those of a card message with a deadline of a second. So it gives up early at first, waits longer with each try, and
 * retries for some minutes, until a long transaction such as a dump has ended.
 */
const lockMilliseconds = { first: 200, max: 2000 }
const retryMilliseconds = 1000
const maxTries = 100

/** Applies all new migrations in order in one transaction. Retries after a deadlock with the previous version. */
export async function migrate(connection: Connection): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await retried(() => applyNew(connection, Math.min(lockMilliseconds.max, tries * lockMilliseconds.first)))
    } catch (error) {
      if (!(error instanceof pg.DatabaseError && error.code === '55P03')) throw error
      if (tries >= maxTries) {
        throw new StartError(
          `A migration cannot lock a table that a long transaction uses: ${error.message}. Find the transaction in pg_stat_activity and end it.`,
        )
      }
      await delay(retryMilliseconds)
    }
  }
}

async function applyNew(connection: Connection, lockTimeout: number): Promise<void> {
  const client = await connectTo(connection)
  try {
    await requirePrimary(client)
    await requireCoordinator(client)
    // Migrations of the lock's previous holder must be visible, regardless of the default isolation level.
    await client.query('begin isolation level read committed')
    await client.query('select pg_advisory_xact_lock($1)', [migrationLock])
    await client.query(`set local lock_timeout = '${lockTimeout}'`)
    await client.query(`do $$ begin if to_regclass('${table}') is null then
      create table ${table} (id serial primary key, name varchar(255) not null, run_on timestamp not null);
    end if; end $$`)
    const { rows } = await client.query<{ name: string }>(`select name from ${table} order by name`)
    const applied = new Set(rows.map(({ name }) => name))
    const latest = rows.at(-1)?.name ?? ''
    const own = await migrationNames()
    for (const name of own.filter((name) => !applied.has(name))) {
      if (name < latest)
        throw new Error(`migration ${name} is new, but ${latest} is already applied: give the new one a higher number`)
      await client.query(await readFile(join(folder, `${name}.sql`), 'utf8'))
      await client.query(`insert into ${table} (name, run_on) values ($1, $2)`, [name, new Date()])
    }
    // An older version that restarts during an upgrade must not revoke the privileges that the next one has granted.
    if (rows.every(({ name }) => own.includes(name))) await grantIfChanged(client)
    await client.query('commit')
  } finally {
    // Ending the connection rolls back an open transaction.
    await client.end()
  }
}

async function connectTo(connection: Connection): Promise<pg.Client> {
  const client = new pg.Client(connection)
  await client.connect().catch((error: Error & { code?: string }) => {
    // For a host name with several addresses, the message is empty.
    const reason = error.message || error.code
    throw new StartError(
      error instanceof pg.DatabaseError
        ? `PostgreSQL rejected the connection: ${reason}. Check the user, password and database in DATABASE_URL.`
        : `Purser cannot reach PostgreSQL: ${reason}. Start it, or correct the host and port in DATABASE_URL.`,
    )
  })
  return client
}

/**
 * Returns the mode of the programme that the database belongs to; null: it has none. Migrations need not be applied.
 */
export async function readStoredMode(connection: Connection): Promise<Mode | null> {
  const client = await connectTo(connection)
  try {
    const found = await client.query<{ exists: boolean }>(`select to_regclass('programme') is not null as exists`)
    if (!found.rows[0]?.exists) return null
    const { rows } = await client.query<{ mode: Mode }>('select mode from programme where id = 1')
    return rows[0]?.mode ?? null
  } finally {
    await client.end()
  }
}

/**
 * Grants the roles their privileges if all roles exist and the privileges have changed since the last time. The hash of
 * the granted privileges is stored as the comment of a table, so that it is restored with the database.
 */
async function grantIfChanged(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ granted: string | null; owned: boolean; roles: string }>(
    `select obj_description(oid, 'pg_class') as granted, pg_has_role(relowner, 'usage') as owned,
       (select count(*) from pg_roles where rolname = any($2)) as roles
     from pg_class where oid = to_regclass($1)`,
    [table, databaseRoles.map(roleName)],
  )
  const [found] = rows
  const grants = renderGrants()
  const hash = createHash('sha256').update(grants).digest('hex')
  if (!found?.owned || Number(found.roles) < databaseRoles.length || found.granted === hash) return
  await client.query(`${grants} comment on table ${table} is '${hash}'`)
}

async function requirePrimary(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: string; name: string; isStandby: boolean }>(
    `select current_setting('server_version_num') as number, current_setting('server_version') as name,
       pg_is_in_recovery() as "isStandby"`,
  )
  const [version] = rows
  if (version?.isStandby) throw new StartError('DATABASE_URL names a standby, which rejects writes. Use the primary.')
  if (!version || Number(version.number) >= minServerVersion) return
  throw new StartError(
    `DATABASE_URL must name a server with PostgreSQL ${minServerVersion / 10_000} or newer, not ${version.name}. Upgrade the server.`,
  )
}

/** A worker of a cluster gets its tables from the coordinator. */
async function requireCoordinator(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ isInCluster: boolean }>(
    `select to_regproc('citus_is_coordinator') is not null as "isInCluster"`,
  )
  if (!rows[0]?.isInCluster) return
  const nodes = await client.query<{ isCoordinator: boolean }>('select citus_is_coordinator() as "isCoordinator"')
  if (nodes.rows[0]?.isCoordinator) return
  throw new StartError('DATABASE_URL names a worker of the cluster. Migrations run on the coordinator only.')
}

async function migrationNames(): Promise<string[]> {
  return (await readdir(folder)).map((file) => file.replace(/\.sql$/, '')).sort()
}

/** Returns whether the database has every migration of this build. */
export async function isMigrated(db: Db): Promise<boolean> {
  return (await compareMigrations(db)).missing.length === 0
}

/** Returns the migrations of this build that the database lacks, and those that it has from a newer build. */
export async function compareMigrations(db: Db): Promise<{ missing: string[]; unknown: string[] }> {
  const own = await migrationNames()
  const found = await db.query<{ exists: boolean }>(`select to_regclass('${table}') is not null as exists`)
  const rows = found[0]?.exists ? await db.query<{ name: string }>(`select name from ${table} order by name`) : []
  const applied = rows.map(({ name }) => name)
  return {
    missing: own.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !own.includes(name)),
  }
}
