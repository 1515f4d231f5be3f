import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  accessToken,
  createPurser,
  type Purser,
  PurserConnectionError,
  type PurserOptions,
  PurserTimeoutError,
  simulator,
  walletSession,
} from '../../../client/src/index.ts'
import { type FaultProxy, type NetworkFault, startFaultProxy } from '../support/fault-proxy.ts'
import { newPartner } from '../support/partner.ts'
import { newWallet } from '../support/service.ts'
import { checkBooks, type Person, useWorld } from '../support/world.ts'

const { service, world } = useWorld()

let proxy: FaultProxy
beforeAll(async () => {
  proxy = await startFaultProxy(service.url)
})
afterAll(() => proxy.close())

const clientOf = (token: string, options: Partial<PurserOptions> = {}) =>
  createPurser({ baseUrl: proxy.url, auth: [accessToken(token), simulator()], ...options })

const connectionFaults: NetworkFault[] = ['before', 'inside', 'late', 'after', 'during', 'slow', 'twice', 'again']
/** The client gets the response despite these faults, and does not repeat the request. */
const passingFaults: NetworkFault[] = ['slow', 'again']
const faults: NetworkFault[] = [...connectionFaults, 408, 429, 502, 503, 504]
/** Each fault alone, and two that meet the same call. */
const plans: NetworkFault[][] = [
  ...faults.map((fault) => [fault]),
  ['after', 'during'],
  ['before', 'after'],
  ['after', 503],
  ['late', 'again'],
  ['inside', 'late'],
]

type Effect = {
  path: string
  act: (purser: Purser, alice: Person) => Promise<unknown>
  count: (alice: Person) => Promise<number>
}

const itemsOf = async (alice: Person, type: string) =>
  (await alice.statement()).filter((item) => item.type === type).length

const effects: Record<string, Effect> = {
  'creating a card': {
    path: '/cards/virtual',
    act: (purser) => purser.cards.create({ cardName: 'Second' }),
    count: async (alice) => (await alice.ask('GET', '/cards')).body.data.length - 1,
  },
  'requesting a withdrawal': {
    path: '/user/withdrawal',
    act: (purser) => purser.withdrawals.create({ tokenAddress: service.tokenAddress(), amount: String(10n ** 18n) }),
    count: (alice) => itemsOf(alice, 'withdrawal'),
  },
  'a simulated card payment': {
    path: '/sandbox/transactions',
    act: (purser, { cardId }) =>
      purser.sandbox.transactions.send({
        transaction_type: 'authorization',
        card_id: cardId,
        amount: '5.00',
        currency: 'EUR',
      }),
    count: (alice) => itemsOf(alice, 'card_transaction'),
  },
}

for (const [name, { path, act, count }] of Object.entries(effects)) {
  test.each(plans.map((plan) => ({ plan })))(
    `${name} has exactly one effect despite the faults $plan`,
    async ({ plan }) => {
      const { alice } = await world({ eur: 20, card: true })
      proxy.plan(path, ...plan)
      await act(clientOf(alice.token), alice)
      expect(await count(alice)).toBe(1)
      const keys = proxy.takeKeys(path)
      // A duplicate may overtake the original and get 409, and then the client repeats the request.
      const repeats = plan.filter((fault) => !passingFaults.includes(fault)).length
      if (plan[0] !== 'twice') expect(keys).toHaveLength(1 + repeats)
      expect(new Set(keys).size).toBe(1)
      expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
    },
  )
}

/** At these points, the connection stays open, but no more bytes arrive. */
const stalls = ['stall before', 'stall inside', 'stall after', 'stall during'] as const

for (const [name, { path, act, count }] of Object.entries(effects)) {
  test.each(stalls)(`${name} has exactly one effect when the fault "%s" lasts beyond the time limit`, async (stall) => {
    const { alice } = await world({ eur: 20, card: true })
    const retries: string[] = []
    // On a busy machine, a request without a fault may exceed this limit too, and is repeated as well.
    const purser = clientOf(alice.token, {
      timeoutMilliseconds: 500,
      maxRetries: 8,
      onRetry: (_attempt, error) => retries.push(error.name),
    })
    proxy.plan(path, stall)
    await act(purser, alice)
    expect(retries[0]).toBe('PurserTimeoutError')
    expect(await count(alice)).toBe(1)
    const keys = proxy.takeKeys(path)
    expect(keys.length).toBeGreaterThan(1)
    expect(new Set(keys).size).toBe(1)
  })
}

test('the books are correct after all faults', () => checkBooks(service))

test('a failed call that its caller repeats with the same idempotency key has exactly one effect', async () => {
  const { alice } = await world({ eur: 20, card: true })
  const purser = clientOf(alice.token, { maxRetries: 0 })
  proxy.plan('/cards/virtual', 'after')
  const error = await purser.cards.create({ cardName: 'Second' }).catch((thrown: any) => thrown)
  expect(error).toBeInstanceOf(PurserConnectionError)
  expect(error).toMatchObject({ retryable: true, code: 'CONNECTION_FAILED', idempotencyKey: expect.any(String) })
  const { cardId } = await purser.cards.create({ cardName: 'Second' }, { idempotencyKey: error.idempotencyKey })
  const cards = (await alice.ask('GET', '/cards')).body.data
  expect(cards).toHaveLength(2)
  expect(cards[0].cardId).toBe(cardId)
})

test.each(['before', 'after', 503, 429] as const)(
  'an operation that returns a secret is sent once, even after the fault %j',
  async (fault) => {
    const partner = await newPartner(service)
    const purser = clientOf(partner.token)
    proxy.plan('/partner/api-keys', fault)
    proxy.takeKeys('/partner/api-keys')
    const body = { name: 'Server', scopes: ['users:read' as const] }
    await expect(purser.partner.apiKeys.create(body, { idempotencyKey: 'ignored' })).rejects.toThrow()
    await expect(
      purser.request('POST', '/partner/api-keys', { body, idempotencyKey: 'ignored' }),
    ).resolves.toBeDefined()
    expect(proxy.takeKeys('/partner/api-keys')).toEqual([undefined, undefined])
  },
)

test('reads are repeated at most twice, and then the error is thrown', async () => {
  const { alice } = await world()
  proxy.takeKeys('/cards')
  proxy.plan('/cards', 'before', 502)
  expect((await clientOf(alice.token).cards.list()).data).toEqual([])
  proxy.plan('/cards', 503, 'during', 504)
  await expect(clientOf(alice.token).cards.list()).rejects.toMatchObject({
    status: 504,
    kind: 'unavailable',
    retryable: true,
  })
  expect(proxy.takeKeys('/cards')).toHaveLength(6)
})

test('a read that gets no response ends with a timeout error', async () => {
  const { alice } = await world()
  proxy.plan('/phone', 'stall after')
  const call = clientOf(alice.token).phone.get({ timeoutMilliseconds: 200, maxRetries: 0 })
  await expect(call).rejects.toBeInstanceOf(PurserTimeoutError)
})

test('a caller can abort the wait between two attempts', async () => {
  const { alice } = await world()
  const controller = new AbortController()
  proxy.plan('/phone', 502)
  const purser = clientOf(alice.token, { onRetry: () => queueMicrotask(() => controller.abort(new Error('enough'))) })
  await expect(purser.phone.get({ signal: controller.signal })).rejects.toThrow('enough')
})

test.each(['before', 'inside', 'late', 'after', 'during', 'slow', 'again', 502, 503] as const)(
  'a sign-in gets an access token despite the fault %j in its exchange',
  async (fault) => {
    const wallet = newWallet()
    await service.sandbox('POST', '/users', { address: wallet.address })
    const session = walletSession(wallet, { domain: 'localhost', uri: 'http://localhost' })
    const purser = createPurser({ baseUrl: proxy.url, auth: session })
    proxy.plan('/api/v1/auth/challenge', fault)
    expect((await purser.cards.list()).data).toEqual([])
  },
)

test('concurrent calls with the same idempotency key are repeated until the first of them has ended, and create one card', async () => {
  const { alice } = await world({ eur: 20, card: true })
  const purser = clientOf(alice.token, { maxRetries: 8 })
  const body = { cardName: 'Second' }
  const made = await Promise.all([1, 2, 3].map(() => purser.cards.create(body, { idempotencyKey: 'same' })))
  expect(new Set(made.map(({ cardId }) => cardId)).size).toBe(1)
  expect((await alice.ask('GET', '/cards')).body.data).toHaveLength(2)
})
