import { readConfig } from '../../server/src/config/config.ts'
import { openDb } from '../../server/src/platform/db/db.ts'
import { distribute } from '../../server/src/platform/db/distribute.ts'
import { createDatabase, migrate } from '../../server/src/platform/db/migrate.ts'
import { databaseUrl } from '../../server/test/support/database-url.ts'
import { createJoinedDatabase, dropTestDatabases, openCluster } from '../../server/test/support/run/cluster.ts'
import { signAuthorizations } from '../authorizations.ts'
import { insertCardHistory, insertCardUsers } from '../card-users.ts'
import { withClient } from '../database.ts'
import { timeScans } from '../due-scans.ts'
import { quiet, type Settings } from '../ground.ts'
import { type Connection, connections, loadHttp, loadSigned, type Work } from '../load.ts'
import { MissingTools } from '../machine.ts'
import { insertMovements } from '../movements.ts'
import { insertPeople, issueTokens, makePeople } from '../people.ts'
import { startService } from '../processes.ts'
import type { Row } from '../report.ts'
import { interleave, median } from '../rounds.ts'

const measure = 'distributed'
/** More requests than any machine completes, so that none is sent twice. */
const signedPerSecond = 6000

type Side = {
  readonly connection: Connection
  readonly authorize: () => Promise<Work>
  readonly get: (path: string) => Promise<Work>
  readonly stop: () => Promise<unknown>
}

/**
 * Compares a database on the coordinator alone with one that is distributed over the cluster of TEST_CLUSTER, in turn.
 * Both have the same rows and server settings on one machine, so a ratio is the price of distribution.
 */
export async function measureDistributed(settings: Settings): Promise<Row[]> {
  const url = process.env['TEST_CLUSTER']
  if (!url) throw new MissingTools('"distributed" needs TEST_CLUSTER, the URL of the coordinator of a Citus cluster.')
  const nodes = await openCluster(url)
  const plain = { ...nodes.coordinator, database: 'bench_plain' }
  const cluster = { ...nodes.coordinator, database: 'bench_cluster' }
  const drop = () => dropTestDatabases(nodes, [plain.database, cluster.database])
  const stops: (() => Promise<unknown>)[] = [drop]
  try {
    await drop()
    await createDatabase(plain)
    await migrate(plain)
    await createJoinedDatabase(nodes, cluster.database)
    for (const each of [plain, cluster]) await fill(each, settings)
    await distribute(cluster)
    await analyze(cluster)
    const ofPlain = await serve(plain, 'off', settings)
    stops.push(ofPlain.stop)
    const ofCluster = await serve(cluster, 'on', settings)
    stops.push(ofCluster.stop)
    const compare = (what: string, minRatio: number, run: (side: Side) => Promise<Work>) =>
      compareRates(
        { what, minRatio, rounds: settings.rounds },
        () => run(ofPlain),
        () => run(ofCluster),
      )
    return [
      ...(await compare('authorization', 0.25, ({ authorize }) => authorize())),
      ...(await compare('statement-20', 0.4, ({ get }) => get('/user/statement?limit=20'))),
      ...(await compare('balances', 0.35, ({ get }) => get('/user/balances/v2'))),
      {
        measure,
        what: 'scan of due work, cluster',
        figure: await timeScan(cluster, 'on'),
        unit: 'ms',
        goal: { atMost: 3 },
      },
      { measure, what: 'scan of due work, plain', figure: await timeScan(plain, 'off'), unit: 'ms' },
    ]
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

/** Inserts the rows before the tables are distributed, because a cluster rejects some of the bulk statements. */
async function fill(connection: Connection, { users, cardUsers, movements }: Settings): Promise<void> {
  const config = readConfig({})
  const people = makePeople(users)
  await withClient(connection, async (client) => {
    await insertCardUsers(client, cardUsers, config)
    await insertPeople(client, people, config)
    await insertMovements(
      client,
      people.map(({ userId }) => userId),
      movements,
    )
    // As in the measure of authorizations: without a history, PostgreSQL plans scans. Also analyzes all tables.
    await insertCardHistory(client, 2 * cardUsers, config)
  })
}

async function analyze(connection: Connection): Promise<void> {
  await withClient(connection, async (client) => {
    const { rows } = await client.query<{ name: string }>('select logicalrelid::text as name from pg_dist_partition')
    for (const { name } of rows) await client.query(`vacuum (analyze) ${name}`)
  })
}

async function serve(connection: Connection, distributed: 'on' | 'off', settings: Settings): Promise<Side> {
  const env = { DATABASE_URL: databaseUrl(connection), DATABASE_DISTRIBUTED: distributed }
  const service = await startService({ ...quiet, ...env, ROLES: 'api' })
  const config = readConfig({ PORT: new URL(service.url).port, DATABASE_DISTRIBUTED: distributed })
  const db = openDb(connection, config, () => {})
  const tokens = await issueTokens(db, config, makePeople(settings.users))
  return {
    connection,
    get: (path) => loadHttp(service.url + path, tokens, settings.seconds),
    authorize() {
      const numbers = Array.from(
        { length: settings.seconds * signedPerSecond },
        () => 1 + Math.floor(Math.random() * settings.cardUsers),
      )
      const signed = signAuthorizations(config, numbers)
      return loadSigned(`${service.url}/issuer/v1/authorizations`, signed, settings.seconds, connections)
    },
    stop: () => Promise.all([service.stop(), db.stop()]),
  }
}

async function compareRates(
  { what, minRatio, rounds }: { what: string; minRatio: number; rounds: number },
  runPlain: () => Promise<Work>,
  runCluster: () => Promise<Work>,
): Promise<Row[]> {
  const sides = { plain: { run: runPlain, cpu: {} }, cluster: { run: runCluster, cpu: {} } }
  const { plain, cluster } = await interleave(sides, rounds)
  return [
    {
      measure,
      what: `${what}: rate of the cluster ÷ plain`,
      figure: cluster.requestsPerSecond / plain.requestsPerSecond,
      unit: '×',
      goal: { atLeast: minRatio },
    },
    { measure, what: `${what}: rate of the cluster`, figure: cluster.requestsPerSecond, unit: '/s' },
    { measure, what: `${what}: rate of plain`, figure: plain.requestsPerSecond, unit: '/s' },
  ]
}

/** Returns the median milliseconds of the scan that each worker process repeats, on the slowest node. */
async function timeScan(connection: Connection, distributed: 'on' | 'off'): Promise<number> {
  return Math.max(...(await timeScans(connection, distributed)).map(median))
}
