import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import pg from 'pg'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { roleName } from '../../src/platform/db/grants.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { appendOnlyTables, type DatabaseRole, databaseRoles } from '../../src/platform/db/privileges.ts'
import { requireRoles } from '../../src/platform/db/roles.ts'
import { startProcess } from '../proof/processes.ts'
import { bundled } from '../support/bundle.ts'
import { consoleOrigin, signInOperator } from '../support/console.ts'
import { databaseUrl } from '../support/database-url.ts'
import { processEnv } from '../support/process-env.ts'
import { productionEnv } from '../support/production-env.ts'
import { createTestDatabase, httpClient, type TestService } from '../support/service.ts'
import { useWorld } from '../support/world.ts'

const { service, world } = useWorld()
const denied = { code: '42501' }

/** Runs a statement under a role, in a transaction that is rolled back. */
async function runAs(role: DatabaseRole, text: string, connection: TestService['connection'] = service.connection) {
  const client = new pg.Client({ ...connection, user: roleName(role) })
  await client.connect()
  try {
    await client.query('begin')
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

test('the role of the API cannot rewrite or delete a movement, nor an operator decision', async () => {
  await world({ eur: 10 })
  expect(await runAs('api', 'select kind from movement')).not.toEqual([])
  for (const text of [
    `update movement set kind = 'deposit_credited'`,
    'delete from movement',
    `update posting set amount = 1`,
    'delete from operator_decision',
    `update operator_decision set reason = 'none'`,
    `insert into operator_decision (reason) values ('none')`,
  ]) {
    await expect(runAs('api', text), text).rejects.toMatchObject(denied)
  }
})

test('no role of the service can turn the database into that of a sandbox', async () => {
  for (const role of databaseRoles) {
    await expect(runAs(role, `update programme set mode = 'sandbox'`), role).rejects.toMatchObject(denied)
    await expect(runAs(role, 'delete from programme'), role).rejects.toMatchObject(denied)
  }
  expect(await runAs('api', `update programme set chain_ids = '{100}'`)).toEqual([])
})

test('a role that may insert some columns of a table may insert every column with a default, because a cluster inserts defaults too', async () => {
  const columns = await service.ctx.db.query<{ columns: string[] }>(
    `-- by a test
     select coalesce(array_agg(t.table_name || '.' || t.column_name || ' for ' || r.grantee), '{}') as columns
     from (select distinct grantee, table_name from information_schema.column_privileges
           where privilege_type = 'INSERT' and grantee = any($1)) r
       join information_schema.columns t on t.table_name = r.table_name and t.table_schema = current_schema()
     where t.column_default is not null and not has_column_privilege(r.grantee, t.table_name, t.column_name, 'insert')`,
    [databaseRoles.map(roleName)],
  )
  expect(columns).toEqual([{ columns: [] }])
})

test('no role except that of operators can approve a partner or let it read details of its users', async () => {
  for (const role of ['api', 'worker', 'watcher', 'reader'] as const) {
    for (const change of [`status = 'active'`, 'reads_details = true', 'created_at = now()'])
      await expect(runAs(role, `update partner set ${change}`), `${role}: ${change}`).rejects.toMatchObject(denied)
  }
  const insert = `insert into partner (partner_id, name, status, reads_details, created_at)
    values (gen_random_uuid(), 'Mallory', 'active', true, now())`
  await expect(runAs('api', insert)).rejects.toMatchObject(denied)
  expect(await runAs('operator', `update partner set status = 'active', reads_details = true`)).toEqual([])
})

test('no role can delete from, truncate or update an append-only table, except its MACs', async () => {
  for (const role of databaseRoles) {
    for (const table of appendOnlyTables) {
      for (const text of [`delete from ${table}`, `truncate ${table}`]) {
        await expect(runAs(role, text), `${role}: ${text}`).rejects.toMatchObject(denied)
      }
    }
  }
  // A rotation of SECRET replaces MACs and their secret ids, and nothing else.
  const updates = await service.ctx.db.query<{ update: string }>(
    `select format('%s: %s.%s', grantee, table_name, column_name) as update from information_schema.column_privileges
     where privilege_type = 'UPDATE' and grantee like 'purser\\_%' and table_name = any($1) order by 1`,
    [appendOnlyTables],
  )
  expect(updates.map(({ update }) => update)).toEqual(
    ['movement_seal', 'operator_decision', 'partner_audit'].flatMap((table) => [
      `purser_operator: ${table}.mac`,
      `purser_operator: ${table}.secret_id`,
    ]),
  )
})

test('no role can create tables, take on another role, or read what it does not need', async () => {
  for (const role of databaseRoles) {
    await expect(runAs(role, 'create table extra (n int)')).rejects.toMatchObject(denied)
    await expect(runAs(role, `set role ${service.connection.user}`)).rejects.toMatchObject(denied)
  }
  await expect(runAs('api', 'set role purser_worker')).rejects.toMatchObject(denied)
  for (const text of [
    'select email from app_user',
    'select from signing_key',
    'select from partner_api_key',
    'select name from card',
    'select last4 from card',
  ]) {
    await expect(runAs('reader', text), text).rejects.toMatchObject(denied)
  }
  expect(await runAs('reader', 'select card_id, status from card where false')).toEqual([])
  await expect(runAs('worker', 'select from signing_key')).rejects.toMatchObject(denied)
  await expect(runAs('watcher', 'select available from ledger_balance')).rejects.toMatchObject(denied)
  for (const role of ['watcher', 'reader'] as const) {
    const call = `select append_event(null, null, null, null, null)`
    await expect(runAs(role, call)).rejects.toMatchObject({ ...denied, message: expect.stringContaining('function') })
  }
})

test('a temporary table does not make the reset mistake a database for that of a sandbox', async () => {
  const connection = await createTestDatabase()
  const disguised = `create temp table programme as select 1 as id, 'sandbox' as mode; select reset_sandbox()`
  await expect(runAs('sandbox', disguised, connection)).rejects.toMatchObject({ code: '55000' })
})

test('the parts of one process use connections under their own roles', async () => {
  await world({ eur: 10, card: true })
  const sessions = await service.ctx.db.query<{ role: string }>(
    'select distinct usename as role from pg_stat_activity where datname = current_database()',
  )
  const roles = sessions.map(({ role }) => role)
  expect(roles).toEqual(expect.arrayContaining(['purser_api', 'purser_worker', 'purser_sandbox']))
})

const commandsOf = {
  operator: ['operator', 'domain', 'list'],
  reader: ['reconcile'],
} as const

type Command = (typeof commandsOf)[keyof typeof commandsOf]

async function runCommand([name, ...words]: Command, connection: TestService['connection']) {
  const env = { ...processEnv, DATABASE_URL: databaseUrl(connection), DATABASE_ROLES: 'on', OPERATOR: 'ada' }
  return promisify(execFile)(process.execPath, [bundled(name), ...words], { env }).then(
    ({ stdout }) => ({ isDone: true, output: stdout }),
    ({ stdout, stderr }) => ({ isDone: false, output: `${stdout}${stderr}` }),
  )
}

/** Revokes all privileges on tables. On a cluster, one statement can do so only if it goes shard by shard. */
const revokeAll = (roles: readonly DatabaseRole[], connection: TestService['connection']) =>
  runAsOwner({
    text: `set citus.multi_shard_modify_mode = 'sequential';
      revoke all on all tables in schema public from ${roles.map(roleName).join(', ')}`,
    connection,
  })

test.each(['operator', 'reader'] as const)(
  'the commands of the %s fail if this role alone lacks privileges',
  async (role) => {
    const connection = await createTestDatabase()
    const command = commandsOf[role]
    expect(await runCommand(command, connection)).toMatchObject({ isDone: true })
    await revokeAll([role], connection)
    expect(await runCommand(command, connection)).toEqual({
      isDone: false,
      output: expect.stringContaining('permission denied for table'),
    })
  },
)

test.each(['api', 'worker', 'watcher'] as const)(
  'a process with the role %s fails if its database role alone lacks privileges',
  async (role) => {
    const connection = await createTestDatabase()
    const env = role === 'worker' ? { CHAIN: 'simulated' } : productionEnv
    const service = await startProcess(connection, { ...env, ROLES: role, LOG_LEVEL: 'warn' })
    let log = ''
    for (const stream of [service.child.stdout, service.child.stderr]) stream?.on('data', (chunk) => (log += chunk))
    try {
      const token = `psk_${'a'.repeat(43)}`
      const work = async () => {
        if (role === 'api') await httpClient(service.url).request('GET', '/partner', { token })
        return log
      }
      expect(await work()).not.toContain('permission denied')
      await revokeAll([role], connection)
      await expect.poll(work, { interval: 500 }).toContain('permission denied for table')
    } finally {
      await service.kill('SIGTERM')
    }
  },
)

test('a login of the API serves operators only if it is also in the role of operators', async () => {
  const connection = await createTestDatabase()
  const login = `console_${randomUUID().replaceAll('-', '')}`
  // In a sandbox, the role of the simulator contains that of the API.
  await runAsOwner({ text: `create role ${login} login in role purser_sandbox`, connection })
  const database = { DATABASE_URL: databaseUrl({ ...connection, user: login }), DATABASE_ROLES: 'off' }
  const env = { CHAIN: 'simulated', ROLES: 'api', BASE_URL: consoleOrigin, ...database }
  const process = await startProcess(connection, env)
  try {
    await expect(signInOperator(httpClient(process.url))).rejects.toThrow('500')
    await runAsOwner({ text: `grant purser_operator to ${login}`, connection })
    const token = await signInOperator(httpClient(process.url))
    const found = await httpClient(process.url).request('GET', '/operator/overview', { token })
    expect(found.status, found.text).toBe(200)
  } finally {
    await process.kill('SIGTERM')
    await runAsOwner({ text: `drop role ${login}`, connection })
  }
})

const grantsOf = (connection: TestService['connection']) => ({
  text: `select table_name, grantee, privilege_type from information_schema.table_privileges
    where grantee like 'purser\\_%' order by 1, 2, 3`,
  connection,
})

async function runAsOwner({ text, connection }: { text: string; connection: TestService['connection'] }) {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

test('npm run db:roles prints SQL that restores exactly the privileges, and can run again', async () => {
  const connection = await createTestDatabase()
  const before = await runAsOwner(grantsOf(connection))
  expect(before.length).toBeGreaterThan(100)
  const { stdout } = await promisify(execFile)(process.execPath, [bundled('database'), 'roles'], { env: processEnv })
  await revokeAll(['api', 'worker'], connection)
  await runAsOwner({ text: 'grant delete on movement to purser_api', connection })
  for (let i = 0; i < 2; i++) await runAsOwner({ text: stdout, connection })
  expect(await runAsOwner(grantsOf(connection))).toEqual(before)
})

test('an older version that restarts after an upgrade does not change the privileges of the newer one', async () => {
  const connection = await createTestDatabase()
  await migrate(connection)
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query(`insert into applied_migration (name, run_on) values ('9999-next', now());
      comment on table applied_migration is 'the hash of the next version'; grant delete on movement to purser_api`)
    await migrate(connection)
    const mayDelete = `select has_table_privilege('purser_api', 'movement', 'delete') as "mayDelete"`
    expect((await client.query(mayDelete)).rows).toEqual([{ mayDelete: true }])
  } finally {
    await client.end()
  }
})

test('migrating under a login without the right to create tables succeeds if all migrations are applied', async () => {
  const connection = await createTestDatabase()
  await migrate({ ...connection, user: roleName('api') })
})

test('with DATABASE_ROLES each connection takes its role, and a login that is not a member of the roles is rejected at the start', async () => {
  const connection = await createTestDatabase()
  const connectionString = (user: string) => databaseUrl({ ...connection, user })
  const config = readConfig({ DATABASE_URL: connectionString(connection.user), DATABASE_ROLES: 'on' })
  await requireRoles({ connectionString: connectionString(connection.user) }, config, databaseRoles)
  await expect(requireRoles({ connectionString: connectionString('purser_reader') }, config, ['api'])).rejects.toThrow(
    'PostgreSQL does not grant the role purser_api',
  )
  const withOptions = { connectionString: `${connectionString(connection.user)}&options=-c%20work_mem%3D4MB` }
  await expect(requireRoles(withOptions, config, ['api'])).rejects.toThrow('remove options from DATABASE_URL')
})
