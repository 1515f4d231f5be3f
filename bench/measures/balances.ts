import type { Ground } from '../ground.ts'
import { connections, loadHttp, manyConnections } from '../load.ts'
import { startPeer } from '../processes.ts'
import type { Row } from '../report.ts'
import { interleave } from '../rounds.ts'

/**
 * Compares balances with the cheapest possible response of the framework, with the same number of connections. The goal
 * is for a busy service: few connections raise the cost of a balances request, but hardly that of the bare framework.
 */
export async function measureBalances(ground: Ground): Promise<Row[]> {
  const { service, settings, tokens } = ground
  const bare = await startPeer('bare')
  try {
    const contender = (server: typeof bare, path: string, clients: number) => ({
      run: () => loadHttp(`${server.url}${path}`, tokens, settings.seconds, clients),
      cpu: ground.clocks(server),
    })
    const cost = await interleave(
      {
        balances: contender(service, '/user/balances/v2', manyConnections),
        bare: contender(bare, '/', manyConnections),
        idleBalances: contender(service, '/user/balances/v2', connections),
        idleBare: contender(bare, '/', connections),
      },
      settings.rounds,
    )
    const measure = 'balances'
    const few = `${connections} connections`
    const { server, postgres } = cost.balances.microseconds
    const idle = cost.idleBalances.microseconds
    return [
      {
        measure,
        what: 'per server core ÷ bare Fastify',
        figure: cost.bare.microseconds.server / server,
        unit: '×',
        goal: { atLeast: 0.33 },
      },
      {
        measure,
        what: `the same, ${few} each`,
        figure: cost.idleBare.microseconds.server / idle.server,
        unit: '×',
      },
      { measure, what: 'server CPU per request', figure: server, unit: 'µs' },
      { measure, what: `the same, ${few}`, figure: idle.server, unit: 'µs' },
      { measure, what: 'server CPU per request, bare Fastify', figure: cost.bare.microseconds.server, unit: 'µs' },
      { measure, what: 'PostgreSQL CPU per request', figure: postgres, unit: 'µs' },
      { measure, what: `the same, ${few}`, figure: idle.postgres, unit: 'µs' },
      { measure, what: 'rate over HTTP', figure: cost.balances.requestsPerSecond, unit: '/s' },
    ]
  } finally {
    await bare.stop()
  }
}
