import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { getAddress } from 'viem/utils'
import { readConfig } from '../../server/src/config/config.ts'
import { emailName } from '../../server/src/identity/users/users.ts'
import { directoryKey } from '../../server/src/platform/db/directory.ts'
import { insertCardHistory, insertCardUsers } from '../card-users.ts'
import { startDatabase } from '../database.ts'
import { quiet, type Settings } from '../ground.ts'
import { startService } from '../processes.ts'
import type { Row } from '../report.ts'
import { median, quantile } from '../rounds.ts'

const measure = 'operator'
const searches = 300
const pages = 200
const deepPage = 5000
const warmUps = 100
/** More than the overview counts. */
const waiting = 5000

/** Measures the reads of operators over HTTP, one after the other, on a database with many users. */
export async function measureOperator(settings: Settings): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'purser-bench-'))
  const stops: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
  try {
    const database = await startDatabase(folder)
    stops.push(() => database.stop())
    const { client } = database
    const config = readConfig({})
    await insertCardUsers(client, settings.operatorUsers, config)
    await insertCardHistory(client, settings.operatorPostings, config)
    await insertWork(client, config.tokens[0]?.address ?? '')
    await insertNames(client)
    // As in `insertCardHistory`: autovacuum would otherwise process these rows during the measurement.
    await client.query('vacuum (analyze) card_transaction, deposit, directory, partner, partner_event, owner')
    await client.query('checkpoint')
    const token = await insertOperator(client)
    const service = await startService({ ...quiet, ROLES: 'api', DATABASE_URL: database.url })
    stops.push(() => service.stop())
    const read = async (path: string) => {
      const startedAt = performance.now()
      const response = await fetch(`${service.url}/operator${path}`, { headers: { authorization: `Bearer ${token}` } })
      const body = await response.text()
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${body}`)
      return performance.now() - startedAt
    }
    return [
      ...(await searchRows(client, read)),
      {
        measure,
        what: 'overview, p99',
        figure: quantile(await times(pages, () => read('/overview')), 0.99),
        unit: 'ms',
        goal: { atMost: 50 },
      },
      ...(await pageRows(client, settings.operatorUsers, read)),
    ]
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

type Read = (path: string) => Promise<number>

/**
 * Runs some reads before those that count. They load pages, plan statements and compile code, as a running service has
 * done.
 */
async function times(runs: number, run: (i: number) => Promise<number>): Promise<number[]> {
  const all: number[] = []
  for (let i = -warmUps; i < runs; i++) {
    const milliseconds = await run(Math.abs(i))
    if (i >= 0) all.push(milliseconds)
  }
  return all
}

async function searchRows(client: pg.Client, read: Read): Promise<Row[]> {
  const names: Readonly<Record<string, string>> = {
    'user id': 'select user_id::text as name from bench_card tablesample system (1) limit 300',
    'card id': 'select card_id::text as name from bench_card tablesample system (1) limit 300',
    'authorization code': 'select authorization_code as name from card_transaction tablesample system (0.1) limit 300',
    'deposit id': 'select deposit_id::text as name from bench_id limit 300',
    'withdrawal id': 'select withdrawal_id::text as name from bench_id limit 300',
    'transaction hash': 'select tx_hash as name from deposit limit 300',
    'event id': "select 'evt_' || replace(event_id::text, '-', '') as name from partner_event limit 300",
    'partner id': 'select partner_id::text as name from partner limit 300',
    'partner name': 'select name from partner limit 300',
    wallet: 'select address as name from owner limit 300',
    mail: "select n || '@example.org' as name from generate_series(1, 300) n",
    'last digits and expiry': "select '4242 12/30' as name",
    'unknown mail': "select md5(n::text) || '@example.org' as name from generate_series(1, 300) n",
  }
  const rows: Row[] = []
  for (const [kind, sql] of Object.entries(names)) {
    const found = (await client.query<{ name: string }>(sql)).rows
    const nameAt = (i: number) => encodeURIComponent(found[i % found.length]?.name ?? '')
    const all = await times(searches, (i) => read(`/search?q=${nameAt(i)}`))
    rows.push({
      measure,
      what: `search by ${kind}, p99`,
      figure: quantile(all, 0.99),
      unit: 'ms',
      goal: { atMost: 20 },
    })
  }
  return rows
}

/** Compares a deep page of the list of users with the first one, in turn. */
async function pageRows(client: pg.Client, users: number, read: Read): Promise<Row[]> {
  const limit = Math.max(1, Math.min(100, Math.floor(users / (deepPage + 1))))
  const depth = Math.min((deepPage - 1) * limit, users - limit - 1)
  const { rows } = await client.query('select user_id as id from app_user order by user_id desc offset $1 limit 1', [
    depth,
  ])
  const cursor = Buffer.from(JSON.stringify([rows[0]?.id])).toString('base64url')
  const [first, deep]: [number[], number[]] = [[], []]
  await times(pages, async () => {
    first.push(await read(`/users?limit=${limit}`))
    deep.push(await read(`/users?limit=${limit}&cursor=${cursor}`))
    return 0
  })
  return [
    {
      measure,
      what: `page ${Math.floor(depth / limit) + 1} ÷ page 1 of ${users} users`,
      figure: median(deep) / median(first),
      unit: '×',
      goal: { atMost: 1.1 },
    },
    { measure, what: `page 1, ${limit} users`, figure: median(first), unit: 'ms' },
  ]
}

/** Inserts reviews and rejected deposits that wait, so that the overview meets its limits. */
async function insertWork(client: pg.Client, token: string): Promise<void> {
  await client.query(`
    update card_transaction set needs_review = true
      where (user_id, card_transaction_id) in (select user_id, card_transaction_id from card_transaction limit ${waiting});
    insert into deposit (user_id, deposit_id, chain_id, tx_hash, log_position, token, amount, from_address, status,
        chain_state, screening, created_at, updated_at)
      select user_id, gen_random_uuid(), 100, '0x' || md5(n::text) || md5('t' || n), 0, '${token}', 1, '0x', 'rejected',
        'final', 'rejected', now(), now() from bench_card where n <= ${waiting};
  `)
}

/** Inserts names that operators search for: ids in the directory for each user, and partners with their events. */
async function insertNames(client: pg.Client): Promise<void> {
  await client.query(`
    create table bench_id as
      select user_id, gen_random_uuid() as deposit_id, gen_random_uuid() as withdrawal_id from bench_card;
    insert into directory (lookup_key, user_id, ref_id)
      select bench_key(name), user_id, ref_id from bench_id, lateral (values ('deposit_id:' || deposit_id, deposit_id),
        ('withdrawal_id:' || withdrawal_id, withdrawal_id)) as names (name, ref_id);
    insert into partner (partner_id, name, status, created_at)
      select gen_random_uuid(), 'Partner ' || n, 'active', now() from generate_series(1, 1000) n;
    insert into partner_event (partner_id, position, event_id, type, body, is_test, created_at)
      select partner_id, n, gen_random_uuid(), 'deposit.approved', repeat('x', 300), false, now()
      from partner cross join generate_series(1, 200) n;
  `)
  const { rows } = await client.query<{ userId: string }>('select user_id as "userId" from bench_card limit 300')
  for (const [i, { userId }] of rows.entries()) {
    const address = getAddress(`0x${createHash('sha256').update(userId).digest('hex').slice(0, 40)}`)
    const accessId = randomUUID()
    await client.query('insert into owner (user_id, address, access_id, created_at) values ($1, $2, $3, now())', [
      ...[userId, address, accessId],
    ])
    await client.query('insert into directory (lookup_key, user_id, ref_id) values ($1, $3, $4), ($2, $3, null)', [
      ...[directoryKey(`wallet:${address}`), directoryKey(emailName(`${i + 1}@example.org`)), userId, accessId],
    ])
  }
}

/** Inserts an operator with an open session, and returns its token. */
export async function insertOperator(client: pg.Client): Promise<string> {
  const token = `pso_${randomBytes(32).toString('base64url')}`
  const [person, address, now] = [randomUUID(), `0x${randomBytes(20).toString('hex')}`, new Date()]
  await client.query('insert into operator_person (person_id, name, created_at) values ($1, $2, $3)', [
    person,
    'Bench',
    now,
  ])
  await client.query(
    `insert into operator (address, person_id, role, added_by, created_at) values ($1, $2, 'admin', 'bench', $3)`,
    [address, person, now],
  )
  await client.query(
    `insert into operator_session (session_id, token_hash, address, via, created_at, used_at, expires_at)
     values ($1, $2, $3, 'bearer', $4, $4, $5)`,
    [
      randomUUID(),
      createHash('sha256').update(token).digest('hex'),
      address,
      now,
      new Date(now.getTime() + 28_800_000),
    ],
  )
  return token
}
