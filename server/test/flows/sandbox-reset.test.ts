import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { joinProgramme } from '../../src/platform/programme/programme.ts'
import { newPartner } from '../support/partner.ts'
import { newWallet, plainError } from '../support/service.ts'
import { eure, useWorld } from '../support/world.ts'

const { service, world, cardholder } = useWorld({ worker: false })

beforeAll(() => joinProgramme(service.ctx))

const reset = () => service.sandbox('POST', '/reset', { confirm: 'reset' })

/** The tables that a reset keeps. They describe the database and its chains. */
const kept = [
  ...['applied_migration', 'programme', 'secret_in_use', 'signing_key', 'service_process', 'sandbox_clock'],
  ...['kill_switch', 'used_nonce', 'watched_chain', 'watched_block', 'payout_wallet'],
]

async function countRows(): Promise<Record<string, number>> {
  const tables = await service.ctx.db.query<{ name: string }>(
    'select tablename as name from pg_tables where schemaname = current_schema()',
  )
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    const [row] = await service.ctx.db.query<{ rows: bigint }>(`-- scanDue\nselect count(*) as rows from ${name}`)
    counts[name] = Number(row?.rows ?? 0n)
  }
  return counts
}

test('the list of users has all users with their cards, newest first, in pages', async () => {
  const alice = await cardholder(5)
  const { bob } = await world({ country: 'GB' }, 'bob')
  const { body } = await service.sandbox('GET', '/users?limit=1')
  expect(body).toMatchObject({
    data: [
      { userId: bob.userId, owners: [bob.wallet.address], country: 'GB', kyc: 'approved', currency: 'GBP', cards: [] },
    ],
    pagination: { hasNext: true },
  })
  const next = await service.sandbox('GET', `/users?limit=1&before=${bob.userId}`)
  expect(next.body.data).toMatchObject([
    { userId: alice.userId, cards: [{ cardId: alice.cardId, status: 'active', cardName: 'Everyday' }] },
  ])
  for (const query of ['limit=0', 'limit=101', 'before=x']) {
    expect((await service.sandbox('GET', `/users?${query}`)).status).toBe(400)
  }
  expect((await service.request('GET', '/sandbox/users')).status).toBe(401)
})

test('a reset deletes all users, partners and their data, and new users can be created afterwards', async () => {
  const partner = await newPartner(service)
  const alice = await cardholder(100)
  await alice.send('authorization', '10.00')
  const { withdrawalId } = (await alice.withdraw(eure(1))).body
  await service.jobs.runDue()
  await alice.ask('POST', `/user/withdrawals/${withdrawalId}/cancel`)
  await service.advance(60)
  const before = await countRows()
  expect(before['app_user']).toBeGreaterThan(0)

  expect([(await reset()).status, (await service.sandbox('GET', '/users')).body.data]).toEqual([200, []])
  const after = await countRows()
  expect(Object.entries(after).filter(([name, rows]) => rows > 0 && !kept.includes(name))).toEqual([])

  for (const path of ['/user', '/user/statement', '/user/balances/v2', '/cards']) {
    expect((await alice.ask('GET', path)).status, path).toBe(401)
  }
  expect((await partner.ask('GET', '')).status).toBe(401)
  expect((await alice.try('clearing', '10.00')).status).toBe(404)
  expect((await service.sandbox('POST', '/users', { address: alice.wallet.address })).status).toBe(201)
  const again = await cardholder(20)
  await again.send('authorization', '5.00')
  await again.withdraw(eure(1))
  await service.jobs.runDue()
  expect((await again.statement()).map(({ type }) => type)).toContain('withdrawal')
  await again.assertBooks()
})

test('a reset is atomic, even while other requests write', async () => {
  const people = Array.from({ length: 6 }, () => newWallet())
  const made = people.map(({ address }) => service.sandbox('POST', '/users', { address }))
  const [answer, ...users] = await Promise.all([reset(), ...made])
  expect(answer.status).toBe(200)
  expect(users.map(({ status }) => status)).toEqual(people.map(() => 201))
  const counts = await countRows()
  expect(counts['account']).toBe(counts['app_user'])
  expect((await service.sandbox('GET', '/users')).body.data).toHaveLength(counts['app_user'] ?? -1)
})

test('a reset needs its confirmation and the password of the simulator', async () => {
  for (const body of [undefined, {}, { confirm: true }, { confirm: 'yes' }]) {
    expect((await service.sandbox('POST', '/reset', body)).status).toBe(400)
  }
  expect((await service.request('POST', '/sandbox/reset', { body: { confirm: 'reset' } })).status).toBe(401)
})

test('a database of another mode is not reset', async () => {
  await service.newUser()
  await service.ctx.db.query(`update programme set mode = 'production'`)
  const before = await countRows()
  const refused = await reset()
  expect([refused.status, refused.body]).toEqual(plainError(409, 'NOT_A_SANDBOX'))
  await expect(service.ctx.db.query('select reset_sandbox()')).rejects.toThrow('does not belong to a sandbox')
  expect(await countRows()).toEqual(before)
  await service.ctx.db.query(`update programme set mode = 'sandbox'`)
})

test('only the role of the simulator may reset', async () => {
  for (const role of ['api', 'worker', 'watcher', 'operator', 'reader'] as const) {
    await expect(service.as(role).db.query('select reset_sandbox()')).rejects.toThrow('permission denied')
  }
})

test('the SQL function of a reset keeps exactly the tables in the list of this test', () => {
  const file = join(import.meta.dirname, '../../src/platform/db/migrations/0010-sandbox.sql')
  const [, list = ''] = /tablename not in \(([^)]*)\)/.exec(readFileSync(file, 'utf8')) ?? []
  expect([...list.matchAll(/'(\w+)'/g)].map(([, name]) => name)).toEqual(kept)
})
