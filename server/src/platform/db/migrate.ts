import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { StartError } from '../../lib/errors.ts'
import { type Db, retried } from './db.ts'

const folder = fileURLToPath(new URL('migrations', import.meta.url))
const table = 'applied_migration'

/** `server_version_num`: the schema and its statements are tried on each from here on. */
const oldestServer = 150_000

type Connection = { connectionString: string } | { host: string; port: number; user: string; database: string }

/** Makes the database when the server has none of that name. */
export async function createDatabase(connection: Exclude<Connection, { connectionString: string }>): Promise<void> {
  const client = new pg.Client({ ...connection, database: 'postgres' })
  await client.connect()
  try {
    const found = await client.query('select 1 from pg_database where datname = $1', [connection.database])
    if (found.rowCount === 0) await client.query(`create database ${client.escapeIdentifier(connection.database)}`)
  } finally {
    await client.end()
  }
}

/** Any number that nothing else locks: processes that start together wait here for the one that applies. */
const migrationLock = '7241865325823964'

/**
 * While a migration waits for a table, everybody else waits behind it: so it waits that long at most, gives way, and comes
 * again, until whoever reads the table for long (a check of the books, a dump) is done.
 */
const lockTimeout = '2s'
const betweenTriesMilliseconds = 1000
const mostTries = 100

/** Applies what is new, in order, all of it or nothing; again where it and the previous version waited for each other. */
export async function migrate(connection: Connection): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await retried(() => applyNew(connection))
    } catch (error) {
      if (!(error instanceof pg.DatabaseError && error.code === '55P03')) throw error
      if (tries >= mostTries) {
        throw new StartError(
          `A migration waits for a table that a long transaction holds; see pg_stat_activity: ${error.message}.`,
        )
      }
      await delay(betweenTriesMilliseconds)
    }
  }
}

async function applyNew(connection: Connection): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect().catch((error: Error & { code?: string }) => {
    // Where a name has several addresses, the message is empty.
    const reason = error.message || error.code
    throw new StartError(
      error instanceof pg.DatabaseError
        ? `PostgreSQL does not let Purser in: ${reason}. See user, password and database in DATABASE_URL.`
        : `No PostgreSQL answers: ${reason}. Start it, or see host and port in DATABASE_URL.`,
    )
  })
  try {
    await refuseOldServer(client)
    // What the one that had the lock before has applied must be seen, whatever the database's default is.
    await client.query('begin isolation level read committed')
    await client.query('select pg_advisory_xact_lock($1)', [migrationLock])
    await client.query(`set local lock_timeout = '${lockTimeout}'`)
    await client.query(
      `create table if not exists ${table} (id serial primary key, name varchar(255) not null, run_on timestamp not null)`,
    )
    const { rows } = await client.query<{ name: string }>(`select name from ${table} order by name`)
    const applied = new Set(rows.map(({ name }) => name))
    const latest = rows.at(-1)?.name ?? ''
    for (const name of (await migrationNames()).filter((name) => !applied.has(name))) {
      if (name < latest)
        throw new Error(`migration ${name} is new, but ${latest} is applied already: give it a higher number`)
      await client.query(await readFile(join(folder, `${name}.sql`), 'utf8'))
      await client.query(`insert into ${table} (name, run_on) values ($1, $2)`, [name, new Date()])
    }
    await client.query('commit')
  } finally {
    // A connection that ends takes what was not committed with it.
    await client.end()
  }
}

async function refuseOldServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: string; name: string }>(
    `select current_setting('server_version_num') as number, current_setting('server_version') as name`,
  )
  const [version] = rows
  if (!version || Number(version.number) >= oldestServer) return
  throw new StartError(
    `DATABASE_URL: the server is PostgreSQL ${version.name}, and Purser needs ${oldestServer / 10_000} or newer.`,
  )
}

async function migrationNames(): Promise<string[]> {
  return (await readdir(folder)).map((file) => file.replace(/\.sql$/, '')).sort()
}

/** Whether every migration of this build is in the database. */
export async function isMigrated(db: Db): Promise<boolean> {
  const names = await migrationNames()
  const applied = await db.query<{ name: string }>(`select name from ${table}`)
  const known = new Set(applied.map(({ name }) => name))
  return names.every((name) => known.has(name))
}
