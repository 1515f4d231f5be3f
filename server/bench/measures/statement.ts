import { pageRange } from '../../src/statement/rules.ts'
import { eachReadableItem } from '../../src/statement/sql.ts'
import { type Ground, quiet } from '../ground.ts'
import { connections, loadHttp, loadPostgres, manyConnections } from '../load.ts'
import { type Server, startPair } from '../processes.ts'
import type { Row } from '../report.ts'
import { interleave } from '../rounds.ts'
import { type Statement, statementOf } from '../statements.ts'

/** pgbench prepares each user's statement on each connection, so a few users do. */
const users = 16

/**
 * The first page over HTTP against pgbench running the very statement that the service sends. One process of Node works
 * on one core, and PostgreSQL under pgbench on all: two processes show what the machine can do.
 */
export async function measureStatement(ground: Ground): Promise<Row[]> {
  const { config, database } = ground
  // The tokens are those of the one process.
  const issued = { TOKEN_ISSUER: config.tokenIssuer, TOKEN_AUDIENCE: config.tokenAudience }
  const pair = await startPair({ ...quiet, ...issued, ROLES: 'api', DATABASE_URL: database.url })
  try {
    return [...(await page(ground, pair, 100, 0.5)), ...(await page(ground, pair, 20, 0.65))]
  } finally {
    await Promise.all(pair.map((each) => each.stop()))
  }
}

async function page(ground: Ground, pair: [Server, Server], limit: number, leastOfPgbench: number): Promise<Row[]> {
  const { service, database, settings, people, tokens } = ground
  const statements: Statement[] = []
  for (const { userId, wallet } of people.slice(0, users)) {
    const caller = {
      userId,
      signerAddress: wallet.address,
      chainId: '1',
      signedBy: 'key' as const,
      expiresAt: new Date(),
    }
    const range = { ...pageRange({ start: null, end: null }, null), limit: limit + 1 }
    statements.push(await statementOf((db) => eachReadableItem(db, caller, range, () => {})))
  }
  const path = `/user/statement?limit=${limit}`
  const over = ([first, ...others]: readonly [Server, ...Server[]], clients = connections * (1 + others.length)) => ({
    run: () => loadHttp(first.url + path, tokens.slice(0, users), settings.seconds, clients),
    cpu: {
      server: () => [first, ...others].reduce((total, each) => total + ground.clocks(each).server(), 0),
      postgres: database.cpuSeconds,
    },
  })
  const cost = await interleave(
    {
      service: over([service]),
      busy: over([service], manyConnections),
      pair: over(pair),
      pgbench: {
        run: () => loadPostgres(database.connection, statements, settings.seconds),
        cpu: { server: () => 0, postgres: database.cpuSeconds },
      },
    },
    settings.rounds,
  )
  const { server, postgres } = cost.service.microseconds
  const measure = `statement-${limit}`
  return [
    {
      measure,
      what: 'rate over HTTP ÷ pgbench on the same statement, two processes',
      figure: cost.pair.requestsPerSecond / cost.pgbench.requestsPerSecond,
      unit: '×',
      goal: { atLeast: leastOfPgbench },
    },
    {
      measure,
      what: 'the same, one process',
      figure: cost.service.requestsPerSecond / cost.pgbench.requestsPerSecond,
      unit: '×',
      goal: { atLeast: leastOfPgbench },
    },
    {
      measure,
      what: `the same, one process, ${manyConnections} connections`,
      figure: cost.busy.requestsPerSecond / cost.pgbench.requestsPerSecond,
      unit: '×',
    },
    { measure, what: "server CPU ÷ PostgreSQL's", figure: server / postgres, unit: '×', goal: { atMost: 1.1 } },
    { measure, what: 'server CPU a request', figure: server, unit: 'µs' },
    {
      measure,
      what: `server CPU a request, ${manyConnections} connections`,
      figure: cost.busy.microseconds.server,
      unit: 'µs',
    },
    { measure, what: 'PostgreSQL CPU a request', figure: postgres, unit: 'µs' },
    { measure, what: 'PostgreSQL CPU a request, pgbench', figure: cost.pgbench.microseconds.postgres, unit: 'µs' },
    { measure, what: 'rate over HTTP', figure: cost.service.requestsPerSecond, unit: '/s' },
  ]
}
