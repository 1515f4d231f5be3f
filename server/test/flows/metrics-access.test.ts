import { Counter } from 'prom-client'
import { afterEach, expect, test } from 'vitest'
import { type Process, startProcess } from '../proof/processes.ts'
import { freePort } from '../support/free-port.ts'
import { productionEnv } from '../support/production-env.ts'
import { createTestDatabase, httpClient, startService, type TestService } from '../support/service.ts'

const token = 'a token for the metrics of this test alone'
const unauthorized = { status: 401, body: { error: 'METRICS_UNAUTHORIZED' } }

let service: TestService | null = null
let production: Process | null = null
afterEach(async () => {
  await service?.stop()
  await production?.kill('SIGTERM')
  service = null
  production = null
})

async function startProduction(env: Record<string, string>): Promise<TestService['request']> {
  production = await startProcess(await createTestDatabase(), { ...productionEnv, ROLES: 'api', ...env })
  return httpClient(production.url).request
}

test('production serves metrics on METRICS_PORT, and not beside the API', async () => {
  const port = await freePort()
  const request = await startProduction({ METRICS_PORT: String(port) })
  expect(await request('GET', '/metrics')).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } })
  expect((await request('GET', '/health')).status).toBe(200)
  const own = await httpClient(`http://127.0.0.1:${port}`).request('GET', '/metrics')
  expect([own.status, own.text]).toEqual([200, expect.stringContaining('purser_http_request_seconds')])
})

test('production serves metrics beside the API only for the bearer of METRICS_TOKEN', async () => {
  const request = await startProduction({ METRICS_TOKEN: token })
  expect(await request('GET', '/metrics')).toMatchObject(unauthorized)
  expect(await request('GET', '/metrics', { token: `${token}x` })).toMatchObject(unauthorized)
  expect(await request('GET', '/metrics', { token })).toMatchObject({ status: 200 })
})

test('METRICS_TOKEN protects the metrics of a sandbox too', async () => {
  service = await startService({ env: { METRICS_TOKEN: token } })
  expect(await service.request('GET', '/metrics')).toMatchObject(unauthorized)
  expect(await service.request('GET', '/metrics', { token })).toMatchObject({ status: 200 })
})

test('concurrent scrapes share one rendering, and later ones cause at most one per second', async () => {
  service = await startService({ worker: false })
  let renderings = 0
  new Counter({
    name: 'renderings_total',
    help: 'Renderings.',
    registers: [service.ctx.metrics.registry],
    collect() {
      renderings++
    },
  })
  const { request } = service
  const startedAt = performance.now()
  for (let round = 0; round < 3; round++) {
    const scrapes = await Promise.all(Array.from({ length: 20 }, () => request('GET', '/metrics')))
    expect(scrapes.map(({ status }) => status)).toEqual(scrapes.map(() => 200))
  }
  expect(renderings).toBeLessThanOrEqual(1 + Math.floor((performance.now() - startedAt) / 1000))
})
