import { accessToken, createPurser } from '../../client/src/index.ts'
import type { Ground } from '../ground.ts'
import type { Row } from '../report.ts'

const requests = 1000
const concurrency = 8
const runs = 40
const warmUps = 5

/** Measures the CPU that the client adds to a plain fetch of the same request, in the process of the caller. */
export async function measureSdk({ service, tokens }: Ground): Promise<Row[]> {
  const token = tokens[0] ?? ''
  const url = `${service.url}/user/balances/v2`
  const purser = createPurser({ baseUrl: service.url, auth: accessToken(token) })
  const ways = {
    client: () => purser.balances.list(),
    fetch: async () => (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).json(),
  }
  const sum = { client: 0, fetch: 0 }
  for (let run = -warmUps; run < runs; run++) {
    // Each way leaves garbage that the next one pays for, so they take turns in going first.
    const order = run % 2 === 0 ? (['client', 'fetch'] as const) : (['fetch', 'client'] as const)
    for (const way of order) {
      const microseconds = await microsecondsEach(ways[way])
      if (run >= 0) sum[way] += microseconds
    }
  }
  // The ratio of the sums is steadier than the median of the ratios: garbage of one run is often collected in the next.
  const ratio = sum.client / sum.fetch
  const measure = 'sdk'
  return [
    { measure, what: 'CPU of a call ÷ plain fetch', figure: ratio, unit: '×', goal: { atMost: 1.1 } },
    { measure, what: 'CPU of a call', figure: sum.client / runs, unit: 'µs' },
    { measure, what: 'CPU of a plain fetch', figure: sum.fetch / runs, unit: 'µs' },
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
