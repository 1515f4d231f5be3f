import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ground, quiet } from '../ground.ts'
import { loadHttp, manyConnections } from '../load.ts'
import { buildChanged, type Server, startService } from '../processes.ts'
import type { Row } from '../report.ts'
import { interleave } from '../rounds.ts'

/** Two starts of the same code differ by about 3 %, and the goal is 2 %. So the fastest of several starts counts. */
const starts = 4

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
    const withoutCode = await buildChanged(folder, withoutTraces)

    const contender = (server: Server) => ({
      run: () => loadHttp(`${server.url}/user/balances/v2`, tokens, settings.seconds, manyConnections),
      cpu: ground.clocks(server),
    })
    const compare = async (): Promise<Cost> => {
      const off = await startService(env)
      const without = await startService(env, '', withoutCode)
      try {
        const { off: one, without: other } = await interleave(
          { off: contender(off), without: contender(without) },
          settings.rounds,
        )
        return { off: one.microseconds.server, without: other.microseconds.server }
      } finally {
        await Promise.all([off.stop(), without.stop()])
      }
    }
    const costs: Cost[] = []
    for (let start = 0; start < starts; start++) costs.push(await compare())
    const [off, without] = [Math.min(...costs.map((each) => each.off)), Math.min(...costs.map((each) => each.without))]

    const traced = await startService({ ...env, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.url })
    stops.push(() => traced.stop())
    const { on } = await interleave({ on: contender(traced) }, settings.rounds)
    const measure = 'traces'
    return [
      {
        measure,
        what: 'server CPU per balances request, off ÷ without the code',
        figure: off / without,
        unit: '×',
        goal: { atMost: 1.02 },
      },
      { measure, what: 'the same, on ÷ off', figure: on.microseconds.server / off, unit: '×' },
      { measure, what: 'server CPU per request, off', figure: off, unit: 'µs' },
    ]
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

/** Microseconds of the service for each request. */
type Cost = { readonly off: number; readonly without: number }

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
