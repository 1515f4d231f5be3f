import { type ChildProcess, spawn } from 'node:child_process'
import { on, once } from 'node:events'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { bundled } from '../support/bundle.ts'
import { useCli } from '../support/cli.ts'
import { databaseUrl } from '../support/database-url.ts'
import { freePort } from '../support/free-port.ts'
import { processEnv } from '../support/process-env.ts'
import { createTestDatabase, httpClient, startService, type TestService } from '../support/service.ts'
import { newCardholder, type Person } from '../support/world.ts'

let service: TestService
let connection: TestService['connection']
const cli = useCli(() => ({ PURSER_URL: service.url }))
beforeAll(async () => {
  connection = await createTestDatabase()
  service = await startService({ worker: false, connection })
})
afterAll(() => service.stop())

async function messageTypes(holder: Person): Promise<string[]> {
  const rows = await service.ctx.db.query<{ type: string }>(
    'select type from card_message where user_id = $1 order by created_at, card_message_id',
    [holder.userId],
  )
  return rows.map(({ type }) => type)
}

test('a duplicated card message makes one hold and gets one response', async () => {
  const holder = await newCardholder(service)
  const { body } = await holder.send('authorization', '10.00', { event_id: 'd1', fault: { duplicate: 9 } })
  expect(body).toMatchObject({ status: 'approved' })
  expect(await messageTypes(holder)).toEqual(['authorization'])
  expect(await holder.money()).toEqual({ own: 9000n, held: 1000n, network: 0n })
})

test('the network cannot tell a dropped request from a dropped response until it retries', async () => {
  const holder = await newCardholder(service)
  const failure = { success: false, error: 'UPSTREAM_FAILURE' }
  const lost = await holder.try('authorization', '10.00', { event_id: 'lost', fault: { drop: 'request' } })
  expect([lost.status, lost.body]).toEqual([502, failure])
  expect(await holder.cardRows()).toEqual([])
  expect(await holder.money()).toMatchObject({ held: 0n })

  const unheard = await holder.try('authorization', '10.00', { event_id: 'unheard', fault: { drop: 'answer' } })
  expect([unheard.status, unheard.body]).toEqual([502, failure])
  expect(await holder.cardLines()).toEqual(['Payment pending 1000'])

  const again = await holder.send('authorization', '10.00', { event_id: 'unheard' })
  const [row] = await holder.cardRows()
  expect(again.body).toMatchObject({ status: 'approved', authorization_id: row.authorizationId })
  expect(await holder.money()).toEqual({ own: 9000n, held: 1000n, network: 0n })
  const late = await holder.send('authorization', '5.00', { event_id: 'lost', authorization_code: 'STORY2' })
  expect(late.body.status).toBe('approved')
})

test('a retry with the idempotency key of a dropped response makes no second hold', async () => {
  const holder = await newCardholder(service)
  const body = { transaction_type: 'authorization', card_id: holder.cardId, currency: 'EUR', amount: '10.00' }
  const faulty = { ...body, fault: { drop: 'answer' } }
  const key = { 'idempotency-key': 'dropped' }
  expect((await service.sandbox('POST', '/transactions', faulty, key)).status).toBe(502)
  expect((await service.sandbox('POST', '/transactions', faulty, key)).status).toBe(502)
  expect(await holder.money()).toEqual({ own: 9000n, held: 1000n, network: 0n })
})

test('a delayed card message has no effect until it arrives', async () => {
  const holder = await newCardholder(service)
  const startedAt = performance.now()
  const sent = holder.send('authorization', '10.00', { fault: { delay_seconds: 3 } })
  expect(await holder.cardRows()).toEqual([])
  expect((await sent).body.status).toBe('approved')
  expect(performance.now() - startedAt).toBeGreaterThan(2990)
})

test('a reordered card message is processed after the next message of its card, with the same outcome as in order', async () => {
  const holder = await newCardholder(service)
  const query = vi.spyOn(service.as('sandbox').db, 'query')
  const first = holder.send('authorization', '20.00', { fault: { reorder: true } })
  // The second count shows that the first message has begun to wait.
  const counts = () => query.mock.calls.filter(([text]) => text.includes('count(*)')).length
  await expect.poll(counts).toBeGreaterThan(1)
  query.mockRestore()
  expect((await holder.send('clearing', '12.00')).body.status).toBe('approved')
  expect((await first).body.status).toBe('approved')
  expect(await messageTypes(holder)).toEqual(['clearing', 'authorization'])
  expect(await holder.cardLines()).toEqual(['Payment settled 1200'])
  expect(await holder.money()).toEqual({ own: 8800n, held: 0n, network: 1200n })
})

test.each([
  [{}],
  [{ delay: 1 }],
  [{ delay_seconds: 21 }],
  [{ duplicate: 0 }],
  [{ drop: 'both' }],
  [{ crash: 'before' }],
  [{ reorder: false }],
  ['crash'],
])('an invalid fault is rejected: %j', async (fault) => {
  const holder = await newCardholder(service)
  const { status, body } = await holder.try('authorization', '1.00', { fault })
  expect([status, body.kind]).toEqual([400, 'validation'])
  expect(await holder.cardRows()).toEqual([])
})

async function startProcess(at?: number): Promise<{ child: ChildProcess; url: string }> {
  const port = at ?? (await freePort())
  const child = spawn(process.execPath, [bundled('main')], {
    env: {
      ...processEnv,
      DATABASE_URL: databaseUrl(connection),
      ...{ PORT: String(port), HOST: '127.0.0.1', LOG_LEVEL: 'error' },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  // The stream stays open: a service that starts again writes to it.
  for await (const [chunk] of on(child.stdout, 'data')) {
    output += chunk
    if (output.includes('Purser is ready')) break
  }
  child.stdout.resume()
  return { child, url: `http://127.0.0.1:${port}` }
}

test('a repeated event gets the committed decision after the process was killed and restarted', async () => {
  const holder = await newCardholder(service)
  const purchase = { transaction_type: 'authorization', card_id: holder.cardId, currency: 'EUR', amount: '10.00' }
  const message = { ...purchase, event_id: 'crash-1' }
  const doomed = await startProcess()
  const ended = once(doomed.child, 'exit')
  const crash = { ...message, fault: { crash: 'after_commit' } }
  await expect(httpClient(doomed.url).sandbox('POST', '/transactions', crash)).rejects.toThrow('fetch failed')
  expect(await ended).toEqual([null, 'SIGKILL'])
  expect(await holder.cardLines()).toEqual(['Payment pending 1000'])

  const restarted = await startProcess()
  try {
    const [first, second] = await Promise.all(
      [1, 2].map(() => httpClient(restarted.url).sandbox('POST', '/transactions', message)),
    )
    const [row] = await holder.cardRows()
    expect(first?.body).toEqual({
      status: 'approved',
      authorization_code: row.authorizationCode,
      authorization_id: row.authorizationId,
    })
    expect(second?.text).toBe(first?.text)
    expect(await holder.money()).toEqual({ own: 9000n, held: 1000n, network: 0n })
    await holder.assertBooks()
  } finally {
    restarted.child.kill('SIGTERM')
    await once(restarted.child, 'exit')
  }
})

test('"sandbox crash" kills the service, and after a restart the payment is on the statement once', async () => {
  const port = await freePort()
  const doomed = await startProcess(port)
  const at = { env: { PURSER_URL: doomed.url } }
  await cli('sandbox user', at)
  await cli('sandbox deposit 5', at)
  const ended = once(doomed.child, 'exit')
  const { code, stdout, stderr } = await cli('sandbox crash --json', at)
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: expect.stringContaining('"eventId"'), stderr: '' })
  expect(await ended).toEqual([null, 'SIGKILL'])
  // The service is down already, so the command has killed nothing.
  expect(await cli('sandbox crash', at)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(doomed.url),
  })
  const restarted = await startProcess(port)
  try {
    const { data } = JSON.parse((await cli('api GET /user/statement?limit=10', at)).stdout)
    expect(data.map((item: any) => [item.kind ?? item.type, item.status])).toEqual([
      ['Payment', 'pending'],
      ['deposit', 'approved'],
    ])
  } finally {
    restarted.child.kill('SIGTERM')
    await once(restarted.child, 'exit')
  }
})

test('a service that starts again after a simulated crash keeps its process, and the same event gets the stored response', async () => {
  const holder = await newCardholder(service)
  const purchase = { transaction_type: 'authorization', card_id: holder.cardId, currency: 'EUR', amount: '10.00' }
  const message = { ...purchase, event_id: 'crash-2' }
  const { child, url } = await startProcess()
  try {
    const crash = { ...message, fault: { crash: 'after_commit', restart: true } }
    await expect(httpClient(url).sandbox('POST', '/transactions', crash)).rejects.toThrow('fetch failed')
    const repeat = () => httpClient(url).sandbox('POST', '/transactions', message)
    await expect.poll(() => repeat().then(({ status }) => status, String)).toBe(200)
    const [row] = await holder.cardRows()
    expect((await repeat()).body).toMatchObject({ status: 'approved', authorization_code: row.authorizationCode })
    expect([child.exitCode, child.signalCode]).toEqual([null, null])
    expect(await holder.money()).toEqual({ own: 9000n, held: 1000n, network: 0n })
    await holder.assertBooks()
  } finally {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
})
