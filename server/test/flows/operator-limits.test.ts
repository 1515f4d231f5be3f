import { randomUUID } from 'node:crypto'
import { get, type IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { fromConsole, newOperator, operatorMessage, testOperator } from '../support/console.ts'
import { startService } from '../support/service.ts'

/** The paths of the OpenAPI document of operators. */
type Documented = Record<string, Record<string, { operationId?: string; responses: Record<string, unknown> }>>

test('every limited operation of operators returns 429 with Retry-After after too many requests', async () => {
  const env = { RATE_LIMITS: 'proof.address=1/3600,sign-in.address=3/3600', OPERATOR_POLICIES: '{}' }
  const service = await startService({ env, worker: false })
  const ada = await newOperator(service, 'admin')
  const signIn = { body: await operatorMessage(service, testOperator) }
  expect((await service.request('POST', '/operator/session', signIn)).status).toBe(429)
  const subject = randomUUID()
  expect((await ada.ask('POST', `/users/${subject}/block`, { reason: 'a test' })).status).toBe(404)

  const { paths }: { paths: Documented } = (await service.request('GET', '/operator/openapi.json')).body
  const limited = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { responses }]) => responses && '429' in responses)
      .map(([method]) => [method.toUpperCase(), path] as const),
  )
  expect(limited.length).toBeGreaterThan(25)
  for (const [method, path] of limited) {
    const url = path.replaceAll(/\{\w+\}/g, subject)
    const { status, body, headers } = await service.request(method, url, {
      ...{ token: ada.token, headers: fromConsole },
      ...(method === 'GET' ? {} : { body: {} }),
    })
    expect([status, body.error, Number(headers.get('retry-after')) > 0], `${method} ${path}`).toEqual([
      ...[429, 'RATE_LIMITED', true],
    ])
  }
  await service.stop()
})

test('a third bundle of evidence gets 429 while two clients hold theirs open', async () => {
  const service = await startService({ worker: false })
  const auditor = await newOperator(service, 'auditor')
  const now = service.ctx.clock.now()
  const ids = Array.from({ length: 1000 }, () => randomUUID())
  // More bytes than the buffers of a connection take.
  await service.ctx.db.query(
    `insert into personal_data_read (read_id, read_by, role, about_user, reason, read_at)
     select id, 'somebody', 'support', id, repeat('x', 30000), $2 from unnest($1::uuid[]) as r (id)`,
    [ids, now],
  )
  const path = `/operator/evidence?from=${now.toISOString()}&to=${new Date(now.getTime() + 1000).toISOString()}`
  const hold = () =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { authorization: `Bearer ${auditor.token}` }
      get(`${service.url}${path}`, { headers, agent: false }, resolve).on('error', reject)
    })
  const held = await Promise.all([hold(), hold()])
  expect(held.map(({ statusCode }) => statusCode)).toEqual([200, 200])
  const third = await service.request('GET', path, { token: auditor.token })
  expect([third.status, third.body.error, third.headers.get('retry-after')]).toEqual([429, 'RATE_LIMITED', '10'])

  for (const response of held) response.destroy()
  const status = async () => {
    const next = await hold()
    next.destroy()
    return next.statusCode
  }
  await expect.poll(status).toBe(200)
  await service.stop()
})
