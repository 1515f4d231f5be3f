import { afterEach, expect, test } from 'vitest'
import { fetchOpenApi } from '../acceptance/document.ts'
import { startService, type TestService } from '../support/service.ts'
import { populate } from '../support/world.ts'

/** Effects of settings that clients can see. */
let service: TestService
afterEach(() => service.stop())

test('the API documents name the server of each group of paths', async () => {
  const [base, api, module] = ['https://user.example', 'https://api.example/v', 'https://auth.example']
  const console = 'https://console.example'
  service = await startService({
    env: {
      SANDBOX_PASSWORD: 'of my own',
      BASE_URL: base,
      API_URL: api,
      AUTH_MODULE_URL: `${module}/`,
      CONSOLE_URL: console,
    },
  })
  const { servers, paths } = await fetchOpenApi(service.url)
  expect(servers.map(({ url }: { url: string }) => url)).toEqual([base])
  for (const [path, operations] of Object.entries<any>(paths)) {
    const groups = { '/api/v1/': api, '/user/withdrawals ': module, '/operator/': console }
    const [, expected = base] = Object.entries(groups).find(([prefix]) => `${path} `.startsWith(prefix)) ?? []
    for (const operation of Object.values<any>(operations)) {
      expect((operation.servers ?? servers)[0].url, path).toBe(expected)
    }
  }
  expect((await service.request('GET', '/operator/openapi.json')).body.servers).toEqual([{ url: console }])
})

test('SANDBOX_PASSWORD replaces the default password of the simulator', async () => {
  service = await startService({ env: { SANDBOX_PASSWORD: 'pass:wörd' } })
  expect((await service.sandbox('GET', '/tokens')).status).toBe(200)
  const defaults = `Basic ${Buffer.from('simulator:sandbox').toString('base64')}`
  expect((await service.sandbox('GET', '/tokens', undefined, { authorization: defaults })).status).toBe(401)
})

test('values that contain a short password are not concealed in the list of tokens', async () => {
  service = await startService({ env: { SANDBOX_PASSWORD: 'e' } })
  const { data } = (await service.sandbox('GET', '/tokens')).body
  expect(data.map(({ symbol }: { symbol: string }) => symbol)).toContain('EURe')
  expect(JSON.stringify(data)).not.toContain('[secret]')
})

test('a programme with only dollars opens accounts and cards in dollars, and posts their card messages', async () => {
  const usdc = { address: '0xDDAfbb505ad214D7b80b1f830fcCc89B60fb7A83', symbol: 'USDC', currency: 'USD', decimals: 6 }
  const env = {
    TOKENS: JSON.stringify([{ ...usdc, chainId: 31337 }]),
    CURRENCIES: JSON.stringify([{ currency: 'USD', decimals: 6 }]),
  }
  service = await startService({ env })
  const { alice } = await populate(service, { card: true })
  expect((await service.request('GET', '/user/account', { token: alice.token })).body.currency).toBe('USD')
  expect((await service.request('GET', `/cards/${alice.cardId}`, { token: alice.token })).body.currency).toBe('USD')
  for (const type of ['clearing', 'refund']) expect(await alice.try(type, '1.00')).toMatchObject({ status: 200 })
  expect((await alice.cardRows()).map(({ kind, currency }) => [kind, currency])).toEqual([
    ['Payment', 'USD'],
    ['Refund', 'USD'],
  ])
})

test('CARD_LIMIT sets the maximum number of live cards per user', async () => {
  service = await startService({ env: { CARD_LIMIT: '2' } })
  const { token } = await service.newUser()
  const statuses = []
  for (const cardName of ['One', 'Two', 'Three']) {
    const body = { cardName, phone: '+4915123456789' }
    statuses.push((await service.request('POST', '/cards/virtual', { token, body })).status)
  }
  expect(statuses).toEqual([201, 201, 422])
})
