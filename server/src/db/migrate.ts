import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { runner } from 'node-pg-migrate'
import pg from 'pg'
import type { Db } from './db.ts'

const folder = fileURLToPath(new URL('migrations', import.meta.url))
const table = 'applied_migration'

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

/** Applies what is new, in order; processes that start together wait for the one that applies. */
export async function migrate(connection: Connection): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await runner({
      dbClient: client,
      dir: folder,
      direction: 'up',
      migrationsTable: table,
      advisoryLockMode: 'wait',
      checkOrder: true,
      singleTransaction: true,
      verbose: false,
      log: () => {},
    })
  } finally {
    await client.end()
  }
}

/** Whether every migration of this build is in the database. */
export async function isMigrated(db: Db): Promise<boolean> {
  const names = (await readdir(folder)).map((file) => file.replace(/\.sql$/, ''))
  const applied = await db.query<{ name: string }>(`select name from ${table}`)
  const known = new Set(applied.map(({ name }) => name))
  return names.every((name) => known.has(name))
}
