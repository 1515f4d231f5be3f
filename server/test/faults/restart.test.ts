import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProcess } from '../proof/processes.ts'
import { freePort } from '../support/free-port.ts'
import { httpClient, startService, type TestService } from '../support/service.ts'
import { eure, type Person, populate } from '../support/world.ts'

/** Real processes that are killed while they hold a lease, and start again. A lease lasts a minute. */
let observer: TestService
beforeAll(async () => {
  observer = await startService({ worker: false })
})
afterAll(() => observer?.stop())

const muchLessThanALease = 30_000

/** Holds the lock of a user's account, so that work on it begins and cannot end. */
async function holdAccount({ userId }: Person): Promise<() => Promise<void>> {
  const client = new pg.Client(observer.connection)
  await client.connect()
  await client.query('begin')
  await client.query('select 1 from account where user_id = $1 for update', [userId])
  return () => client.end()
}

async function start(port: string, roles: string) {
  const { tokenIssuer, tokenAudience } = observer.ctx.config
  return startProcess(observer.connection, {
    PORT: port,
    ROLES: roles,
    CHAIN: 'simulated',
    TOKEN_ISSUER: tokenIssuer,
    TOKEN_AUDIENCE: tokenAudience,
  })
}

test('after a kill, the restarted process executes a retry of the interrupted request at once, and other processes reject it until then', {
  timeout: 240_000,
}, async () => {
  const { alice } = await populate(observer, { eur: 100 })
  const [port, otherPort] = [String(await freePort()), String(await freePort())]
  const body = { userId: alice.userId, token: observer.ctx.config.tokens[0]?.address, amount: String(eure(5)) }
  const key = { 'idempotency-key': randomUUID() }
  const deposit = ({ url }: { url: string }) => httpClient(url).sandbox('POST', '/deposits', body, key)
  const leases = () =>
    observer.ctx.db.query('-- scanDue\nselect key from idempotency_key where key = $1 and status is null', [
      key['idempotency-key'],
    ])

  const first = await start(port, 'api')
  const release = await holdAccount(alice)
  const interrupted = expect(deposit(first)).rejects.toThrow()
  await expect.poll(leases).toHaveLength(1)
  await first.kill()
  await interrupted
  await release()

  const other = await start(otherPort, 'api')
  const busy = await deposit(other)
  expect([busy.status, busy.body.error]).toEqual([409, 'REQUEST_IN_PROGRESS'])
  expect(Number(busy.headers.get('retry-after'))).toBeGreaterThan(0)

  const second = await start(port, 'api')
  const retried = await deposit(second)
  expect(retried.status).toBe(201)
  expect((await deposit(other)).text).toBe(retried.text)
  await Promise.all([other.kill('SIGTERM'), second.kill('SIGTERM')])
  expect(await alice.money()).toMatchObject({ own: 105_00n })
  await alice.assertBooks()
  // A process that shuts down gracefully leaves nothing to take over.
  expect(await observer.ctx.db.query('select address from service_process')).toEqual([])
})

test('after a kill, the restarted process takes over the due work of its predecessor at once', {
  timeout: 240_000,
}, async () => {
  const { alice } = await populate(observer, { eur: 100 })
  expect((await alice.withdraw(eure(1))).status).toBe(201)
  const port = String(await freePort())
  const withdrawals = () =>
    observer.ctx.db.query<{ status: string; leased: boolean }>(
      'select status, leased_by is not null as leased from withdrawal where user_id = $1',
      [alice.userId],
    )
  const release = await holdAccount(alice)
  const first = await start(port, 'api,worker')
  await expect.poll(withdrawals).toEqual([{ status: 'pending', leased: true }])
  await first.kill()
  await release()
  expect(await withdrawals()).toEqual([{ status: 'pending', leased: true }])

  const second = await start(port, 'api,worker')
  await expect.poll(withdrawals, { timeout: muchLessThanALease }).toMatchObject([{ status: 'processing' }])
  await second.kill('SIGTERM')
  await alice.assertBooks()
})
