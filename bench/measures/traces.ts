import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ground, quiet } from '../ground.ts'
import { loadHttp, manyConnections } from '../load.ts'
import { buildChanged, startService } from '../processes.ts'
import type { Row } from '../report.ts'
import { type Cost, interleave } from '../rounds.ts'

/** Single rounds differ by 5 %, and the goal is 2 %. */
const gateRounds = 20

/**
 * Compares the service without traces with a bundle of the same source that cannot trace, and with the service that
 * traces every request. The services share one database, so only the code of the traces differs.
 */
export async function measureTraces(ground: Ground): Promise<Row[]> {
  const { config, settings, tokens, database } = ground
  const stops: (() => Promise<unknown>)[] = []
  try {
    const folder = await mkdtemp(join(tmpdir(), 'purser-bench-'))
    stops.push(() => rm(folder, { recursive: true, force: true }))
    const collector = await startCollector()
    stops.push(() => collector.stop())
    // Access tokens name the address of the service that the ground has started.
    const env = { ...quiet, ROLES: 'api', DATABASE_URL: database.url, BASE_URL: config.servers.base }
    const off = await startService(env)
    stops.push(() => off.stop())
    const without = await startService(env, '', await buildChanged(folder, withoutTraces))
    stops.push(() => without.stop())
    const on = await startService({ ...env, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.url })
    stops.push(() => on.stop())

    const contender = (server: typeof off) => ({
      run: () => loadHttp(`${server.url}/user/balances/v2`, tokens, settings.seconds, manyConnections),
      cpu: ground.clocks(server),
    })
    const cost = await interleave({ off: contender(off), without: contender(without) }, gateRounds)
    const traced = await interleave({ off: contender(off), on: contender(on) }, settings.rounds)
    const microseconds = (one: Cost<'server'>) => one.microseconds.server
    const measure = 'traces'
    return [
      {
        measure,
        what: 'server CPU per balances request, off ÷ without the code',
        figure: microseconds(cost.off) / microseconds(cost.without),
        unit: '×',
        goal: { atMost: 1.02 },
      },
      { measure, what: 'the same, on ÷ off', figure: microseconds(traced.on) / microseconds(traced.off), unit: '×' },
      { measure, what: 'server CPU per request, off', figure: microseconds(cost.off), unit: 'µs' },
    ]
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

/** Replaces the one call that opens the traces. All code that traces uses the result of this call. */
function withoutTraces(bundle: string): string {
  const changed = bundle.replace(/await openTraces\([^;\n]*\);/, 'null;')
  if (changed === bundle) throw new Error('the bundle does not open traces')
  return changed
}

/** Starts a collector that accepts everything. */
async function startCollector() {
  const server = createServer((request, response) => request.resume().on('end', () => response.end('{}')))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}/v1/traces`,
    stop: () => new Promise((done) => server.close(done)),
  }
}
