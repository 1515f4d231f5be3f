import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { startService, type TestService } from '../harness.ts'

/** What the environment sets, seen from outside. */
let service: TestService
afterEach(() => service.stop())

test('the three address groups stand on their paths in the document', async () => {
  const [base, api, module] = ['https://user.example', 'https://api.example/v', 'https://auth.example']
  service = await startService({ env: { BASE_URL: base, API_URL: api, AUTH_MODULE_URL: `${module}/` } })
  const { servers, paths } = (await service.request('GET', '/openapi.json')).body
  const serverOf = (path: string) => (paths[path].servers ?? servers).map(({ url }: { url: string }) => url)
  for (const path of ['/user/withdrawal', '/user/statement', '/cards/virtual', '/phone']) {
    expect(serverOf(path), path).toEqual([base])
  }
  for (const path of Object.keys(paths).filter((path) => path.startsWith('/api/v1/'))) {
    expect(serverOf(path), path).toEqual([api])
  }
  expect(serverOf('/user/withdrawals')).toEqual([module])
})

test('the simulator has the password that is set, and the usual one no more', async () => {
  service = await startService({ env: { SANDBOX_PASSWORD: 'pass:wörd' } })
  expect((await service.sandbox('GET', '/tokens')).status).toBe(200)
  const usual = `Basic ${Buffer.from('simulator:sandbox').toString('base64')}`
  expect((await service.sandbox('GET', '/tokens', undefined, { authorization: usual })).status).toBe(401)
})

test('a programme chooses how many live cards a user may have', async () => {
  service = await startService({ env: { CARD_LIMIT: '2' } })
  const { token } = await service.newUser()
  const statuses = []
  for (const cardName of ['One', 'Two', 'Three']) {
    const body = { cardName, phone: '+4915123456789' }
    statuses.push((await service.request('POST', '/cards/virtual', { token, body })).status)
  }
  expect(statuses).toEqual([201, 201, 422])
})

test('the lists of deposits and withdrawals end at a thousand, the oldest are left out', async () => {
  service = await startService({ worker: false })
  const { userId, token } = await service.newUser()
  const eur = service.ctx.config.tokens[0]?.address
  await service.sandbox('POST', '/deposits', { userId, token: eur, amount: '5' })
  await service.request('POST', '/user/withdrawal', { token, body: { tokenAddress: eur, amount: '1' } })
  await service.jobs.runDue()
  const client = new pg.Client(service.connection)
  await client.connect()
  // Each a millisecond younger than the last one, of an amount that says which it is.
  for (const [table, id] of [
    ['deposit', 'deposit_id'],
    ['withdrawal', 'withdrawal_id'],
  ]) {
    await client.query(
      `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object('${id}', gen_random_uuid(),
         'tx_hash', '0x' || lpad(i::text, 64, '0'), 'amount', 100 + i, 'payout_nonce', 100 + i,
         'created_at', t.created_at + i * interval '1 ms'))).*
       from ${table} t, generate_series(1, 1000) i where user_id = $1`,
      [userId],
    )
  }
  await client.end()
  for (const path of ['/user/deposits', '/user/withdrawals']) {
    const { body } = await service.request('GET', path, { token })
    const amounts = body.data.map(({ amount }: { amount: string }) => Number(amount))
    expect(amounts, path).toEqual(Array.from({ length: 1000 }, (_, i) => 1100 - i))
  }
})
