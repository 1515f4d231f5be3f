import { expect, test } from 'vitest'
import {
  accessToken,
  apiKey,
  createPurser,
  operatorSession,
  operatorToken,
  PurserConnectionError,
  PurserError,
  PurserTimeoutError,
  simulator,
  walletSession,
} from '../../../client/src/index.ts'
import { consoleOrigin, testOperator } from '../support/console.ts'
import { newPartner } from '../support/partner.ts'
import { newWallet, useService } from '../support/service.ts'
import { populate } from '../support/world.ts'

const service = useService()
const place = { domain: 'localhost', uri: 'http://localhost' }
const errorOf = (call: Promise<unknown>): Promise<PurserError> =>
  call.then(
    () => Promise.reject(new Error('the call succeeded')),
    (error: unknown) => {
      if (!(error instanceof PurserError)) throw error
      return error
    },
  )

/** A client of a new onboarded user, and of the simulator. */
async function newClient(options: object = {}) {
  const wallet = newWallet()
  const session = walletSession(wallet, place)
  const purser = createPurser({ baseUrl: service.url, auth: [session, simulator()], ...options })
  const { userId } = await purser.sandbox.users.create({ address: wallet.address })
  return { purser, session, wallet, userId }
}

/** A client with an access token of the wallet, which it cannot renew. */
async function signedIn(wallet: ReturnType<typeof newWallet>) {
  const session = walletSession(wallet, place)
  createPurser({ baseUrl: service.url, auth: session })
  return createPurser({ baseUrl: service.url, auth: accessToken((await session.signIn()) ?? '') })
}

test('the first call that needs an access token signs in, and concurrent calls share the sign-in', async () => {
  const { purser, session } = await newClient()
  expect(session.token()).toBeNull()
  const [cards, balances] = await Promise.all([purser.cards.list(), purser.balances.list()])
  expect(cards).toEqual({ data: [] })
  expect(balances.data.map(({ currency, spendable }) => [currency, spendable])).toContainEqual(['EUR', '0'])
  const sessions = await purser.sessions.list()
  expect(sessions.data).toHaveLength(1)

  const again = createPurser({ baseUrl: service.url, auth: accessToken(session.token() ?? '') })
  expect((await again.cards.list()).data).toEqual([])
})

test('a call after the access token has expired signs in again and succeeds', async () => {
  const { purser, session } = await newClient()
  const first = await session.signIn()
  await service.advance(2 * 3600)
  await Promise.all([purser.cards.list(), purser.cards.list()])
  expect(session.token()).not.toBe(first)
})

test('an operation has the parameters of its path, then its body, then options', async () => {
  const { purser } = await newClient()
  const { cardId } = await purser.cards.create({ cardName: 'Groceries', phone: '+4915123456789' })
  expect(await purser.cards.block(cardId)).toEqual({ success: true, cardId, status: 'blocked' })
  const { data, response } = await purser.cards.get(cardId, { headers: { 'x-test': '1' } }).withResponse()
  expect(data).toMatchObject({ cardId, status: 'blocked', blockedBy: ['owner'] })
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
})

test.each(['', '.', '..'])('a parameter "%s" cannot lead to another operation', async (id) => {
  const { purser } = await newClient()
  expect(() => purser.cards.block(id)).toThrow(TypeError)
  expect(await errorOf(purser.cards.block('%2e%2e'))).toMatchObject({ status: 400, code: 'VALIDATION' })
})

test('a call is sent once, however often it is awaited, and even if nobody awaits it', async () => {
  const { purser } = await newClient()
  const call = purser.cards.create({ cardName: 'One', phone: '+4915123456789' })
  const [one, two, { data }] = await Promise.all([call, call, call.withResponse()])
  expect(new Set([one.cardId, two.cardId, data.cardId]).size).toBe(1)
  void purser.cards.block(one.cardId)
  await expect.poll(async () => (await purser.cards.get(one.cardId)).status).toBe('blocked')
  expect((await purser.cards.list()).data).toHaveLength(1)
})

test('a statement is iterated over all its pages by cursor', async () => {
  const { purser, userId } = await newClient()
  const { alice } = await populate(service, { eur: 50, card: true })
  for (let number = 0; number < 5; number++) await alice.deposit(10n ** 18n)
  const client = createPurser({ baseUrl: service.url, auth: accessToken(alice.token) })
  const amounts: string[] = []
  for await (const item of client.statement.list({ limit: 2 })) amounts.push(item.amount)
  expect(amounts).toHaveLength(6)
  expect(await client.statement.list({ limit: 2 }).toArray({ limit: 3 })).toHaveLength(3)
  const page = await client.statement.list({ limit: 2 })
  expect([page.data.length, page.pagination.hasNext]).toEqual([2, true])
  const list = client.statement.list({ limit: 4 })
  await list
  expect(await list.toArray({ limit: 100 })).toHaveLength(6)
  expect(await client.statement.list().toArray({ limit: 0 })).toEqual([])
  expect(await purser.statement.list().toArray({ limit: 10 })).toEqual([])
  expect(userId).not.toBe(alice.userId)
})

test("a partner's lists are iterated over all their pages by the last item", async () => {
  const partner = await newPartner(service)
  const owner = createPurser({ baseUrl: service.url, auth: accessToken(partner.token) })
  const { key } = await owner.partner.apiKeys.create({
    name: 'Server',
    scopes: ['users:read', 'audit:read', 'events:read'],
  })
  await owner.partner.webhooks.create({ url: 'http://127.0.0.1:9/' })
  const sandbox = createPurser({ baseUrl: service.url, auth: simulator() })
  for (let number = 0; number < 5; number++) {
    await sandbox.sandbox.users.create({ address: newWallet().address, partnerId: partner.partnerId })
  }
  const server = createPurser({ baseUrl: service.url, auth: apiKey(key) })
  const users = await server.partner.users.list({ limit: 2 }).toArray({ limit: 100 })
  expect(new Set(users.map(({ userId }) => userId)).size).toBe(5)
  const changes = await server.partner.audit.list({ limit: 1 }).toArray({ limit: 100 })
  expect(changes.map(({ seq }) => seq)).toEqual(changes.map((_, index) => String(index + 1)))
  await expect
    .poll(async () => (await server.partner.events.list({ limit: 3 }).toArray({ limit: 100 })).length)
    .toBeGreaterThanOrEqual(5)
})

test('an operation whose body is optional works without one', async () => {
  const partner = await newPartner(service)
  const { purser, userId } = await newClient()
  const owner = createPurser({ baseUrl: service.url, auth: accessToken(partner.token) })
  const { endpointId } = await owner.partner.webhooks.create({ url: 'http://127.0.0.1:9/' })
  const { keyId } = await owner.partner.apiKeys.create({ name: 'Server', scopes: ['events:read'] })
  expect(await owner.partner.apiKeys.rotate(keyId)).toMatchObject({ key: expect.stringMatching(/^psk_/) })
  expect(await owner.partner.webhooks.rotateKeys(endpointId)).toMatchObject({ endpointId })
  expect(await owner.partner.webhooks.update(endpointId)).toMatchObject({ endpointId })
  expect(await owner.partner.webhooks.resendDeadLetters(endpointId)).toMatchObject({ deliveries: 0 })
  expect(await purser.sandbox.users.update(userId)).toMatchObject({ userId })
})

test('registering a user replaces the access token of the session', async () => {
  const tokens: (string | null)[] = []
  const session = walletSession(newWallet(), { ...place, onToken: (token) => tokens.push(token) })
  const purser = createPurser({ baseUrl: service.url, auth: session })
  expect(await errorOf(purser.cards.list())).toMatchObject({ status: 401, code: 'NOT_REGISTERED' })
  const email = `${Date.now()}@example.com`
  const { otp } = await purser.user.sendEmailCode({ email })
  const { userId } = await purser.user.create({ email, otp: otp ?? '123456' })
  expect(await purser.user.get()).toMatchObject({ userId })
  await purser.auth.logOut()
  expect(tokens.map((token) => token !== null)).toEqual([true, true, false])
})

test('the next call finds the user when the response to the registration was lost', async () => {
  const session = walletSession(newWallet(), place)
  let isLost = true
  const losing = async (url: string, init: RequestInit) => {
    const response = await fetch(url, init)
    if (!isLost || init.method !== 'POST' || new URL(url).pathname !== '/user') return response
    isLost = false
    throw new TypeError('the connection was lost')
  }
  const purser = createPurser({ baseUrl: service.url, auth: session, fetch: losing })
  const email = `${crypto.randomUUID()}@example.com`
  const registration = { email, otp: (await purser.user.sendEmailCode({ email })).otp ?? '123456' }
  const old = session.token()
  expect(await errorOf(purser.user.create(registration))).toMatchObject({ kind: 'connection' })
  expect(await purser.user.get()).toMatchObject({ email })

  session.setToken(old)
  expect(await errorOf(purser.user.create(registration))).toMatchObject({ code: 'WALLET_IN_USE' })
  expect(await purser.user.get()).toMatchObject({ email })
})

test('a user whose registration was aborted by the caller is found by the next call', async () => {
  const controller = new AbortController()
  const aborted = async (url: string, init: RequestInit) => {
    const response = await fetch(url, init)
    if (init.method === 'POST' && new URL(url).pathname === '/user') controller.abort(new Error('enough'))
    return response
  }
  const purser = createPurser({ baseUrl: service.url, auth: walletSession(newWallet(), place), fetch: aborted })
  const email = `${crypto.randomUUID()}@example.com`
  const registration = { email, otp: (await purser.user.sendEmailCode({ email })).otp ?? '123456' }
  await expect(purser.user.create(registration, { signal: controller.signal })).rejects.toThrow(/^enough$/)
  expect(await purser.user.get()).toMatchObject({ email })
})

test('logOut never asks the wallet to sign', async () => {
  let signatures = 0
  const wallet = newWallet()
  const signMessage = (request: { message: string }) => {
    signatures++
    return wallet.signMessage(request)
  }
  const session = walletSession({ ...wallet, signMessage }, place)
  const purser = createPurser({ baseUrl: service.url, auth: [session, simulator()] })
  await purser.sandbox.users.create({ address: wallet.address })
  expect(await errorOf(purser.auth.logOut())).toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
  expect(signatures).toBe(0)
  await session.signIn()
  await service.advance(2 * 3600)
  expect(await errorOf(purser.auth.logOut())).toMatchObject({ status: 401, code: 'TOKEN_EXPIRED' })
  expect([signatures, session.token()]).toEqual([1, null])
})

test.each([
  ['that is in flight', null],
  ['that waits for its next attempt', 503],
])('a call %s when the user logs out does not sign in again', async (_state, status) => {
  const tokens: (string | null)[] = []
  const wallet = newWallet()
  const session = walletSession(wallet, { ...place, onToken: (token) => tokens.push(token) })
  let isFirst = true
  const interrupted = async (url: string, init: RequestInit) => {
    if (!isFirst || new URL(url).pathname !== '/cards') return fetch(url, init)
    isFirst = false
    await purser.auth.logOut()
    return status === null ? fetch(url, init) : new Response(null, { status, headers: { 'retry-after': '0' } })
  }
  const purser = createPurser({ baseUrl: service.url, auth: [session, simulator()], fetch: interrupted })
  await purser.sandbox.users.create({ address: wallet.address })
  expect(await errorOf(purser.cards.list())).toMatchObject({ status: 401, code: 'ACCESS_REVOKED' })
  expect(tokens).toEqual([expect.any(String), null])
  expect(await purser.cards.list()).toEqual({ data: [] })
})

test('logOutEverywhere signs in if its own session has ended, because others may go on', async () => {
  const { purser, session, wallet } = await newClient()
  await session.signIn()
  await service.advance(2 * 3600)
  const elsewhere = await signedIn(wallet)
  expect(await elsewhere.user.get()).toBeDefined()
  await purser.auth.logOutEverywhere()
  expect(session.token()).toBeNull()
  expect(await errorOf(elsewhere.user.get())).toMatchObject({ status: 401, code: 'ACCESS_REVOKED' })
})

test('an operator signs in with a wallet, and again after the session has ended', async () => {
  const session = operatorSession(testOperator, { consoleUrl: consoleOrigin })
  const purser = createPurser({ baseUrl: service.url, auth: [session, simulator()] })
  expect(await purser.operator.getMe()).toMatchObject({ address: testOperator.address, role: 'admin' })
  const first = session.token() ?? ''
  await service.advance(9 * 3600)
  expect((await purser.operator.sessions.list()).data.map(({ isCurrent }) => isCurrent)).toContain(true)
  expect(session.token()).not.toBe(first)
  const script = createPurser({ baseUrl: service.url, auth: operatorToken(session.token() ?? '') })
  expect((await script.operator.operators.list()).data).toHaveLength(1)
  const ended = createPurser({ baseUrl: service.url, auth: operatorToken(first) })
  expect(await errorOf(ended.operator.getMe())).toMatchObject({ status: 401, code: 'OPERATOR_UNAUTHORIZED' })
})

test('a session in a cookie sends the header of the console and no access token', async () => {
  const sent: object[] = []
  const session = operatorSession(testOperator, { consoleUrl: consoleOrigin, via: 'cookie' })
  const fromPage = (url: string, init: RequestInit) => {
    const headers = { ...Object(init.headers), origin: consoleOrigin }
    sent.push(headers)
    return fetch(url, { ...init, headers })
  }
  const purser = createPurser({ baseUrl: service.url, auth: session, fetch: fromPage })
  expect(await session.signIn()).toBeNull()
  expect(await errorOf(purser.operator.getMe())).toMatchObject({ code: 'OPERATOR_UNAUTHORIZED' })
  expect(sent.at(-1)).toMatchObject({ 'x-purser-console': '1' })
  expect(sent.at(-1)).not.toHaveProperty('authorization')
})

test('a rejected sign-in throws the error code of the service', async () => {
  const session = walletSession(newWallet(), { ...place, domain: 'evil.example' })
  const purser = createPurser({ baseUrl: service.url, auth: session })
  for (const call of [purser.cards.list(), session.signIn()]) {
    expect(await errorOf(call)).toMatchObject({ status: 401, code: 'DOMAIN_NOT_ALLOWED', kind: 'authentication' })
  }
  expect(session.token()).toBeNull()
})

test('every format in which the service reports errors becomes a PurserError', async () => {
  const { purser } = await newClient()
  const id = '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a'
  const invalid = await errorOf(purser.cards.create({ cardName: 1 } as never))
  expect(invalid).toMatchObject({ status: 400, code: 'VALIDATION', kind: 'validation', retryable: false })
  expect(invalid.fields).toEqual([{ in: 'body', path: 'cardName', message: 'must be string' }])
  expect((await errorOf(purser.cards.create({} as never))).fields[0]).toMatchObject({ in: 'body', path: 'cardName' })
  expect((await errorOf(purser.statement.list({ limit: 1000 }))).fields[0]).toMatchObject({
    in: 'query',
    path: 'limit',
  })
  expect((await errorOf(purser.cards.get('../../user'))).fields[0]).toMatchObject({ in: 'path', path: 'cardId' })

  const missing = await errorOf(purser.cards.get(id))
  expect(missing).toMatchObject({ status: 404, code: 'CARD_NOT_FOUND', kind: 'not_found', name: 'PurserError' })
  expect(missing.requestId).toMatch(/^[0-9a-f-]{36}$/)
  expect(missing.message).toContain('404 CARD_NOT_FOUND')
  const business = await errorOf(purser.statement.list({ cursor: 'wrong' }))
  expect(business).toMatchObject({ status: 400, code: 'INVALID_CURSOR' })
  // The body of this operation has a sentence but no code.
  const shared = await errorOf(purser.kyc.share({ forClientId: 'nobody' }))
  expect(shared).toMatchObject({ status: 400, code: 'UNKNOWN_CLIENT' })
  const phone = await errorOf(purser.cards.create({ cardName: 'One' }, { idempotencyKey: 'phone' }))
  expect(phone).toMatchObject({ status: 422, code: 'PHONE_REQUIRED', kind: 'rule', idempotencyKey: 'phone' })
  expect(await errorOf(purser.request('GET', '/nowhere'))).toMatchObject({ status: 404, code: 'NOT_FOUND' })
})

test('an error whose body has no code keeps its code when the service repeats the stored response', async () => {
  const { purser, userId } = await newClient()
  await purser.sandbox.users.update(userId, { country: 'US' })
  const { message } = (await purser.ibans.getSigningMessage()).data as { message: string }
  for (let run = 0; run < 2; run++) {
    const call = purser.ibans.activate({ message, signature: '0x00' } as never, { idempotencyKey: 'iban' })
    expect((await errorOf(call)).code).not.toBe('UNKNOWN')
  }
})

test('a raw request has the same authentication, retries and idempotency as its operation', async () => {
  const keys: (string | undefined)[] = []
  const { purser } = await newClient({ onRequest: ({ headers }: any) => keys.push(headers['idempotency-key']) })
  keys.splice(0)
  const made: any = await purser.request('POST', '/cards/virtual', {
    body: { cardName: 'Raw', phone: '+4915123456789' },
  })
  await purser.request('POST', `/cards/${made.cardId}/block`)
  expect(await purser.request('GET', '/user/statement', { query: { limit: 5 } })).toMatchObject({ data: [] })
  expect(keys.map((key) => key !== undefined)).toEqual([false, false, true, true, false])
  expect(await purser.request('GET', '/api/v1/auth/nonce')).toMatch(/^[A-Za-z0-9]{8,}$/)
})

test('hooks see each attempt, and each request carries the trace context', async () => {
  const seen: string[] = []
  const sent: (string | undefined)[] = []
  const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const { purser } = await newClient({
    traceparent: () => parent,
    onRequest: ({ method, url, attempt, headers }: any) => {
      seen.push(`${method} ${new URL(url).pathname} ${attempt}`)
      sent.push(headers.traceparent)
    },
    onResponse: (_attempt: unknown, { status }: Response, milliseconds: number) => {
      expect(milliseconds).toBeGreaterThan(0)
      seen.push(String(status))
    },
  })
  await purser.health.get()
  await purser.health.get({ traceparent: 'own' })
  expect(seen.slice(-4)).toEqual(['GET /health 0', '200', 'GET /health 0', '200'])
  expect(sent.slice(-2)).toEqual([parent, 'own'])
})

test('a caller can abort a call, and its reason is thrown', async () => {
  const { purser } = await newClient()
  await expect(purser.cards.list({ signal: AbortSignal.abort(new Error('changed my mind')) })).rejects.toThrow(
    'changed my mind',
  )
  const controller = new AbortController()
  const call = purser.cards.list({ signal: controller.signal })
  controller.abort(new Error('too late'))
  await expect(call).rejects.toThrow('too late')
})

test('an unreachable service is a connection error with its cause', async () => {
  const purser = createPurser({ baseUrl: 'http://127.0.0.1:1', maxRetries: 0 })
  const error = await errorOf(purser.health.get())
  expect(error).toBeInstanceOf(PurserConnectionError)
  expect(error).not.toBeInstanceOf(PurserTimeoutError)
  expect(error).toMatchObject({ status: null, code: 'CONNECTION_FAILED', kind: 'connection', retryable: true })
  expect(error.cause).toBeInstanceOf(Error)
})
