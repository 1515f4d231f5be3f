import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Postgres, startPostgres, startProcess, tapWire } from '../proof/processes.ts'
import { httpClient, startService, type TestService } from '../support/service.ts'
import { type Person, populate } from '../support/world.ts'

/** The real process, and a PostgreSQL that becomes unavailable. `proof/kills.test.ts` kills both of them under load. */
let postgres: Postgres
let observer: TestService
beforeAll(async () => {
  postgres = await startPostgres()
  observer = await startService({ connection: postgres.connection, worker: false })
})
afterAll(async () => {
  await observer?.stop()
  await postgres?.remove()
})

const outageSeconds = Number(process.env['OUTAGE_SECONDS'] ?? 5)

const purchase = ({ cardId }: Person, eventId: string) => ({
  transaction_type: 'authorization',
  card_id: cardId,
  amount: '1.00',
  currency: 'EUR',
  event_id: eventId,
})

test('a retry gets the stored response after a kill between commit and response', {
  tags: ['fault-5'],
}, async () => {
  const { alice } = await populate(observer, { eur: 100, card: true })
  const wire = await tapWire(postgres.connection)
  // There is no worker, so the first commit is that of the purchase.
  const first = await startProcess(wire.connection, { ROLES: 'api' })
  const body = purchase(alice, 'no-response')
  wire.onCommit(() => void first.kill())
  await expect(httpClient(first.url).sandbox('POST', '/transactions', body)).rejects.toThrow()
  await first.kill()
  await wire.stop()
  expect(await alice.money()).toEqual({ own: 9900n, held: 100n, network: 0n })
  const [stored] = await observer.ctx.db.query<{ code: string; id: bigint }>(
    'select authorization_code as code, authorization_id as id from card_message where user_id = $1 and event_id = $2',
    [alice.userId, 'no-response'],
  )

  const second = await startProcess(postgres.connection, { ROLES: 'api' })
  const again = await httpClient(second.url).sandbox('POST', '/transactions', body)
  await second.kill('SIGTERM')
  const decision = { status: 'approved', authorization_code: stored?.code, authorization_id: Number(stored?.id) }
  expect([again.status, again.body]).toEqual([200, decision])
  expect(await alice.money()).toEqual({ own: 9900n, held: 100n, network: 0n })
  expect(await alice.cardRows()).toHaveLength(1)
  await alice.assertBooks()
})

// This test is slow because the service waits ten seconds for PostgreSQL.
test('requests fail with 502 when PostgreSQL hangs after a commit, and a retry gets the stored response', {}, async () => {
  const { alice } = await populate(observer, { eur: 100, card: true })
  const wire = await tapWire(postgres.connection)
  const { tokenIssuer, tokenAudience } = observer.ctx.config
  const service = await startProcess(wire.connection, {
    ROLES: 'api',
    TOKEN_ISSUER: tokenIssuer,
    TOKEN_AUDIENCE: tokenAudience,
  })
  const client = httpClient(service.url)
  const buy = (eventId: string) => client.sandbox('POST', '/transactions', purchase(alice, eventId))
  const read = (path: string) => client.request('GET', path, { token: alice.token })
  await buy('before')
  expect((await read('/user/statement')).status).toBe(200)

  const silent = new Promise<void>((resolve) =>
    wire.onCommit(() => {
      wire.silence()
      resolve()
    }),
  )
  const unacknowledged = buy('unacknowledged')
  await silent
  const startedAt = performance.now()
  const failed = await Promise.all([
    unacknowledged,
    buy('never-sent'),
    read('/user/statement'),
    read('/user/balances/v2'),
  ])
  expect((performance.now() - startedAt) / 1000).toBeLessThan(40)
  const unavailable = [502, { success: false, error: 'UPSTREAM_FAILURE' }]
  expect(failed.map(({ status, body }) => [status, body])).toEqual(failed.map(() => unavailable))

  wire.speak()
  expect((await buy('unacknowledged')).body).toMatchObject({ status: 'approved' })
  expect((await read('/user/statement')).body.data).toHaveLength(3)
  expect(await alice.money()).toEqual({ own: 9800n, held: 200n, network: 0n })
  await alice.assertBooks()
  await service.kill('SIGTERM')
  await wire.stop()
})

test(`the service recovers from a database outage of ${outageSeconds} s without restart, and every purchase is decided once`, {
  tags: ['fault-8'],
  timeout: 600_000 + outageSeconds * 2000,
}, async () => {
  const { alice } = await populate(observer, { eur: 10_000, card: true })
  const service = await startProcess(postgres.connection)
  const client = httpClient(service.url)
  let events = 0
  const sent: { eventId: string; status: number; text: string; body: any }[] = []
  const send = async (eventId: string) => {
    const { status, text, body } = await client.sandbox('POST', '/transactions', purchase(alice, eventId))
    return { eventId, status, text, body }
  }
  const rejected = () => sent.filter(({ status }) => status !== 200)
  /** Sends purchases in two concurrent lanes until the work is over. */
  const underLoad = async (work: Promise<void>) => {
    let isOver = false
    const ended = work.finally(() => {
      isOver = true
    })
    const lane = async () => {
      while (!isOver) {
        sent.push(await send(`event-${++events}`))
        await delay(100)
      }
    }
    await Promise.all([lane(), lane(), ended])
  }
  await underLoad(
    (async () => {
      await delay(500)
      await postgres.halt()
      await delay(outageSeconds * 1000)
      const { token } = alice
      const statement = await client.request('GET', '/user/statement', { token })
      expect([statement.status, statement.body]).toEqual([502, { success: false, error: 'UPSTREAM_FAILURE' }])
      expect((await client.request('GET', '/health')).status).toBe(200)
      expect((await client.request('GET', '/health/ready')).status).toBeGreaterThanOrEqual(500)
      // The outage lasts until enough purchases were rejected, however slow the machine is.
      await expect.poll(() => rejected().length).toBeGreaterThan(5)
      await postgres.start()
      await expect.poll(() => sent.slice(-4).every(({ status }) => status === 200)).toBe(true)
    })(),
  )
  expect(sent.at(-1)?.status).toBe(200)
  expect(rejected().length).toBeGreaterThan(5)
  for (const { status, body } of rejected()) {
    expect([status, body]).toEqual([502, { success: false, error: 'UPSTREAM_FAILURE' }])
  }
  for (const { eventId, status, text } of sent) {
    const again = await send(eventId)
    expect(again.status).toBe(200)
    if (status === 200) expect(again.text).toBe(text)
  }
  await service.kill('SIGTERM')
  const held = BigInt(sent.length) * 100n
  expect(await alice.money()).toEqual({ own: 1_000_000n - held, held, network: 0n })
  await alice.assertBooks()
})

test('a connection that ends between two statements rolls back its transaction', async () => {
  const { alice } = await populate(observer, { card: true })
  const { db } = observer.ctx
  const cut = db.transaction(async (tx) => {
    await tx.query('update app_user set country = $2 where user_id = $1', [alice.userId, 'FR'])
    const [session] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid')
    await db.query('select pg_terminate_backend($1)', [session?.pid])
    await delay(100)
    await tx.query('select 1')
  })
  await expect(cut).rejects.toThrow(/terminat|connection error/i)
  const rows = await db.query('select country from app_user where user_id = $1', [alice.userId])
  expect(rows).toEqual([{ country: 'DE' }])
})
