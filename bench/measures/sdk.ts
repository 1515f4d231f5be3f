import { accessToken, createPurser } from '../../client/src/index.ts'
import type { Ground } from '../ground.ts'
import type { Row } from '../report.ts'

const requests = 3000
const concurrency = 8
const runs = 8

/** Measures the CPU that the client adds to a plain fetch of the same request, in the process of the caller. */
export async function measureSdk({ service, tokens }: Ground): Promise<Row[]> {
  const token = tokens[0] ?? ''
  const url = `${service.url}/user/balances/v2`
  const purser = createPurser({ baseUrl: service.url, auth: accessToken(token) })
  const ways = {
    client: () => purser.balances.list(),
    fetch: async () => (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).json(),
  }
  const best = { client: Number.POSITIVE_INFINITY, fetch: Number.POSITIVE_INFINITY }
  for (let run = 0; run < runs; run++) {
    for (const name of ['client', 'fetch'] as const) {
      best[name] = Math.min(best[name], await microsecondsEach(ways[name]))
    }
  }
  const measure = 'sdk'
  return [
    {
      measure,
      what: 'CPU of a call ÷ plain fetch',
      figure: best.client / best.fetch,
      unit: '×',
      goal: { atMost: 1.1 },
    },
    { measure, what: 'CPU of a call', figure: best.client, unit: 'µs' },
    { measure, what: 'CPU of a plain fetch', figure: best.fetch, unit: 'µs' },
  ]
}

async function microsecondsEach(call: () => Promise<unknown>): Promise<number> {
  let left = requests
  const before = process.cpuUsage()
  const client = async () => {
    while (left-- > 0) await call()
  }
  await Promise.all(Array.from({ length: concurrency }, client))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / requests
}
