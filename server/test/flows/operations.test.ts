import { expect, test } from 'vitest'
import { alerts } from '../../../deploy/observability/alerts.ts'
import { dashboards } from '../../../deploy/observability/dashboards.ts'
import { captureLog } from '../support/log.ts'
import { lockWaits } from '../support/run/cluster.ts'
import { startService, useService } from '../support/service.ts'

const log = captureLog('trace')
const service = useService({ alter: log.alter })

test('health reports a live process, and readiness also a live database', async () => {
  const live = await service.request('GET', '/health')
  expect([live.status, live.body]).toEqual([200, { status: 'ok' }])
  const ready = await service.request('GET', '/health/ready')
  expect([ready.status, ready.body]).toEqual([200, { status: 'ok' }])
})

test('a service without its database, or without a migration, is healthy but not ready', async () => {
  const lost = await startService({ worker: false })
  const [newest] = await lost.ctx.db.query<{ name: string }>(
    'select name from applied_migration order by id desc limit 1',
  )
  await lost.ctx.db.query('delete from applied_migration where name = $1', [newest?.name])
  expect((await lost.request('GET', '/health/ready')).status).toBe(503)
  await lost.ctx.db.stop()
  const answer = await lost.request('GET', '/health/ready')
  expect([answer.status, answer.body]).toEqual([503, { status: 'unavailable' }])
  expect((await lost.request('GET', '/health')).status).toBe(200)
  // Issuing a nonce writes nothing, so no stranger can fill a table.
  const nonce = await lost.request('GET', '/api/v1/auth/nonce')
  expect([nonce.status, nonce.text]).toEqual([200, expect.stringMatching(/^[A-Za-z][A-Za-z0-9]{16,}$/)])
  await lost.stop().catch(() => {})
})

test('metrics count requests by route pattern, never by path', async () => {
  await service.request('GET', '/cards/01a1fc4e-f39c-748a-b04f-9ca8209a4d4a')
  const { status, text } = await service.request('GET', '/metrics')
  expect(status).toBe(200)
  expect(text).toContain('purser_http_request_seconds_count{method="GET",route="/cards/:cardId",status="401"} 1')
  expect(text).not.toContain('01a1fc4e')
})

test('the metrics of a running service contain every metric of the alerts and the dashboards', async () => {
  const { text } = await service.request('GET', '/metrics')
  const defined = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name))
  const shown = dashboards.flatMap(({ panels }) => panels.map(({ metric }) => metric))
  const watched = alerts.flatMap(({ expr }) => expr.match(/\bpurser_\w+/g) ?? [])
  const base = (name: string) => (defined.has(name) ? name : name.replace(/_(bucket|count|sum)$/, ''))
  expect([...shown, ...watched].map(base).filter((name) => !defined.has(name))).toEqual([])
})

test('logs contain route and outcome, but no access token, phone number, email address, wallet address or cursor', async () => {
  const user = await service.newUser({ email: 'secret.person@example.org' })
  const phone = '+4915123456789'
  const card = await service.request('POST', '/cards/virtual', {
    token: user.token,
    body: { cardName: 'Log me not', phone },
  })
  expect(card.status).toBe(201)
  await service.request('GET', `/user/statement?cursor=not-a-cursor`, { token: user.token })
  await service.request('GET', '/user', { token: `${user.token}x` })

  expect(log.text()).toContain('"route":"/cards/virtual"')
  expect(log.text()).toContain('"statusCode":201')
  for (const secret of [
    user.token,
    user.token.split('.')[2] ?? '',
    phone,
    'secret.person',
    'Bearer',
    'not-a-cursor',
    user.wallet.address,
  ]) {
    expect(log.text()).not.toContain(secret)
  }
})

test('a stopping service finishes the request in flight and accepts no more', async () => {
  const stopping = await startService()
  const { userId, token } = await stopping.newUser()
  const taken = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const locked = stopping.ctx.db.transaction(async (tx) => {
    await tx.query('select 1 from account where user_id = $1 for update', [userId])
    taken.resolve()
    await released
  })
  await taken.promise
  const [token0] = stopping.ctx.config.tokens
  const inFlight = stopping.request('POST', '/user/withdrawal', {
    token,
    body: { tokenAddress: token0?.address, amount: '1' },
  })
  await expect.poll(() => stopping.ctx.db.query(lockWaits)).toHaveLength(1)
  const stopped = stopping.stop()
  await new Promise((resolve) => setTimeout(resolve, 50))
  release()
  await locked
  const answer = await inFlight
  expect([answer.status, answer.body]).toEqual([422, { success: false, error: 'INSUFFICIENT_FUNDS' }])
  await stopped
  await expect(stopping.request('GET', '/health')).rejects.toThrow()
})
