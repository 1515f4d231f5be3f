import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, inject, test } from 'vitest'
import {
  type Cluster,
  distribute,
  distributeSql,
  distributionProblem,
  mismatchOf,
  placedTables,
  requireDistribution,
} from '../../src/platform/db/distribute.ts'
import { createDatabase, migrate } from '../../src/platform/db/migrate.ts'
import { bundled } from '../support/bundle.ts'
import { databaseUrl } from '../support/database-url.ts'
import { processEnv } from '../support/process-env.ts'
import { run } from '../support/run/cluster.ts'
import type { TestService } from '../support/service.ts'

type Connection = TestService['connection']
const sql = readFileSync(distributeSql, 'utf8')
const placed = placedTables(sql)

/** Migrates an empty database. The template of the tests is distributed already if they run on a cluster. */
async function createPlain(): Promise<Connection> {
  const connection = { ...inject('postgres'), database: `plain_${randomUUID().replaceAll('-', '')}` }
  await createDatabase(connection)
  await migrate(connection)
  return connection
}

/** Creates a database with stand-ins for the Citus functions that the command calls. They only record the calls. */
async function createCluster({ isCoordinator = true } = {}): Promise<Connection> {
  const connection = await createPlain()
  await run(
    connection,
    `create table pg_dist_partition (logicalrelid regclass primary key, key text);
     create table pg_dist_object (classid oid, objid oid primary key, distribution_argument_index int);
     create function citus_is_coordinator() returns boolean language sql as $$ select ${isCoordinator} $$;
     create function create_distributed_table(name regclass, key text, colocate_with text default 'default') returns void
       language sql as $$ insert into pg_dist_partition values (name, key) $$;
     create function create_reference_table(name regclass) returns void
       language sql as $$ insert into pg_dist_partition values (name, null) $$;
     create function create_distributed_function(name regprocedure, key text, colocate_with text default 'default') returns void
       language sql as $$ insert into pg_dist_object values ('pg_proc'::regclass, name, 0) $$`,
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
  const functions = await run<{ name: string }>(connection, 'select objid::regproc::text as name from pg_dist_object')
  expect(functions.map(({ name }) => name).sort()).toEqual([
    'append_event',
    'await_card_message',
    'load_card_message',
    'post_movements',
    'put_statement_item',
    'put_statement_items',
    'record_card_message',
  ])
})

test('distributing twice changes nothing, and an upgrade distributes only its new tables and functions', async () => {
  const connection = await createCluster()
  expect([await distribute(connection), await distribute(connection)]).toEqual([true, false])
  await run(connection, `delete from pg_dist_partition where logicalrelid = 'movement'::regclass`)
  expect([await distribute(connection), await distribute(connection)]).toEqual([true, false])
  await run(connection, `delete from pg_dist_object where objid::regproc::text = 'append_event'`)
  expect([await distribute(connection), await distribute(connection)]).toEqual([true, false])
})

test('a failed distribution leaves no table distributed', async () => {
  const connection = await createCluster()
  await run(connection, `alter table pg_dist_partition add check (logicalrelid <> 'partner_api_key'::regclass)`)
  await expect(distribute(connection)).rejects.toThrow('violates check constraint')
  expect(await run(connection, 'select from pg_dist_partition')).toEqual([])
})

test('a service does not start on tables that are not where its setting expects them', async () => {
  const connection = await createCluster()
  await distribute(connection)
  await requireDistribution(connection, true)
  await expect(startOn(connection, 'off')).rejects.toThrow('Set DATABASE_DISTRIBUTED=on.')
  await run(connection, `delete from pg_dist_partition where logicalrelid = 'movement'::regclass`)
  await expect(startOn(connection, 'on')).rejects.toThrow(
    `Tables that are not distributed: 1 of ${placed.length}, such as movement. Run npm run distribute.`,
  )
  await run(connection, 'delete from pg_dist_partition')
  // A service with the setting may start before its tables are distributed.
  await requireDistribution(connection, true)
  await expect(startOn(await createPlain(), 'on')).rejects.toThrow('this PostgreSQL lacks the extension citus')
})

/** Starts the service as a process. Rejects with what it printed. */
async function startOn(connection: Connection, distributed: 'on' | 'off'): Promise<void> {
  const env = { ...processEnv, DATABASE_URL: databaseUrl(connection), DATABASE_DISTRIBUTED: distributed, PORT: '0' }
  await promisify(execFile)(process.execPath, [bundled('main')], { env }).catch(({ stderr }) => {
    throw new Error(stderr)
  })
}

test('a worker of a cluster, and a PostgreSQL without the extension, are rejected with the reason', async () => {
  const worker = await createCluster({ isCoordinator: false })
  await expect(distribute(worker)).rejects.toThrow('names a worker of the cluster')
  await expect(migrate(worker)).rejects.toThrow('Migrations run on the coordinator only.')
  await migrate(await createCluster())
  const env = { ...processEnv, DATABASE_URL: databaseUrl(await createPlain()) }
  const failed = promisify(execFile)(process.execPath, [bundled('database'), 'distribute'], { env })
  await expect(failed).rejects.toMatchObject({
    code: 1,
    stderr: 'This PostgreSQL lacks the extension citus. Install it on all nodes and run "create extension citus".\n',
  })
})

test('a standby and a database without migrations are rejected', () => {
  const cluster: Cluster = {
    isStandby: false,
    hasExtension: true,
    isCoordinator: true,
    existing: placed,
    distributed: [],
  }
  expect(distributionProblem(cluster, placed)).toBe(null)
  expect(distributionProblem({ ...cluster, isStandby: true }, placed)).toContain('names a standby')
  expect(mismatchOf({ ...cluster, isStandby: true }, placed, false)).toContain('names a standby')
  expect(mismatchOf({ ...cluster, isCoordinator: false }, placed, true)).toContain('names a worker')
  expect(distributionProblem({ ...cluster, existing: placed.slice(1) }, placed)).toContain(
    'The table app_user is missing.',
  )
})
