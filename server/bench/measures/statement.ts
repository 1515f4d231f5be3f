import { pageRange } from '../../src/statement/rules.ts'
import { findReadableItems } from '../../src/statement/sql.ts'
import type { Ground } from '../ground.ts'
import { loadHttp, loadPostgres } from '../load.ts'
import type { Row } from '../report.ts'
import { interleave } from '../rounds.ts'
import { type Statement, statementOf } from '../statements.ts'

/** pgbench prepares each user's statement on each connection, so a few users do. */
const users = 16

/** The first page over HTTP against pgbench running the very statement that the service sends. */
export async function measureStatement(ground: Ground): Promise<Row[]> {
  return [...(await page(ground, 100, 0.5)), ...(await page(ground, 20, 0.65))]
}

async function page(ground: Ground, limit: number, leastOfPgbench: number): Promise<Row[]> {
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
    const range = pageRange({ start: null, end: null }, null)
    statements.push(await statementOf((db) => findReadableItems(db, caller, range, limit + 1)))
  }
  const url = `${service.url}/user/statement?limit=${limit}`
  const cost = await interleave(
    {
      service: { run: () => loadHttp(url, tokens.slice(0, users), settings.seconds), cpu: ground.clocks(service) },
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
      what: 'rate over HTTP ÷ pgbench on the same statement',
      figure: cost.service.requestsPerSecond / cost.pgbench.requestsPerSecond,
      unit: '×',
      goal: { atLeast: leastOfPgbench },
    },
    { measure, what: "server CPU ÷ PostgreSQL's", figure: server / postgres, unit: '×', goal: { atMost: 1.1 } },
    { measure, what: 'server CPU a request', figure: server, unit: 'µs' },
    { measure, what: 'PostgreSQL CPU a request', figure: postgres, unit: 'µs' },
    { measure, what: 'PostgreSQL CPU a request, pgbench', figure: cost.pgbench.microseconds.postgres, unit: 'µs' },
    { measure, what: 'rate over HTTP', figure: cost.service.requestsPerSecond, unit: '/s' },
  ]
}
