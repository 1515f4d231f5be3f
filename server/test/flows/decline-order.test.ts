import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lockWaits } from '../support/run/cluster.ts'
import { startService, type TestService } from '../support/service.ts'
import { sendMessage } from '../support/vendors/issuer.ts'
import { type Person, populate } from '../support/world.ts'

let service: TestService
beforeAll(async () => {
  const limits = {
    perTransaction: { EUR: '30000' },
    velocity: { authorizations: 30, seconds: 60 },
    refusedMerchantTypes: ['7995'],
    refusedCountries: ['KP'],
  }
  // The deadlines are longer than in production, so that a slow decision on a busy machine is not declined.
  const env = { ISSUER_DECISION_MILLISECONDS: '8000', ISSUER_ANSWER_MILLISECONDS: '9000' }
  service = await startService({ worker: false, env: { ...env, CARD_LIMITS: JSON.stringify(limits) } })
})
afterAll(() => service.stop())

async function buy({ cardId }: Person, amount: string, merchant: object = {}, eventId: string = randomUUID()) {
  const message = { type: 'authorization', eventId, cardId, amount, currency: 'EUR', merchant }
  return sendMessage(service, 'authorizations', message)
}

test('decline reasons are checked in a fixed order: card state, account and identity, limits, funds', async () => {
  const { alice } = await populate(service, { eur: 100, card: true })
  const { userId } = alice
  const user = (change: object) => service.sandbox('PATCH', `/users/${userId}`, change)
  const block = (by: string) => service.sandbox('POST', `/cards/${alice.cardId}/${by}`, { by: 'issuer' })
  for (let i = 0; i < 30; i++) await buy(alice, '1')
  await block('block')
  await user({ kyc: 'rejected', accountStatus: 'blocked' })

  const worst = { name: 'Casino', country: 'KP', categoryCode: '7995' }
  const steps: [code: string, amount: string, merchant: object, repair: () => Promise<unknown>][] = [
    ['UBT', '40000', worst, () => block('unblock')],
    ['CND', '40000', worst, () => user({ accountStatus: 'active' })],
    ['CND', '40000', worst, () => user({ kyc: 'approved' })],
    ['MCC', '40000', worst, async () => {}],
    ['CTY', '40000', { ...worst, categoryCode: '5411' }, async () => {}],
    ['LIM', '40000', { name: 'Shop' }, async () => {}],
    ['VEL', '30000', { name: 'Shop' }, () => service.advance(61)],
    ['810', '30000', { name: 'Shop' }, async () => {}],
  ]
  const answers: [eventId: string, amount: string, merchant: object, text: string][] = []
  for (const [code, amount, merchant, repair] of steps) {
    const eventId = randomUUID()
    const answer = await buy(alice, amount, merchant, eventId)
    expect(answer.body).toMatchObject({ outcome: 'declined', declineCode: code })
    answers.push([eventId, amount, merchant, answer.text])
    await repair()
  }
  expect((await buy(alice, '100')).body).toMatchObject({ outcome: 'approved' })
  // A replay gets the same code even after the cause is repaired. The code is stored with the card transaction.
  for (const [eventId, amount, merchant, text] of answers) {
    expect((await buy(alice, amount, merchant, eventId)).text).toBe(text)
  }
  const codes = (await alice.cardRows()).map(({ declineReason }) => declineReason?.code)
  expect(codes.filter(Boolean)).toEqual(steps.map(([code]) => code))
  // The first check of all: the card exists.
  const stray = { type: 'authorization', cardId: randomUUID(), amount: '40000', currency: 'EUR', merchant: worst }
  expect((await sendMessage(service, 'authorizations', stray)).body).toMatchObject({ declineCode: 'FR7' })
  await alice.assertBooks()
})

test('concurrent purchases that wait for a lock and for each other are all approved', async () => {
  const { alice } = await populate(service, { eur: 30, card: true })
  const client = new pg.Client(service.connection)
  await client.connect()
  await client.query('begin')
  await client.query('select 1 from account where user_id = $1 for update', [alice.userId])
  const asked = Promise.all(Array.from({ length: 29 }, () => buy(alice, '100')))
  // There are more purchases than connections. All of them wait.
  // The transaction of `client` would see the same lock waits each time, so the pool of the service reads them.
  await expect.poll(async () => (await service.ctx.db.query(lockWaits)).length).toBeGreaterThan(1)
  const { rows } = await client.query('select held from ledger_balance where user_id = $1', [alice.userId])
  expect(rows).toEqual([{ held: '0' }])
  await client.query('rollback')
  await client.end()
  for (const { status, text, body } of await asked) expect([status, body.outcome], text).toEqual([200, 'approved'])
  expect(await alice.money()).toEqual({ own: 100n, held: 2900n, network: 0n })
  await alice.assertBooks()
})

test('a card, user, account or KYC state that this version does not know is an error, never an approval', async () => {
  const own = await startService({ worker: false })
  const { alice: holder } = await populate(own, { eur: 100, card: true })
  const { userId } = holder
  const { db } = own.ctx
  const authorize = () =>
    sendMessage(own, 'authorizations', { type: 'authorization', cardId: holder.cardId, amount: '100', currency: 'EUR' })
  try {
    for (const [table, column, known] of [
      ['card', 'status', 'active'],
      ['app_user', 'status', 'active'],
      ['account', 'status', 'active'],
      ['app_user', 'kyc_status', 'approved'],
    ]) {
      await db.query(`alter table ${table} drop constraint ${table}_${column}_check`)
      const set = (state: string | undefined) =>
        db.query(`update ${table} set ${column} = $2 where user_id = $1`, [userId, state])
      await set('suspended')
      expect(await authorize()).toMatchObject({ status: 500, body: { error: 'INTERNAL_ERROR' } })
      await set(known)
    }
    expect(await holder.cardRows()).toEqual([])
    expect((await authorize()).body).toMatchObject({ outcome: 'approved' })
  } finally {
    await own.stop()
  }
})
