import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import pg from 'pg'
import { expect, test } from 'vitest'
import { type Cluster, distribute, distributeSql, placedTables, refusalOf } from '../../src/platform/db/distribute.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { bundled } from '../support/bundle.ts'
import { processEnv } from '../support/process-env.ts'
import { createTestDatabase, type TestService } from '../support/service.ts'

type Connection = TestService['connection']
const sql = readFileSync(distributeSql, 'utf8')
const placed = placedTables(sql)

async function run<Row extends object>(connection: Connection, text: string): Promise<Row[]> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

/** The functions of Citus that the command calls. They only record the calls. */
async function createCluster({ isCoordinator = true } = {}): Promise<Connection> {
  const connection = await createTestDatabase()
  await run(
    connection,
    `create table pg_dist_partition (logicalrelid regclass primary key, key text);
     create table pg_dist_object (name regprocedure primary key);
     create function citus_is_coordinator() returns boolean language sql as $$ select ${isCoordinator} $$;
     create function create_distributed_table(name regclass, key text, colocate_with text default 'default') returns void
       language sql as $$ insert into pg_dist_partition values (name, key) $$;
     create function create_reference_table(name regclass) returns void
       language sql as $$ insert into pg_dist_partition values (name, null) $$;
     create function create_distributed_function(name regprocedure, key text, colocate_with text default 'default') returns void
       language sql as $$ insert into pg_dist_object values (name) $$`,
  )
  return connection
}

test('every table has one place in distribute.sql, and every unique index contains the key of its table', async () => {
  const connection = await createCluster()
  const local = [...sql.matchAll(/^-- local: (.*)$/gm)].flatMap(([, list = '']) => list.split(', '))
  const tables = await run<{ name: string }>(
    connection,
    `select tablename as name from pg_tables where schemaname = 'public' and tablename not like 'pg\\_%'`,
  )
  expect([...placed, ...local].sort()).toEqual(tables.map(({ name }) => name).sort())

  expect(await distribute(connection)).toBe(true)
  // No other uniqueness can be enforced over several nodes.
  const unenforced = await run(
    connection,
    `select i.indexrelid::regclass::text as index, d.key from pg_dist_partition d
       join pg_index i on i.indrelid = d.logicalrelid and i.indisunique
     where d.key is not null and not exists (
       select from pg_attribute a where a.attrelid = d.logicalrelid and a.attname = d.key and a.attnum = any(i.indkey))`,
  )
  expect(unenforced).toEqual([])
  const functions = await run<{ name: string }>(connection, 'select name::regproc::text as name from pg_dist_object')
  expect(functions.map(({ name }) => name).sort()).toEqual([
    'append_event',
    'load_card_message',
    'post_movements',
    'put_statement_item',
    'put_statement_items',
    'record_card_message',
  ])
})

test('distributing twice changes nothing, and half a distribution is refused', async () => {
  const connection = await createCluster()
  expect([await distribute(connection), await distribute(connection)]).toEqual([true, false])
  await run(connection, `delete from pg_dist_partition where logicalrelid = 'movement'::regclass`)
  await expect(distribute(connection)).rejects.toThrow(
    `Only ${placed.length - 1} of ${placed.length} tables are distributed, and movement is not.`,
  )
})

test('a worker, and a PostgreSQL without the extension, are refused in one sentence', async () => {
  const worker = await createCluster({ isCoordinator: false })
  await expect(distribute(worker)).rejects.toThrow('names a worker of the cluster')
  await expect(migrate(worker)).rejects.toThrow('Migrations run on the coordinator only.')
  await migrate(await createCluster())
  const { host, port, user, database } = await createTestDatabase()
  const env = {
    ...processEnv,
    DATABASE_URL: `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`,
  }
  const failed = promisify(execFile)(process.execPath, [bundled('database'), 'distribute'], { env })
  await expect(failed).rejects.toMatchObject({
    code: 1,
    stderr: 'This PostgreSQL lacks the extension citus. Install it on all nodes and run "create extension citus".\n',
  })
})

test('a standby and a database without migrations are refused', () => {
  const cluster: Cluster = {
    isStandby: false,
    hasExtension: true,
    isCoordinator: true,
    existing: placed,
    distributed: [],
  }
  expect(refusalOf(cluster, placed)).toBe(null)
  expect(refusalOf({ ...cluster, isStandby: true }, placed)).toContain('names a standby')
  expect(refusalOf({ ...cluster, existing: placed.slice(1) }, placed)).toContain('The table app_user is missing.')
})
