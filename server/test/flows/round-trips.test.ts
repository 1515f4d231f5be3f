import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tapWire, type Wire } from '../proof/processes.ts'
import { lockWaits } from '../support/run/cluster.ts'
import { createTestDatabase, startService, type TestService } from '../support/service.ts'
import { sendMessage } from '../support/vendors/issuer.ts'
import { populate } from '../support/world.ts'

/** A service whose traffic to PostgreSQL passes through a proxy that counts it. */
let wire: Wire
let service: TestService
beforeAll(async () => {
  wire = await tapWire(await createTestDatabase())
  service = await startService({ connection: wire.connection, worker: false })
})
afterAll(async () => {
  await service.stop()
  await wire.stop()
})

const euro = (amount: string) => ({ amount, currency: 'EUR' })

/** Sends the messages one after another, and returns the cost of the last one. */
async function costOf(path: string, messages: readonly object[]): Promise<ReturnType<Wire['takeCounts']>> {
  let cost = wire.takeCounts()
  for (const message of messages) {
    wire.takeCounts()
    const { status, body } = await sendMessage(service, path, message)
    expect([status, body.outcome]).toEqual([200, 'approved'])
    cost = wire.takeCounts()
  }
  return cost
}

test.skipIf(process.env['TEST_CLUSTER'])(
  'an authorization takes two calls in two round trips, and one more to find the card for the first time',
  async () => {
    const { alice } = await populate(service, { eur: 100, card: true })
    const authorization = { type: 'authorization', cardId: alice.cardId, ...euro('100') }
    // The second run finds the statements prepared, and the third one also the card.
    service.ctx.caches.cardKeys.clear()
    await costOf('authorizations', [authorization])
    service.ctx.caches.cardKeys.clear()
    expect(await costOf('authorizations', [authorization])).toEqual({ statements: 5, roundTrips: 3 })
    // begin and load; record and commit
    expect(await costOf('authorizations', [authorization])).toEqual({ statements: 4, roundTrips: 2 })
    await alice.assertBooks()
  },
)

test.skipIf(process.env['TEST_CLUSTER'])('a clearing costs as many round trips as its authorization', async () => {
  const { alice } = await populate(service, { eur: 100, card: true })
  await alice.send('authorization', '40.00')
  const clearing = {
    type: 'clearing',
    cardId: alice.cardId,
    authorizationCode: 'STORY1',
    isFinal: false,
    ...euro('100'),
  }
  expect(await costOf('clearings', [clearing, clearing])).toEqual({ statements: 4, roundTrips: 2 })
  await alice.assertBooks()
})

test.each(['/user/balances/v2', '/user/statement', '/user/deposits', '/cards', '/user/owners'])(
  'GET %s reads data and checks the session in one round trip, before and after another session of the owner has ended',
  async (path) => {
    const { alice } = await populate(service, { eur: 100, card: true })
    const other = await service.signIn(alice.wallet)
    const read = async (token: string) => {
      wire.takeCounts()
      const { status } = await service.request('GET', path, { token })
      return { status, ...wire.takeCounts() }
    }
    for (const token of [alice.token, other]) await read(token)
    const hot = { status: 200, statements: 1, roundTrips: 1 }
    // The service's own statements, such as a look at the switches, may be counted with a read, but not with each one.
    await expect.poll(() => read(other)).toEqual(hot)
    await service.request('POST', '/api/v1/auth/logout', { token: other })
    expect(await read(other)).toMatchObject({ status: 401 })
    await expect.poll(() => read(alice.token)).toEqual(hot)
  },
)

test('a message without an authorization code gets the first new code that its card has not used', async () => {
  const { alice } = await populate(service, { eur: 100, card: true })
  await alice.send('authorization', '1.00', { authorization_code: 'TAKEN1' })
  await alice.send('authorization', '1.00', { authorization_code: 'TAKEN2' })
  const load = (codes: readonly string[]) =>
    service.ctx.db.query(
      `select code, messages from load_card_message(p_user_id => $1, p_source => 'test', p_event_id => $2, p_card_id => $3,
         p_network_id => null, p_authorization_code => null, p_new_codes => $4, p_limited_currencies => '{}',
         p_spent_from => null, p_authorized_from => null)`,
      [alice.userId, randomUUID(), alice.cardId, codes],
    )
  expect(await load(['FRESH1', 'FRESH2'])).toEqual([{ code: 'FRESH1', messages: null }])
  expect(await load(['TAKEN1', 'TAKEN2', 'FRESH2'])).toEqual([{ code: 'FRESH2', messages: null }])
  expect(await load(['TAKEN1', 'TAKEN2'])).toEqual([{ code: null, messages: null }])
})

test('a call that waited for the lock sees the writes of the lock’s previous holder', async () => {
  const { alice } = await populate(service, { eur: 100, card: true })
  const other = new pg.Client(wire.connection)
  await other.connect()
  await other.query('begin')
  await other.query('select from account where user_id = $1 for update', [alice.userId])
  const bought = alice.try('authorization', '60.00')
  await expect.poll(async () => (await service.ctx.db.query(lockWaits)).length).toBe(1)
  await other.query('update ledger_balance set available = available - 50e18, held = held + 50e18 where user_id = $1', [
    alice.userId,
  ])
  await other.query('commit')
  await other.end()
  expect((await bought).body).toMatchObject({ denial_code: '810' })
})

test('a failed write at the end of a transaction rejects it, and none of its writes remain', async () => {
  const { db } = service.ctx
  const [key, otherKey] = [randomUUID(), randomUUID()]
  const write = `insert into directory (lookup_key, user_id) values ($1, $2)`
  const acts: string[] = []
  const twice = db.transaction(async (tx) => {
    tx.afterCommit(() => acts.push('committed'))
    tx.send(write, [key, randomUUID()])
    tx.send(write, [key, randomUUID()])
    tx.send(write, [otherKey, randomUUID()])
  })
  await expect(twice).rejects.toMatchObject({ code: '23505' })
  expect(await db.query('select from directory where lookup_key = any($1)', [[key, otherKey]])).toEqual([])
  await db.transaction(async (tx) => {
    const failed = tx.savepoint(async () => {
      tx.send('select 1 / 0')
    })
    await expect(failed).rejects.toMatchObject({ code: '22012' })
    tx.send(write, [key, randomUUID()])
  })
  expect(await db.query('select from directory where lookup_key = $1', [key])).toHaveLength(1)
  expect(acts).toEqual([])
})
