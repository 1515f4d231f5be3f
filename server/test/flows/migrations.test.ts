import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { newId } from '../../src/lib/id.ts'
import { type Db, openDb } from '../../src/platform/db/db.ts'
import { createDatabase, isMigrated, migrate } from '../../src/platform/db/migrate.ts'
import { embeddedConnection, startEmbeddedPostgres } from '../../src/sandbox/embedded-postgres.ts'
import { chooseLauncher, findBinaries } from '../../src/sandbox/postgres-launcher.ts'
import { createTestDatabase } from '../support/service.ts'

async function withEmptyDatabase(work: (connection: Parameters<typeof createDatabase>[0], db: Db) => Promise<void>) {
  const connection = { ...(await createTestDatabase()), database: `empty-${newId(new Date())}` }
  await createDatabase(connection)
  const db = openDb(connection, readConfig({}), () => {})
  try {
    await work(connection, db)
  } finally {
    await db.stop()
  }
}

test.each(['read committed', 'serializable'])(
  'processes that start together on an empty database, %s by default, apply each migration once',
  async (isolation) => {
    await withEmptyDatabase(async (connection, db) => {
      await db.query(`alter database "${connection.database}" set default_transaction_isolation = '${isolation}'`)
      await Promise.all([migrate(connection), migrate(connection), migrate(connection)])
      expect(await isMigrated(db)).toBe(true)
      const twice = await db.query('select name from applied_migration group by name having count(*) > 1')
      expect(twice).toEqual([])
    })
  },
)

test('a migration is retried if a deadlock with the previous version aborts it', async () => {
  await withEmptyDatabase(async (connection, db) => {
    const other = new pg.Client(connection)
    await other.connect()
    // Blocks the first migration, and detects deadlocks so late that PostgreSQL aborts the migration instead.
    await other.query(`begin; set local deadlock_timeout = '30s'; create table directory (n int)`)
    const migrated = migrate(connection)
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(async () => (await db.query(waiting)).length).toBe(1)
    await other.query('create table applied_migration (n int)')
    await other.query('rollback')
    await migrated
    expect(await isMigrated(db)).toBe(true)
    await other.end()
  })
})

// Takes as long as the first lock timeout of a migration and the delay before its next try.
test('a migration that waits for a long transaction releases the table to others and retries', async () => {
  await withEmptyDatabase(async (connection, db) => {
    await db.query(`create table applied_migration (id serial primary key, name varchar(255), run_on timestamp)`)
    const long = new pg.Client(connection)
    await long.connect()
    await long.query('begin; lock table applied_migration in share mode')
    let isDone = false
    const migrated = migrate(connection).then(() => {
      isDone = true
    })
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    const count = async () => (await db.query(waiting)).length
    await expect.poll(count).toBe(1)
    await expect.poll(count).toBe(0)
    expect(isDone).toBe(false)
    await long.query('rollback')
    await migrated
    expect(await isMigrated(db)).toBe(true)
    await long.end()
  })
})

test('a migration with a lower number than an applied one is rejected, and nothing is applied', async () => {
  await withEmptyDatabase(async (connection, db) => {
    await migrate(connection)
    await db.query(`delete from applied_migration where name = '0001-platform'`)
    await expect(migrate(connection)).rejects.toThrow('0001-platform is new')
    expect(await isMigrated(db)).toBe(false)
  })
})

test('a failed migration leaves nothing of itself or of those before it in the same start', async () => {
  await withEmptyDatabase(async (connection, db) => {
    // Makes the third migration fail.
    await db.query('create table ledger_balance (n int)')
    await expect(migrate(connection)).rejects.toMatchObject({ code: '42P07' })
    const tables = await db.query(`select tablename from pg_tables where schemaname = 'public'`)
    expect(tables).toEqual([{ tablename: 'ledger_balance' }])
  })
})

// A function of the same name overrides the version that the server reports.
test('a PostgreSQL that is too old is rejected with an explanation, before anything is written', async () => {
  await withEmptyDatabase(async (connection, db) => {
    await db.query('create schema old')
    await db.query(`create function old.current_setting(setting text) returns text language sql
      as $$ select case setting when 'server_version_num' then '140020' else '14.20' end $$`)
    const old = { ...connection, options: '-c search_path=old,pg_catalog,public' }
    await expect(migrate(old)).rejects.toThrow(
      'DATABASE_URL must name a server with PostgreSQL 15 or newer, not 14.20. Upgrade the server.',
    )
    expect(await db.query(`select from pg_tables where schemaname = 'public'`)).toEqual([])
  })
})

test('a standby as DATABASE_URL is rejected with an explanation', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'purser-standby-'))
  await (await startEmbeddedPostgres(folder)).stop()
  const cluster = join(folder, 'postgres')
  await writeFile(join(cluster, 'standby.signal'), '')
  const launcher = await chooseLauncher(findBinaries(), folder, false)
  const sockets = join(folder, 'run')
  const [command, args, ids] = launcher.command(join(launcher.binaries, 'bin/postgres'), [
    ...['-D', cluster, '-k', sockets, '-c', 'listen_addresses='],
  ])
  const standby = spawn(command, args, { ...ids, cwd: '/', stdio: 'ignore' })
  const ended = once(standby, 'exit')
  try {
    const connection = { ...embeddedConnection(folder), database: 'postgres' }
    await expect.poll(() => migrate(connection).catch(({ message }) => message)).toContain('names a standby')
  } finally {
    standby.kill('SIGINT')
    await ended
    await rm(folder, { recursive: true })
  }
})
