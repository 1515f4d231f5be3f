import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Config, readConfig } from '../../server/src/config/config.ts'
import { createDatabase } from '../../server/src/platform/db/migrate.ts'
import { databaseUrl } from '../../server/test/support/database-url.ts'
import {
  type AuthorizationScript,
  authorizationScript,
  latencyRatios,
  sendSteadily,
  signAuthorizations,
} from '../authorizations.ts'
import { createCardDatabase } from '../card-users.ts'
import { type Database, startDatabase } from '../database.ts'
import type { Settings } from '../ground.ts'
import {
  type Connection,
  connections,
  loadScript,
  loadSigned,
  manyConnections,
  runScriptSteadily,
  type Work,
} from '../load.ts'
import { endedChildrenCpuSeconds, splitCpuSeconds } from '../machine.ts'
import { type Server, startService } from '../processes.ts'
import type { Row } from '../report.ts'
import { type Contender, type Cost, interleave, median, quantile } from '../rounds.ts'
import { pgledgerScript } from '../transfers.ts'

const measure = 'authorization'
const path = '/issuer/v1/authorizations'
/**
 * The postings of each user before a measure. On an empty table, PostgreSQL may plan a scan, and a connection keeps
 * that plan: messages of one user then slow each other down.
 */
const firstPostings = 2
/** More requests than any machine completes, so that none is sent twice. */
const signedPerSecond = 6000
/** More rounds than for rates, since a percentile has fewer samples. */
const steadyRounds = 8

type Clock = 'serverUser' | 'serverSystem' | 'postgres' | 'client'
/** A database with its service. */
type Programme = { readonly connection: Connection; readonly service: Server }
type Bench = { readonly settings: Settings; readonly config: Config; readonly database: Database }

/**
 * Compares signed and durable authorizations through the issuer's gateway with pgbench on the same statements, and with
 * pgledger, which books one transfer in one call. No worker runs (sealing, expiry): in production, it may be another
 * process.
 */
export async function measureAuthorization(settings: Settings): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'purser-bench-'))
  const stops: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
  try {
    const database = await startDatabase(folder)
    stops.push(() => database.stop())
    const bench = { settings, config: readConfig({}), database }
    const serve = async (name: string, postings: number): Promise<Programme> => {
      const connection = await newProgramme(bench, name, settings.cardUsers, postings)
      const env = { ROLES: 'api', DATABASE_URL: databaseUrl(connection) }
      const options = settings.profile ? `--cpu-prof --cpu-prof-dir=${process.cwd()}` : ''
      const service = await startService(env, options)
      stops.push(() => service.stop())
      return { connection, service }
    }
    const empty = await serve('first', 0)
    const script = await authorizationScript(empty.connection, bench.config, settings.cardUsers)
    const { rows, perSecond } = await besidePgbench(bench, empty, script)
    rows.push(
      ...(await besidePgledger(bench, empty)),
      ...(await ofOneUser(bench, empty)),
      ...(await programmes(bench, empty)),
    )
    const full = await serve('preloaded', settings.postings)
    rows.push(
      ...(await withHistory(bench, empty, full)),
      ...(await atHalfLoad(bench, { empty, full, script, perSecond: perSecond / 2 })),
    )
    return rows
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

async function newProgramme({ config, database }: Bench, name: string, users: number, postings: number) {
  const connection = { ...database.connection, database: name }
  await createCardDatabase(connection, config, { users, postings: Math.max(postings, firstPostings * users) })
  return connection
}

function contender(bench: Bench, { service }: Programme, run: () => Promise<Work>): Contender<Clock> {
  return {
    run,
    cpu: {
      serverUser: () => splitCpuSeconds(service.pid).user,
      serverSystem: () => splitCpuSeconds(service.pid).system,
      postgres: bench.database.cpuSeconds,
      client: endedChildrenCpuSeconds,
    },
  }
}

/** Runs authorizations of the users that `startRun` picks. */
function overHttp(bench: Bench, programme: Programme, clients: number, startRun: () => () => number) {
  const { config, settings } = bench
  return contender(bench, programme, () => {
    const numbers = Array.from({ length: settings.seconds * signedPerSecond }, startRun())
    return loadSigned(programme.service.url + path, signAuthorizations(config, numbers), settings.seconds, clients)
  })
}

const anyUser =
  ({ settings }: Bench) =>
  () =>
  () =>
    1 + Math.floor(Math.random() * settings.cardUsers)

async function besidePgbench(
  bench: Bench,
  programme: Programme,
  script: AuthorizationScript,
): Promise<{ rows: Row[]; perSecond: number }> {
  const { settings } = bench
  const { service, few, pgbench } = await interleave(
    {
      service: overHttp(bench, programme, manyConnections, anyUser(bench)),
      few: overHttp(bench, programme, connections, anyUser(bench)),
      pgbench: contender(bench, programme, () => loadScript(programme.connection, script, settings.seconds)),
    },
    settings.rounds,
  )
  const cost = service.microseconds
  const perSecond = service.requestsPerSecond
  const cpu = (what: string, figure: number): Row => ({
    measure,
    what: `CPU of an authorization: ${what}`,
    figure,
    unit: 'µs',
  })
  const own = cost.serverUser + cost.serverSystem + cost.postgres
  return {
    perSecond,
    rows: [
      {
        measure,
        what: "rate over HTTP ÷ pgbench's, the same statements",
        figure: perSecond / pgbench.requestsPerSecond,
        unit: '×',
        goal: { atLeast: 1 / 3 },
      },
      { measure, what: 'rate over HTTP', figure: perSecond, unit: '/s' },
      { measure, what: 'the same, 8 connections', figure: few.requestsPerSecond, unit: '/s' },
      { measure, what: 'rate of pgbench', figure: pgbench.requestsPerSecond, unit: '/s' },
      { measure, what: 'statements per authorization, without begin and commit', figure: script.statements, unit: '' },
      { measure, what: 'round trips per authorization, with begin and commit', figure: script.trips, unit: '' },
      { ...cpu('PostgreSQL', cost.postgres), goal: { atMost: 600 } },
      { ...cpu('the service', cost.serverUser + cost.serverSystem), goal: { atMost: 450 } },
      cpu('PostgreSQL, under pgbench', pgbench.microseconds.postgres),
      cpu('the service, user time', cost.serverUser),
      cpu('the service, system time', cost.serverSystem),
      cpu('the load generator', cost.client),
      {
        measure,
        what: "share of this machine's CPU capacity, without the load generator",
        figure: (perSecond * own) / (cpus().length * 1e4),
        unit: '%',
      },
    ],
  }
}

/** Compares with a ledger that books one transfer in one call. Returns nothing without a checkout of pgledger. */
async function besidePgledger(bench: Bench, programme: Programme): Promise<Row[]> {
  const { settings, database } = bench
  if (settings.pgledger === '') return []
  const connection = { ...database.connection, database: 'pgledger' }
  await createDatabase(connection)
  const script = await pgledgerScript(connection, settings.cardUsers, settings.pgledger)
  const { service, pgledger } = await interleave(
    {
      service: overHttp(bench, programme, manyConnections, anyUser(bench)),
      pgledger: contender(bench, programme, () => loadScript(connection, script, settings.seconds)),
    },
    settings.rounds,
  )
  return [
    {
      measure,
      what: `rate over HTTP ÷ transfers of pgledger ${script.version}`,
      figure: service.requestsPerSecond / pgledger.requestsPerSecond,
      unit: '×',
      goal: { atLeast: 0.4 },
    },
    { measure, what: 'rate of its transfers', figure: pgledger.requestsPerSecond, unit: '/s' },
    { measure, what: 'CPU of a transfer: PostgreSQL', figure: pgledger.microseconds.postgres, unit: 'µs' },
  ]
}

async function ofOneUser(bench: Bench, programme: Programme): Promise<Row[]> {
  // Each run has another user, so that all histories are equally short.
  let users = 0
  const oneUser = () => {
    const number = ++users
    return () => number
  }
  const { parallel, serial } = await interleave(
    {
      parallel: overHttp(bench, programme, connections, oneUser),
      serial: overHttp(bench, programme, 1, oneUser),
    },
    bench.settings.rounds,
  )
  return [
    {
      measure,
      what: `one user: ${connections} at once ÷ one after the other`,
      figure: parallel.requestsPerSecond / serial.requestsPerSecond,
      unit: '×',
      goal: { atLeast: 0.9 },
    },
  ]
}

/**
 * Verifies that users of one programme share no row. Several programmes, with one connection each, share only the
 * machine. One programme with as many connections must be as fast. Both sides run in pgbench, since eight services
 * would cost more than the difference. All databases are new, so that both sides have the same history.
 */
async function programmes(bench: Bench, any: Programme): Promise<Row[]> {
  const { config, settings } = bench
  const each = Math.ceil(settings.cardUsers / connections)
  const apart: Connection[] = []
  for (let i = 0; i < connections; i++) apart.push(await newProgramme(bench, `programme_${i}`, each, 0))
  const whole = await newProgramme(bench, 'whole', settings.cardUsers, 0)
  const ofWhole = await authorizationScript(whole, config, settings.cardUsers)
  const [first] = apart
  if (!first) throw new Error('there is no programme')
  const ofPart = await authorizationScript(first, config, each)
  // Both sides run one pgbench for each connection, so that they get the same share of the machine.
  const spread = (work: readonly [Connection, AuthorizationScript][]) =>
    contender(bench, any, () => together(work, settings.seconds))
  const { one, many } = await interleave(
    { one: spread(apart.map(() => [whole, ofWhole])), many: spread(apart.map((each) => [each, ofPart])) },
    settings.rounds,
  )
  return [
    {
      measure,
      what: `${settings.cardUsers} users of one programme ÷ spread over ${connections} programmes, one per connection`,
      figure: one.requestsPerSecond / many.requestsPerSecond,
      unit: '×',
      goal: { atLeast: 0.9 },
    },
  ]
}

async function together(work: readonly [Connection, AuthorizationScript][], seconds: number): Promise<Work> {
  const done = await Promise.all(work.map(([connection, script]) => loadScript(connection, script, seconds, 1)))
  return { requests: done.reduce((total, each) => total + (each.requests / each.seconds) * seconds, 0), seconds }
}

async function withHistory(bench: Bench, empty: Programme, full: Programme): Promise<Row[]> {
  const { settings } = bench
  const users = anyUser(bench)
  const cost = await interleave(
    { empty: overHttp(bench, empty, connections, users), full: overHttp(bench, full, connections, users) },
    settings.rounds,
  )
  const ofPostgres = ({ microseconds }: Cost<Clock>) => microseconds.postgres
  return [
    historyRatio(settings, 'time of an authorization', cost.empty.requestsPerSecond / cost.full.requestsPerSecond),
    historyRatio(settings, 'CPU of PostgreSQL', ofPostgres(cost.full) / ofPostgres(cost.empty)),
  ]
}

const historyRatio = ({ postings, cardUsers }: Settings, what: string, figure: number): Row => ({
  measure,
  what: `${postings} postings ÷ ${firstPostings * cardUsers}: ${what}`,
  figure,
  unit: '×',
  goal: { atMost: 1.5 },
})

type HalfLoad = {
  readonly empty: Programme
  readonly full: Programme
  readonly script: AuthorizationScript
  readonly perSecond: number
}

/**
 * Compares the latency of authorizations with and without history. The sides take turns, since a single pause of the
 * disk or the garbage collector decides the 99th percentile. The same rate in pgbench shows the latency of machine and
 * disk alone.
 */
async function atHalfLoad(bench: Bench, { empty, full, script, perSecond }: HalfLoad): Promise<Row[]> {
  const { postings, seconds } = bench.settings
  const runs = {
    empty: () => steadily(bench, empty, perSecond),
    full: () => steadily(bench, full, perSecond),
    pgbench: () => runScriptSteadily(empty.connection, script, seconds, perSecond),
  }
  const took: Record<keyof typeof runs, number[]> = { empty: [], full: [], pgbench: [] }
  for (let round = 0; round <= steadyRounds; round++) {
    for (const side of ['empty', 'full', 'pgbench'] as const) {
      const times = await runs[side]()
      if (round > 0) took[side].push(...times)
    }
  }
  const at = (side: keyof typeof runs, share: number) => quantile(took[side], share)
  const p99 = (side: keyof typeof runs) => at(side, 0.99)
  const what = 'p99 of a decision at half of the rate over HTTP'
  return [
    { measure, what, figure: p99('empty'), unit: 'ms', goal: { atMost: 50 } },
    { measure, what: 'the same, median', figure: median(took.empty), unit: 'ms' },
    { measure, what: `the same, p99 with ${postings} postings`, figure: p99('full'), unit: 'ms', goal: { atMost: 50 } },
    { measure, what: 'the same statements by pgbench at that rate, p99', figure: p99('pgbench'), unit: 'ms' },
    { measure, what: 'the same, median', figure: median(took.pgbench), unit: 'ms' },
    ...latencyRatios(measure, took.empty, took.pgbench),
    historyRatio(bench.settings, 'p99 at half load', p99('full') / p99('empty')),
  ]
}

/** Returns the milliseconds from the due time of each request to its response. */
function steadily({ config, settings }: Bench, { service }: Programme, perSecond: number): Promise<number[]> {
  const count = Math.ceil(settings.seconds * perSecond)
  const numbers = Array.from({ length: count }, () => 1 + Math.floor(Math.random() * settings.cardUsers))
  return sendSteadily(service.url + path, signAuthorizations(config, numbers), perSecond)
}
