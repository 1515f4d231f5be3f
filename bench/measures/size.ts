import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { privateKeyToAccount } from 'viem/accounts'
import { type Config, readConfig } from '../../server/src/config/config.ts'
import { checkUser } from '../../server/src/money/reconcile/reconcile.ts'
import { openDb } from '../../server/src/platform/db/db.ts'
import { createDatabase, migrate } from '../../server/src/platform/db/migrate.ts'
import { databaseUrl } from '../../server/test/support/database-url.ts'
import { signAuthorizations } from '../authorizations.ts'
import { insertCardHistory, insertCardUsers } from '../card-users.ts'
import { startDatabase, withClient } from '../database.ts'
import { timeScans } from '../due-scans.ts'
import { quiet, type Settings } from '../ground.ts'
import { type Connection, connections, loadHttp, loadSigned, type Work } from '../load.ts'
import { MissingTools } from '../machine.ts'
import { issueTokens, type Person } from '../people.ts'
import { type Server, startService } from '../processes.ts'
import type { Row } from '../report.ts'
import { interleave, median, quantile } from '../rounds.ts'
import { insertOperator } from './operator.ts'

const measure = 'size'
const fewUsers = 10_000
const goal = { atMost: 1.3 }
/**
 * As docs/operations.md recommends for databases larger than the memory. PostgreSQL uses huge pages if the machine has
 * reserved them, and small ones otherwise.
 */
const settingsForMany = { shared_buffers: `${Math.floor((totalmem() * 0.65) / 2 ** 20)}MB`, max_wal_size: '16GB' }
/** More requests than any machine completes, so that none is sent twice. */
const signedPerSecond = 6000
/**
 * The turns of the two sides. Those of few users are short, because a decision reads the user's authorizations of the
 * last 24 hours, and few users soon have many each.
 */
const turnSeconds = { few: 2, many: 11 }
/**
 * The load before the measurement. It brings the most used pages into memory, as in a service that has been running for
 * a long time.
 */
const warmupMinutes = 15
const readers = 300
/** The two sides are timed in turn, so that a checkpoint or other work meets both. */
const timeRounds = 5
const searches = 100
const checkedUsers = 400
/** A key whose owner signs nothing here: the tokens are made by the benchmark. */
const anyWallet = privateKeyToAccount(`0x${'1'.repeat(64)}`)

type Side = {
  readonly connection: Connection
  readonly users: number
  readonly service: Server
  readonly tokens: readonly string[]
}

/**
 * Compares a database of many users with one of 10,000 on the same server, in turn. In both, each user with a history
 * has one payment.
 */
export async function measureSize(settings: Settings): Promise<Row[]> {
  const folder = settings.sizeFolder || (await mkdtemp(join(tmpdir(), 'purser-bench-')))
  const stops: (() => Promise<unknown>)[] = []
  if (settings.sizeFolder === '') stops.push(() => rm(folder, { recursive: true, force: true }))
  try {
    const config = readConfig({})
    const database = await startDatabase(folder, settingsForMany)
    stops.push(() => database.stop())
    // The measurement adds many payments to each of the few users, so they are always filled again.
    await database.client.query('drop database if exists few')
    const serve = async (name: string, users: number, payments: number): Promise<Side> => {
      const connection = { ...database.connection, database: name }
      await createDatabase(connection)
      await migrate(connection)
      const people = await withClient(connection, async (client) => {
        if (!(await isFilled(client, { users, payments }))) await fill(client, config, { users, payments })
        return insertReaders(client, Math.min(users, payments))
      })
      const service = await startService({ ...quiet, ROLES: 'api', DATABASE_URL: databaseUrl(connection) })
      stops.push(() => service.stop())
      return { connection, users, service, tokens: await tokensFor(service, connection, people) }
    }
    const few = await serve('few', fewUsers, fewUsers)
    const many = await serve('many', settings.sizeUsers, settings.sizePayments)
    await takeTurns(config, { many }, warmupMinutes)
    return [
      ...(await facts(many)),
      ...(await compareRates(
        'statement, first page',
        settings,
        ({ service, tokens }) => loadHttp(`${service.url}/user/statement`, tokens, settings.seconds),
        { few, many },
      )),
      ...(await compareTimes('search by card id, median', { few, many }, timeSearches, goal)),
      ...(await compareTimes(
        'scan of due work, median',
        { few, many },
        async ({ connection }) => (await timeScans(connection)).flat(),
        goal,
      )),
      ...(await compareTimes('check of one user by reconcile, median', { few, many }, timeChecks)),
      ...(await compareAuthorizations(config, settings, { few, many })),
      ...(await compareTimes('warm start to first response, median', { few, many }, timeStarts, goal)),
    ]
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

type Content = { readonly users: number; readonly payments: number }

/** Returns whether an earlier run has filled the database. Fails if that run had other numbers. */
async function isFilled(client: pg.Client, { users, payments }: Content): Promise<boolean> {
  const { rows: tables } = await client.query(`select to_regclass('bench_filled') is not null as found`)
  if (!tables[0].found) return false
  const { rows } = await client.query('select users, payments from bench_filled')
  if (rows[0].users === users && rows[0].payments === payments) return true
  throw new MissingTools(
    `--size-folder has ${rows[0].users} users and ${rows[0].payments} payments. Use another folder.`,
  )
}

async function fill(client: pg.Client, config: Config, { users, payments }: Content) {
  // The rows refer to each other correctly, so no foreign key is checked.
  await client.query('set session_replication_role = replica; set synchronous_commit = off')
  await insertCardUsers(client, users, config)
  await insertCardHistory(client, 2 * payments, config, Math.min(users, payments))
  await client.query(`create table bench_filled as select ${users} as users, ${payments} as payments`)
}

/** Gives an owner to a random sample of the first users, so that they can read their statements. */
async function insertReaders(client: pg.Client, users: number): Promise<readonly Person[]> {
  const { rows } = await client.query<{ userId: string }>(
    `insert into owner (user_id, address, access_id, created_at)
     select user_id, '0x' || md5(user_id::text), user_id, now() from bench_card
     where n in (select 1 + floor(random() * $1)::int from generate_series(1, $2))
     on conflict do nothing returning user_id as "userId"`,
    [users, readers],
  )
  await client.query('vacuum (analyze) owner')
  return rows.map(({ userId }) => ({ userId, wallet: anyWallet }))
}

/** Issues access tokens with the settings of the service, so that it accepts them. */
async function tokensFor({ url }: Server, connection: Connection, people: readonly Person[]): Promise<string[]> {
  const config = readConfig({ PORT: new URL(url).port })
  const db = openDb(connection, config, () => {})
  try {
    return await issueTokens(db, config, people)
  } finally {
    await db.stop()
  }
}

function facts({ connection }: Side): Promise<Row[]> {
  return withClient(connection, async (client) => {
    const { rows } = await client.query(`
      select (select reltuples from pg_class where relname = 'app_user') as users,
        (select reltuples from pg_class where relname = 'statement_item') as items,
        pg_database_size(current_database()) / 2 ^ 20 as megabytes`)
    const [{ users, items, megabytes }] = rows
    return [
      { measure, what: 'users', figure: Number(users), unit: '' },
      { measure, what: 'statement items', figure: Number(items), unit: '' },
      { measure, what: 'size of the database', figure: Number(megabytes), unit: 'MB' },
    ]
  })
}

function authorize(config: Config, { service, users }: Side, seconds: number): Promise<Work> {
  const numbers = Array.from({ length: seconds * signedPerSecond }, () => 1 + Math.floor(Math.random() * users))
  return loadSigned(
    `${service.url}/issuer/v1/authorizations`,
    signAuthorizations(config, numbers),
    seconds,
    connections,
  )
}

type Sides = { readonly few: Side; readonly many: Side }
type Total = { requests: number; seconds: number; images: number; reads: number }

/**
 * Compares mean rates after a checkpoint. The first change of a page after a checkpoint writes the whole page to the
 * write-ahead log, so authorizations are slowest at first. `--minutes 15` covers a whole interval of checkpoints.
 */
async function compareAuthorizations(config: Config, { minutes }: Settings, sides: Sides): Promise<Row[]> {
  // Not counted: the service with few users compiles its code.
  await authorize(config, sides.few, turnSeconds.many)
  await withClient(sides.many.connection, (client) => client.query('checkpoint'))
  const { few, many } = await takeTurns(config, sides, minutes)
  const rate = ({ requests, seconds }: Total) => requests / seconds
  const what = `with ${sides.many.users} users`
  return [
    {
      measure,
      what: `authorization: time ${what} ÷ with ${sides.few.users}`,
      figure: rate(few) / rate(many),
      unit: '×',
      goal,
    },
    { measure, what: `authorization: rate ${what}`, figure: rate(many), unit: '/s' },
    {
      measure,
      what: `whole pages written to the log for each authorization, ${what}`,
      figure: many.images / many.requests,
      unit: '',
    },
    { measure, what: `pages read for each authorization, ${what}`, figure: many.reads / many.requests, unit: '' },
  ]
}

async function takeTurns(config: Config, sides: Partial<Sides>, minutes: number): Promise<Record<keyof Sides, Total>> {
  const none = { requests: 0, seconds: 0, images: 0, reads: 0 }
  const totals = { few: { ...none }, many: { ...none } }
  for (const until = Date.now() + minutes * 60_000; Date.now() < until; ) {
    for (const name of ['few', 'many'] as const) {
      const side = sides[name]
      if (side === undefined) continue
      const before = await readPageCounts(side)
      const work = await authorize(config, side, turnSeconds[name])
      const after = await readPageCounts(side)
      const total = totals[name]
      total.requests += work.requests
      total.seconds += work.seconds
      total.images += after.images - before.images
      total.reads += after.reads - before.reads
    }
  }
  return totals
}

/** Counts whole pages in the write-ahead log, and pages that were not in `shared_buffers`. */
async function readPageCounts({ connection }: Side): Promise<{ images: number; reads: number }> {
  return withClient(connection, async (client) => {
    const { rows } = await client.query(`
      select (select wal_fpi from pg_stat_wal)::float as images, blks_read::float as reads
      from pg_stat_database where datname = current_database()`)
    return rows[0]
  })
}

async function compareRates(
  what: string,
  { rounds, sizeUsers }: Settings,
  run: (side: Side) => Promise<Work>,
  sides: Sides,
): Promise<Row[]> {
  const cost = await interleave(
    { few: { run: () => run(sides.few), cpu: {} }, many: { run: () => run(sides.many), cpu: {} } },
    rounds,
  )
  const { few, many } = cost
  return [
    {
      measure,
      what: `${what}: time with ${sizeUsers} users ÷ with ${fewUsers}`,
      figure: few.requestsPerSecond / many.requestsPerSecond,
      unit: '×',
      goal,
    },
    { measure, what: `${what}: rate with ${sizeUsers} users`, figure: many.requestsPerSecond, unit: '/s' },
  ]
}

/** Compares medians. `time` returns milliseconds. */
async function compareTimes(
  what: string,
  { few, many }: Sides,
  time: (side: Side) => Promise<number[]>,
  goal?: Row['goal'],
): Promise<Row[]> {
  // Not counted: the services compile their code.
  await time(few)
  await time(many)
  const ofFew: number[] = []
  const ofMany: number[] = []
  for (let round = 0; round < timeRounds; round++) {
    ofFew.push(...(await time(few)))
    ofMany.push(...(await time(many)))
  }
  return [
    {
      measure,
      what: `${what}: with ${many.users} users ÷ with ${few.users}`,
      figure: median(ofMany) / median(ofFew),
      unit: '×',
      ...(goal && { goal }),
    },
    { measure, what: `${what}, with ${many.users} users`, figure: median(ofMany), unit: 'ms' },
    { measure, what: `the same, p99`, figure: quantile(ofMany, 0.99), unit: 'ms' },
  ]
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await run()
  return performance.now() - startedAt
}

async function idsOf(
  connection: Connection,
  numbers: readonly number[],
  column: 'card_id' | 'user_id',
): Promise<string[]> {
  return withClient(connection, async (client) => {
    const { rows } = await client.query(`select ${column}::text as id from bench_card where n = any($1) order by n`, [
      numbers,
    ])
    return rows.map(({ id }) => String(id))
  })
}

async function timeSearches({ connection, users, service }: Side): Promise<number[]> {
  const operator = await withClient(connection, insertOperator)
  const numbers = Array.from({ length: searches }, () => 1 + Math.floor(Math.random() * users))
  const names = await idsOf(connection, numbers, 'card_id')
  const took: number[] = []
  for (const name of names) {
    took.push(
      await timed(async () => {
        const response = await fetch(`${service.url}/operator/search?q=${name}`, {
          headers: { authorization: `Bearer ${operator}` },
        })
        const body = await response.text()
        if (response.status !== 200) throw new Error(`search: ${response.status} ${body}`)
      }),
    )
  }
  return took
}

/** Checks users in the order of their ids, from a random one on, as `reconcile` does. */
async function timeChecks({ connection, users }: Side): Promise<number[]> {
  const config = readConfig({})
  const db = openDb(connection, config, () => {})
  try {
    const first = 1 + Math.floor(Math.random() * (users - checkedUsers))
    const numbers = Array.from({ length: checkedUsers }, (_, index) => first + index)
    const took: number[] = []
    for (const id of await idsOf(connection, numbers, 'user_id'))
      took.push(await timed(() => checkUser({ config, db }, id)))
    return took
  } finally {
    await db.stop()
  }
}

async function timeStarts({ connection }: Side): Promise<number[]> {
  const service = await startService({ ...quiet, ROLES: 'api', DATABASE_URL: databaseUrl(connection) })
  await service.stop()
  return [service.readyAfterSeconds * 1000]
}
