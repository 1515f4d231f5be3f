import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterEach, describe, expect, inject, test } from 'vitest'
import type { Ctx } from '../../src/context.ts'
import { dueWorks } from '../../src/due-work.ts'
import { addSeconds } from '../../src/lib/clock.ts'
import { createDatabase, migrate } from '../../src/platform/db/migrate.ts'
import { createJobs, type DueWork, releaseDueWork } from '../../src/platform/jobs/jobs.ts'
import { run } from '../support/run/cluster.ts'
import { startService, type TestService } from '../support/service.ts'

/** The other columns of a row that may become due, for every table of due work. */
const rows: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  app_user: { status: `'active'`, kyc_status: `'approved'`, updated_at: 'now()' },
  kyc_applicant: { applicant_id: 'gen_random_uuid()' },
  iban: { address: `'0x'`, signature: `'0x'`, status: `'pending'`, updated_at: 'now()' },
  card: {
    card_id: 'gen_random_uuid()',
    name: `''`,
    type: `'virtual'`,
    status: `'active'`,
    currency: `'EUR'`,
    updated_at: 'now()',
  },
  card_transaction: {
    card_transaction_id: 'gen_random_uuid()',
    card_id: 'gen_random_uuid()',
    authorization_id: '1',
    authorization_code: `'A'`,
    kind: `'Payment'`,
    status: `'pending'`,
    is_credit: 'false',
    currency: `'EUR'`,
    amount_minor: '1',
    original_currency: `'EUR'`,
    original_amount_minor: '1',
    merchant_name: `'A'`,
    merchant_country: `'DE'`,
    mcc: `'5411'`,
    entry_mode: `'chip'`,
    needs_review: 'false',
    updated_at: 'now()',
  },
  incoming_transfer: {
    chain_id: '1',
    tx_hash: 'gen_random_uuid()',
    log_position: '0',
    token: `'0x'`,
    from_address: `'0x'`,
    to_address: `'0x'`,
    block_number: '1',
    block_hash: `'0x'`,
    chain_state: `'final'`,
    claimed: '1',
    updated_at: 'now()',
  },
  deposit: {
    deposit_id: 'gen_random_uuid()',
    chain_id: '1',
    tx_hash: `'0x'`,
    log_position: '0',
    token: `'0x'`,
    amount: '1',
    from_address: `'0x'`,
    status: `'approved'`,
    chain_state: `'final'`,
    screening: `'approved'`,
    updated_at: 'now()',
  },
  withdrawal: {
    withdrawal_id: 'gen_random_uuid()',
    chain_id: '1',
    token: `'0x'`,
    amount: '1',
    to_address: `'0x'`,
    status: `'pending'`,
    updated_at: 'now()',
  },
}

const services: TestService[] = []
const databases: string[] = []
afterEach(async () => {
  for (const service of services.splice(0)) await service.stop()
  for (const name of databases.splice(0))
    await run({ ...inject('postgres'), database: 'postgres' }, `drop database ${name} with (force)`)
})

async function start(options: Parameters<typeof startService>[0] = {}): Promise<TestService> {
  const service = await startService({ worker: false, ...options })
  services.push(service)
  return service
}

/** Inserts a row of each user into every table of due work. */
async function insertRows(
  { connection }: TestService,
  userIds: readonly string[],
  dueAt: Date | null,
  leasedBy: string | null = null,
): Promise<string[]> {
  const client = new pg.Client(connection)
  await client.connect()
  // The table that the others reference comes first.
  const tables = new Set(['app_user', ...dueWorks.map(({ table }) => table)])
  for (const table of tables) {
    const columns = rows[table]
    if (columns === undefined) throw new Error(`describe a row of ${table} in this test`)
    await client.query(
      `insert into ${table} (user_id, due_at, leased_by, created_at, ${Object.keys(columns)}) values ${userIds.map(
        (userId) => `('${userId}', $1, $2, now(), ${Object.values(columns)})`,
      )}`,
      [dueAt, leasedBy],
    )
  }
  await client.end()
  return userIds.flatMap((userId) => [...tables].map((table) => `${table} of ${userId}`)).sort()
}

const newUsers = (count: number) => Array.from({ length: count }, () => randomUUID())

/** Returns every kind of due work. A run only notes its row in `ran` and clears the due time. */
function notedWorks(): { works: DueWork[]; ran: string[] } {
  const ran: string[] = []
  const works = dueWorks.map(({ table, id }): DueWork => {
    return {
      table,
      id,
      async run({ db }, key) {
        ran.push(`${table} of ${key.userId}`)
        await db.query(`update ${table} set due_at = null where user_id = $1 and ${id} = $2`, [key.userId, key.id])
      },
    }
  })
  return { works, ran }
}

/** Runs all due work once, and returns what ran, sorted. */
async function runNoted(ctx: Ctx): Promise<string[]> {
  const { works, ran } = notedWorks()
  await createJobs(ctx, works, []).runDue()
  return ran.sort()
}

test('every row that is due is found, and no other, even if a table has more of them than a round takes', async () => {
  const service = await start()
  const ctx = service.as('worker')
  const now = ctx.clock.now()
  const due = [
    ...(await insertRows(service, newUsers(230), addSeconds(now, -3600))),
    ...(await insertRows(service, newUsers(20), now)),
  ]
  await insertRows(service, newUsers(20), addSeconds(now, 3600))
  await insertRows(service, newUsers(20), null)
  expect(await runNoted(ctx)).toEqual(due.sort())
})

test.runIf(inject('workers').length > 0)(
  'every row that is due is found on the node to which it was moved',
  async () => {
    const service = await start()
    const due = await insertRows(service, newUsers(100), service.ctx.clock.now())
    const [shard] = await run<{ id: string; host: string; port: number; toHost: string; toPort: number }>(
      service.connection,
      `select s.shardid as id, n.nodename as host, n.nodeport as port, o.nodename as "toHost", o.nodeport as "toPort"
     from pg_dist_shard s join pg_dist_placement p using (shardid) join pg_dist_node n using (groupid)
       join pg_dist_node o on o.groupid not in (0, n.groupid)
     where s.logicalrelid = 'app_user'::regclass limit 1`,
    )
    const { works, ran } = notedWorks()
    const jobs = createJobs(service.as('worker'), works, [])
    const life = new AbortController()
    const loop = jobs.loop(life.signal)
    await expect.poll(() => ran.length).toBe(due.length)
    await run(service.connection, `select citus_move_shard_placement($1, $2, $3, $4, $5, 'block_writes')`, [
      shard?.id,
      shard?.host,
      shard?.port,
      shard?.toHost,
      shard?.toPort,
    ])
    const later = await insertRows(service, newUsers(100), service.ctx.clock.now())
    await expect.poll(() => ran.length).toBe(due.length + later.length)
    life.abort()
    await loop
    expect(ran.sort()).toEqual([...due, ...later].sort())
  },
)

describe('on two nodes', () => {
  /**
   * Starts a service on a plain database that looks like a cluster of two nodes, both on its own server. It has a view
   * for each shard, and the catalog tables in which Citus stores the places of shards.
   */
  async function startOnNodes(): Promise<TestService> {
    const connection = { ...inject('postgres'), database: `nodes_${randomUUID().replaceAll('-', '')}` }
    await createDatabase(connection)
    databases.push(connection.database)
    await migrate(connection)
    const views = dueWorks.map(
      ({ table }) =>
        `create view ${table}_1 as select * from ${table} where user_id < '80000000-0000-0000-0000-000000000000';
         create view ${table}_2 as select * from ${table} where user_id >= '80000000-0000-0000-0000-000000000000';
         insert into pg_dist_shard values ('${table}', 1), ('${table}', 2);`,
    )
    await run(
      connection,
      `create table pg_dist_shard (logicalrelid regclass, shardid bigint);
       create table pg_dist_placement (shardid bigint, shardstate int, groupid int);
       create table pg_dist_node (groupid int, nodename text, nodeport int, noderole text);
       create function shard_name(name regclass, id bigint) returns text language sql as $$ select name::text || '_' || id $$;
       insert into pg_dist_placement values (1, 1, 1), (2, 1, 2);
       insert into pg_dist_node values (1, '${connection.host}', ${connection.port}, 'primary');
       ${views.join('\n')}
       grant select on all tables in schema public to purser_worker`,
    )
    return start({ connection, env: { DATABASE_DISTRIBUTED: 'on' } })
  }

  const half = (of: 'lower' | 'upper', count: number) =>
    newUsers(count).map((userId) => (of === 'lower' ? '0' : 'f') + userId.slice(1))
  /** The same server by another name, so that it is another node. */
  const nameOf = (host: string) => (host.startsWith('/') ? `${host}/` : 'localhost')
  const placeSecond = ({ connection }: TestService, port: number) =>
    run(
      connection,
      `delete from pg_dist_node where groupid = 2;
       insert into pg_dist_node values (2, '${nameOf(connection.host)}', ${port}, 'primary')`,
    )
  /** No PostgreSQL listens there. */
  const deadPort = 1

  test('a node that is down does not stop the work of the others, and its own work runs once it is back', async () => {
    const service = await startOnNodes()
    await placeSecond(service, deadPort)
    const now = service.ctx.clock.now()
    const reached = await insertRows(service, half('lower', 3), now)
    const unreached = await insertRows(service, half('upper', 3), now)
    const { works, ran } = notedWorks()
    const life = new AbortController()
    const loop = createJobs(service.as('worker'), works, []).loop(life.signal)
    await expect.poll(() => ran.length).toBe(reached.length)
    const later = await insertRows(service, half('lower', 3), now)
    await expect.poll(() => ran.length).toBe(reached.length + later.length)
    expect([...ran].sort()).toEqual([...reached, ...later].sort())

    await placeSecond(service, service.connection.port)
    await expect.poll(() => ran.length).toBe(reached.length + later.length + unreached.length)
    life.abort()
    await loop
    expect(ran.sort()).toEqual([...reached, ...later, ...unreached].sort())
  })

  test('the coordinator may have shards itself, and tables that are not distributed', async () => {
    const service = await startOnNodes()
    await run(
      service.connection,
      `insert into pg_dist_node values (0, 'coordinator.invalid', ${deadPort}, 'primary');
       update pg_dist_placement set groupid = 0 where shardid = 2;
       delete from pg_dist_shard where logicalrelid = 'withdrawal'::regclass`,
    )
    const due = await insertRows(service, [...half('lower', 3), ...half('upper', 3)], service.ctx.clock.now())
    expect(await runNoted(service.as('worker'))).toEqual(due)
  })

  test('a row that is found on two nodes, because its shard is being moved, is worked on once', async () => {
    const service = await startOnNodes()
    await placeSecond(service, service.connection.port)
    await run(service.connection, 'insert into pg_dist_placement values (1, 1, 2), (2, 4, 1)')
    const due = await insertRows(service, [...half('lower', 3), ...half('upper', 3)], service.ctx.clock.now())
    expect(await runNoted(service.as('worker'))).toEqual(due)
  })

  test('work of a killed process becomes due again on the nodes that are up', async () => {
    const service = await startOnNodes()
    await placeSecond(service, deadPort)
    const ctx = service.as('worker')
    const dead = randomUUID()
    const leasedUntil = addSeconds(ctx.clock.now(), 30)
    const reached = await insertRows(service, half('lower', 3), leasedUntil, dead)
    await insertRows(service, half('upper', 3), leasedUntil, dead)
    await insertRows(service, half('lower', 3), leasedUntil, randomUUID())
    await releaseDueWork(ctx, dueWorks, dead)

    await placeSecond(service, service.connection.port)
    expect(await runNoted(ctx)).toEqual(reached)
  })
})
