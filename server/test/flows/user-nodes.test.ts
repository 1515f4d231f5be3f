import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { findReadableBalances } from '../../src/money/balances/sql.ts'
import { findReadableDeposits } from '../../src/money/deposits/sql.ts'
import { eachReadableItem } from '../../src/money/statement/sql.ts'
import { findReadableWithdrawals } from '../../src/money/withdrawals/sql.ts'
import { type Db, type HotReader, openDb } from '../../src/platform/db/db.ts'
import { nameShard } from '../../src/platform/db/hot-reads/user-nodes.ts'
import { hashOfUuid } from '../../src/platform/db/hot-reads/uuid-hash.ts'
import { createLog } from '../../src/platform/observability/log.ts'
import { createTraces } from '../../src/platform/observability/open-telemetry.ts'
import { run } from '../support/run/cluster.ts'
import { createTestDatabase } from '../support/service.ts'

/**
 * A database that looks like a cluster of one node: the catalog of Citus as tables, and one shard of each table. The
 * rows of the shard differ from those of the whole table, so each result shows where it was read.
 */
const tables = ['app_user', 'account', 'owner', 'ledger_balance', 'statement_item']
const here = 1
const elsewhere = 2
const shardId = 102008

// A real cluster has the catalog already, and `npm run test:distributed` runs all flows on it.
describe.skipIf(process.env['TEST_CLUSTER'])('hot reads at the node of the user', () => {
  const caller = { userId: randomUUID(), accessId: randomUUID(), sessionId: randomUUID() }
  let connection: Awaited<ReturnType<typeof createTestDatabase>>
  let db: Db
  const sql = (text: string, values: readonly unknown[] = []) => run(connection, text, values)

  beforeAll(async () => {
    connection = await createTestDatabase()
    await sql(`
      create table pg_dist_partition (logicalrelid regclass, colocationid int);
      create table pg_dist_shard (logicalrelid regclass, shardid bigint, shardminvalue text, shardmaxvalue text);
      create table pg_dist_placement (shardid bigint, groupid int, shardstate int);
      create table pg_dist_node (groupid int, nodename text, nodeport int, noderole text);
      create table pg_dist_local_group (groupid int);
      insert into pg_dist_local_group values (${here});
      create function shard_name(name regclass, id bigint) returns text language sql as $$ select name || '_shard' $$`)
    await insertUser('')
    for (const table of tables) {
      await sql(`create table ${table}_shard (like ${table} including all)`)
      await sql(`insert into pg_dist_partition values ('${table}', 7)`)
      await sql(`insert into pg_dist_shard values ('${table}', ${shardId}, '-2147483648', '2147483647')`)
    }
    await sql(`insert into pg_dist_placement values (${shardId}, ${here}, 1)`)
    await insertUser('_shard')
    db = openDb(connection, readConfig({ DATABASE_DISTRIBUTED: 'on' }), () => {})
  })
  afterAll(() => db.stop())
  beforeEach(async () => {
    await sql(`update pg_dist_placement set groupid = ${here}`)
    await placeNode(connection.port)
    await expect.poll(items).toEqual(['in _shard'])
  })

  async function placeNode(port: number): Promise<void> {
    await sql('delete from pg_dist_node')
    await sql(`insert into pg_dist_node values (${here}, $1, $2, 'primary'), (${elsewhere}, $1, $2, 'primary')`, [
      connection.host,
      port,
    ])
  }

  async function insertUser(shard: string): Promise<void> {
    const { userId, accessId } = caller
    await sql(
      `insert into app_user${shard} (user_id, status, country, kyc_status, created_at, updated_at)
       values ($1, 'active', 'DE', 'approved', now(), now())`,
      [userId],
    )
    await sql(
      `insert into account${shard} (user_id, account_id, address, currency, status, created_at, updated_at)
       values ($1, $1, '0x${'1'.repeat(40)}', 'EUR', 'active', now(), now())`,
      [userId],
    )
    await sql(
      `insert into owner${shard} (user_id, address, access_id, created_at) values ($1, '0x${'2'.repeat(40)}', $2, now())`,
      [userId, accessId],
    )
    await sql(`insert into ledger_balance${shard} (user_id, token, available, chain) values ($1, $2, 5, -5)`, [
      userId,
      `in ${shard || 'the whole table'}`,
    ])
    await sql(
      `insert into statement_item${shard} (user_id, created_at, item_id, item) values ($1, now(), gen_random_uuid(), $2)`,
      [userId, `in ${shard || 'the whole table'}`],
    )
  }

  async function items(): Promise<string[]> {
    const found: string[] = []
    const wanted = { filters: { start: null, end: null, type: null, cardId: null }, after: null, limit: 10 }
    await eachReadableItem(db.reader, caller, wanted, (bytes, start, end) =>
      found.push(bytes.toString('utf8', start, end)),
    )
    return found
  }

  const planModeSql = `select current_setting('plan_cache_mode') as mode`
  const tokens = async (of = caller) => (await findReadableBalances(db.reader, of)).map(({ figures }) => figures)

  test('a hot read takes its rows from the shard of the user', async () => {
    expect((await tokens())[0]).toContain('in _shard')
    expect((await Promise.all([tokens(), tokens(), tokens()])).map((own) => own.length)).toEqual([1, 1, 1])
  })

  test('the access of the caller is checked at the node too', async () => {
    expect(await tokens({ ...caller, accessId: randomUUID() })).toEqual([])
  })

  test('a read of a shard that has moved away is repeated at the coordinator', async () => {
    await sql(`update pg_dist_placement set groupid = ${elsewhere}`)
    expect(await items()).toEqual(['in the whole table'])
    expect((await tokens())[0]).toContain('in the whole table')
  })

  test('reads use the coordinator while the node rejects connections or statements', async () => {
    const broken = 'alter table statement_item_shard rename to dropped_shard'
    await sql(broken)
    expect(await items()).toEqual(['in the whole table'])
    await sql('alter table dropped_shard rename to statement_item_shard')
    await expect.poll(items).toEqual(['in _shard'])

    const unreachable = openDb(connection, readConfig({ DATABASE_DISTRIBUTED: 'on' }), () => {})
    try {
      await placeNode(1)
      const read = () => findReadableBalances(unreachable.reader, caller)
      for (let i = 0; i < 20; i++) expect((await read())[0]?.figures).toContain('in the whole table')
      const settings = await unreachable.transaction((tx) => tx.query('select 1 as one'), caller.userId)
      expect(settings).toEqual([{ one: 1 }])
    } finally {
      await unreachable.stop()
    }
  })

  test('a transaction of a user runs at the node of the user, with custom plans', async () => {
    const planMode = async (userId?: string) => {
      const [row] = await db.transaction((tx) => tx.query<{ mode: string }>(planModeSql), userId)
      return row?.mode
    }
    expect(await planMode()).toBe('auto')
    expect(await planMode(caller.userId)).toBe('force_custom_plan')

    const traces = createTraces({ endpoint: 'http://127.0.0.1:1', headers: null, sampledShare: 0 }, () =>
      createLog('silent'),
    )
    const traced = traces.traceDb(db)
    const [row] = await traced.transaction((tx) => tx.query<{ mode: string }>(planModeSql), caller.userId)
    expect(row?.mode).toBe('force_custom_plan')
    await traces.stop()
  })

  test.each(['XX000', '42P01', '55000'])(
    'a transaction that a node rejects with %s is repeated at the coordinator',
    async (state) => {
      await sql(`
      create or replace function fail_at_node() returns text language plpgsql as $$ begin
        if current_setting('plan_cache_mode') = 'force_custom_plan' then raise 'moved' using errcode = '${state}'; end if;
        return 'at the coordinator';
      end $$`)
      const run = () =>
        db.transaction((tx) => tx.query<{ place: string }>('select fail_at_node() as place'), caller.userId)
      expect(await run()).toEqual([{ place: 'at the coordinator' }])
      await sql(`
      create or replace function fail_at_node() returns text language plpgsql as $$ begin
        raise 'broken' using errcode = '23505';
      end $$`)
      await expect(run()).rejects.toThrow('broken')
    },
  )
})

test('the hash of a user id is the one by which PostgreSQL finds a shard', async () => {
  const connection: pg.ClientConfig = await createTestDatabase()
  const rows = await run<{ id: string; hash: number }>(
    connection,
    `select id::text, uuid_hash(id) as hash from (select gen_random_uuid() as id from generate_series(1, 500)) as ids
     union all select id::text, uuid_hash(id) from unnest($1::uuid[]) as edges (id)`,
    [['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']],
  )
  expect(rows.map(({ id }) => hashOfUuid(id))).toEqual(rows.map(({ hash }) => hash))
  expect(hashOfUuid('no UUID')).toBeNull()
})

test('every hot read has the user id as its first parameter, and names only shards once it is sent to a node', async () => {
  const sent: { text: string; values: readonly unknown[] }[] = []
  const record = async (text: string, values: readonly unknown[] = []) => {
    sent.push({ text, values })
    return []
  }
  const reader: HotReader = { query: record, batch: record, eachRow: async (text, values) => void record(text, values) }
  const caller = { userId: randomUUID(), accessId: randomUUID(), sessionId: randomUUID() }
  await findReadableBalances(reader, caller)
  await findReadableDeposits(reader, { ...caller, signerAddress: '0x', address: '0x' } as never, 10)
  await findReadableWithdrawals(reader, { ...caller, signerAddress: '0x', address: '0x' } as never, 10)
  for (const type of [null, 'card_transaction', 'deposit', 'withdrawal'] as const)
    for (const cardId of [null, randomUUID()])
      for (const of of [caller, { partnerId: randomUUID(), userId: caller.userId }]) {
        const filters = { start: null, end: null, type, cardId }
        await eachReadableItem(reader, of, { filters, after: null, limit: 10 }, () => {})
      }

  const [row] = await run<{ names: string[] }>(
    await createTestDatabase(),
    `select array_agg(tablename::text) as names from pg_tables where schemaname = 'public'`,
  )
  const names = new Map(row?.names.map((name) => [name, `${name}_102008`]))
  expect(sent.length).toBeGreaterThan(10)
  for (const { text, values } of sent) {
    expect(values[0]).toBe(caller.userId)
    const found = [...nameShard(text, names).matchAll(/\b(?:from|join)\s+([a-z_0-9]+)/g)].map(([, name]) => name)
    expect(found.filter((name) => !name?.endsWith('_102008') && name !== 'unnest')).toEqual([])
    expect(found.length).toBeGreaterThan(0)
  }
  expect(nameShard('select * from deposit where deposit.user_id = $1', names)).toBe(
    'select * from deposit_102008 as deposit where deposit.user_id = $1',
  )
})
