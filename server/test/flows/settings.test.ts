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
