import { eachReadableItem } from '../../server/src/money/statement/sql.ts'
import { type Ground, quiet } from '../ground.ts'
import { connections, loadHttp, loadPostgres, manyConnections } from '../load.ts'
import { sessionOf } from '../people.ts'
import { type Server, startPair } from '../processes.ts'
import type { Row } from '../report.ts'
import { interleave } from '../rounds.ts'
import { type Statement, statementOf } from '../statements.ts'

/** Few users, since pgbench prepares each user's statement on each connection. */
const users = 16

/**
 * Compares the first page over HTTP with pgbench on the statement that the service sends. The goals are those of a busy
 * service: with few connections, each request wakes up three processes. The measure also shows the rate of two service
 * processes, since one uses only one core.
 */
export async function measureStatement(ground: Ground): Promise<Row[]> {
  const { config, database } = ground
  // All processes accept the tokens of the single one.
  const issued = { TOKEN_ISSUER: config.tokenIssuer, TOKEN_AUDIENCE: config.tokenAudience }
  const pair = await startPair({ ...quiet, ...issued, ROLES: 'api', DATABASE_URL: database.url })
  try {
    return [...(await page(ground, pair, 100, 0.6)), ...(await page(ground, pair, 20, 0.6))]
  } finally {
    await Promise.all(pair.map((each) => each.stop()))
  }
}

async function page(ground: Ground, pair: [Server, Server], limit: number, minRatio: number): Promise<Row[]> {
  const { service, database, settings, people, tokens } = ground
  const statements: Statement[] = []
  for (const { userId } of people.slice(0, users)) {
    const caller = sessionOf(userId)
    const filters = { start: null, end: null, type: null, cardId: null }
    const wanted = { filters, after: null, limit: limit + 1 }
    statements.push(await statementOf((db) => eachReadableItem(db, caller, wanted, () => {})))
  }
  const path = `/user/statement?limit=${limit}`
  const over = ([first, ...others]: readonly [Server, ...Server[]], clients: number) => ({
    run: () => loadHttp(first.url + path, tokens.slice(0, users), settings.seconds, clients),
    cpu: {
      server: () => [first, ...others].reduce((total, each) => total + ground.clocks(each).server(), 0),
      postgres: database.cpuSeconds,
    },
  })
  const cost = await interleave(
    {
      pair: over(pair, manyConnections),
      busy: over([service], manyConnections),
      service: over([service], connections),
      pgbench: {
        run: () => loadPostgres(database.connection, statements, settings.seconds),
        cpu: { server: () => 0, postgres: database.cpuSeconds },
      },
    },
    settings.rounds,
  )
  const measure = `statement-${limit}`
  const { pair: two, busy, service: idle, pgbench } = cost
  const few = `${connections} connections`
  const ofPgbench = ({ requestsPerSecond }: { requestsPerSecond: number }) =>
    requestsPerSecond / pgbench.requestsPerSecond
  const ofPostgres = ({ microseconds: { server, postgres } }: typeof busy) => server / postgres
  return [
    {
      measure,
      what: 'rate over HTTP ÷ pgbench on the same statement',
      figure: ofPgbench(busy),
      unit: '×',
      goal: { atLeast: minRatio },
    },
    { measure, what: 'the same, two processes', figure: ofPgbench(two), unit: '×' },
    { measure, what: `the same, one process, ${few}`, figure: ofPgbench(idle), unit: '×' },
    {
      measure,
      // The service sends statements together, which costs PostgreSQL less. That saving must not raise the ratio.
      what: 'server CPU ÷ PostgreSQL CPU under pgbench',
      figure: busy.microseconds.server / pgbench.microseconds.postgres,
      unit: '×',
      goal: { atMost: 1.1 },
    },
    { measure, what: 'server CPU ÷ PostgreSQL CPU under the service', figure: ofPostgres(busy), unit: '×' },
    { measure, what: `the same, ${few}`, figure: ofPostgres(idle), unit: '×' },
    { measure, what: 'server CPU per request', figure: busy.microseconds.server, unit: 'µs' },
    { measure, what: `the same, ${few}`, figure: idle.microseconds.server, unit: 'µs' },
    { measure, what: 'PostgreSQL CPU per request', figure: busy.microseconds.postgres, unit: 'µs' },
    { measure, what: 'PostgreSQL CPU per request, pgbench', figure: pgbench.microseconds.postgres, unit: 'µs' },
    { measure, what: 'rate over HTTP', figure: busy.requestsPerSecond, unit: '/s' },
    { measure, what: 'rate of pgbench', figure: pgbench.requestsPerSecond, unit: '/s' },
  ]
}
