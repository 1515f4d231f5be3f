import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Client,
  closure,
  connect,
  newName,
  newWallet,
  ownerProof,
  ownerRemoval,
  type Reply,
  signInMessage,
  type User,
} from '../acceptance/client.ts'
import { type Money, money, phone, units } from '../acceptance/money.ts'
import { startService } from '../acceptance/service.ts'
import { partnerRequests } from './partner-requests.ts'

let client: Client
let bank: Money
beforeAll(async () => {
  // On the simulated chain, a sandbox request decides the outcome of a withdrawal.
  client = await connect(
    await startService({ CHAIN: 'simulated', SECURITY_CONTACT: 'mailto:security@programme.example' }),
  )
  bank = await money(client)
})
afterAll(() => client.stop())

/** Statuses that need a broken provider or database, or a rate limit. No single request can cause them. */
const outOfReach = [429, 502, 503]

/** A valid request on a new resource, so that it can be sent any number of times. */
type Good = { user: { token: string }; path?: string; body?: unknown }

async function holder(): Promise<User> {
  const user = await client.newUser()
  await bank.deposit(user, units('100'))
  return user
}

async function withCard(path: string, body?: unknown): Promise<Good> {
  const user = await client.newUser()
  return { user, path: path.replace('{cardId}', await bank.newCard(user)), body }
}

async function withPayment(path: string): Promise<Good> {
  const { user, cardId } = await bank.cardholder()
  await bank.card(cardId, 'authorization')
  const [payment] = await bank.cardRows(user)
  return { user, path: `${path}/${payment.id}` }
}

async function withSignedChallenge(): Promise<Good> {
  const user = await client.newUser()
  const path = `/pci/cards/${await bank.newCard(user)}`
  const challenge = await client.request('GET', `${path}/challenge?action=view-pin`, { token: user.token })
  const { nonce, authorization } = challenge.body.message
  const signature = await user.wallet.signTypedData({
    ...challenge.body,
    message: { authorization, nonce: BigInt(nonce) },
  })
  return { user, path: `${path}/token`, body: { action: 'view-pin', nonce, signature } }
}

async function withWithdrawal(): Promise<Good> {
  const user = await holder()
  const body = { tokenAddress: bank.tokenOf('EUR').address, amount: '1' }
  const { withdrawalId } = (await client.request('POST', '/user/withdrawal', { token: user.token, body })).body
  return { user, path: `/sandbox/withdrawals/${withdrawalId}`, body: { outcome: 'completed' } }
}

async function withOwnWithdrawal(more = ''): Promise<Good> {
  const { user, path = '' } = await withWithdrawal()
  return { user, path: `${path.replace('/sandbox', '/user')}${more}` }
}

async function withDeposit(): Promise<Good> {
  const user = await client.newUser()
  const { depositId } = await bank.deposit(user, 1n, { result: 'pending' })
  return { user, path: `/sandbox/deposits/${depositId}/screening`, body: { result: 'approved' } }
}

async function withAnswers(): Promise<Good> {
  const user = await client.register()
  const { data } = (await client.request('GET', '/source-of-funds', { token: user.token })).body
  return { user, body: { answers: data.map(({ question, answers }: any) => ({ question, answer: answers[0] })) } }
}

async function readyForAccount(): Promise<Good> {
  const { user, body } = await withAnswers()
  const me = await client.request('GET', '/user', { token: user.token })
  const { terms } = (await client.request('GET', '/terms', { token: user.token })).body
  await client.request('POST', '/user/terms', { token: user.token, body: { terms } })
  await client.request('POST', '/source-of-funds', { token: user.token, body })
  await client.sandbox('PATCH', `/users/${me.body.userId}`, { kyc: 'approved' })
  return { user }
}

async function readyToRegister(): Promise<Good> {
  const user = { token: await client.signIn(newWallet()) }
  const email = `${newName('a')}@example.org`
  await client.request('POST', '/email-verification', { token: user.token, body: { email } })
  return { user, body: { email, otp: '123456' } }
}

const partners = partnerRequests(() => client)

/** Valid requests of operations that need more than a user. A new operation with a body needs an entry here. */
const goodRequests: Record<string, () => Promise<Good>> = {
  'POST /email-verification': async () => ({ user: await client.newUser(), body: { email: 'a@example.org' } }),
  'POST /user': readyToRegister,
  'POST /user/account': readyForAccount,
  'POST /user/close': async () => {
    const user = await client.newUser()
    return { user, body: await closure(client, user) }
  },
  'POST /user/owners': async () => {
    const user = await client.newUser()
    return { user, body: await ownerProof(client, user, newWallet()) }
  },
  'POST /user/owners/{address}/remove': async () => {
    const user = await client.newUser()
    const body = await ownerProof(client, user, newWallet())
    const { address } = (await client.request('POST', '/user/owners', { token: user.token, body })).body
    return { user, path: `/user/owners/${address}/remove`, body: await ownerRemoval(client, user, address) }
  },
  'POST /user/terms': async () => {
    const user = await client.register()
    return { user, body: (await client.request('GET', '/terms', { token: user.token })).body }
  },
  'POST /source-of-funds': withAnswers,
  'POST /api/v1/kyc/import-partner-applicant': async () => ({
    user: await client.newUser(),
    body: { forClientId: 'partner.example_1' },
  }),
  'POST /api/v1/ibans/monerium-profile': async () => {
    const user = await client.newUser()
    const message = 'I hereby declare that I am the address owner.'
    return { user, body: { signature: await user.wallet.signMessage({ message }) } }
  },
  'POST /cards/virtual': async () => ({ user: await client.newUser(), body: { cardName: 'Mine', phone } }),
  'GET /cards/{cardId}': () => withCard('/cards/{cardId}'),
  'PATCH /cards/{cardId}': () => withCard('/cards/{cardId}', { cardName: 'Mine' }),
  'GET /cards/{cardId}/limits': () => withCard('/cards/{cardId}/limits'),
  'PUT /cards/{cardId}/limits': () => withCard('/cards/{cardId}/limits', { perTransaction: null, daily: null }),
  'POST /cards/{cardId}/report': () => withCard('/cards/{cardId}/report', { reason: 'lost' }),
  'GET /user/card-transactions/{cardTransactionId}': () => withPayment('/user/card-transactions'),
  'GET /sandbox/card-transactions/{cardTransactionId}': () => withPayment('/sandbox/card-transactions'),
  'POST /cards/{cardId}/block': () => withCard('/cards/{cardId}/block'),
  'POST /cards/{cardId}/unblock': () => withCard('/cards/{cardId}/unblock'),
  'POST /cards/{cardId}/cancel': () => withCard('/cards/{cardId}/cancel'),
  'GET /pci/cards/{cardId}/challenge': () => withCard('/pci/cards/{cardId}/challenge?action=view-pin'),
  'POST /pci/cards/{cardId}/token': withSignedChallenge,
  'GET /phone': () => withCard('/phone'),
  'POST /user/withdrawal': async () => ({
    user: await holder(),
    body: { tokenAddress: bank.tokenOf('EUR').address, amount: '1' },
  }),
  'POST /user/withdrawals': async () => ({
    user: await holder(),
    body: { tokenAddress: bank.tokenOf('EUR').address, amount: '1' },
  }),
  'GET /user/withdrawals/{withdrawalId}': () => withOwnWithdrawal(),
  'POST /user/withdrawals/{withdrawalId}/cancel': () => withOwnWithdrawal('/cancel'),
  'POST /sandbox/users': async () => ({ user: await client.newUser(), body: { address: newWallet().address } }),
  'PATCH /sandbox/users/{userId}': async () => {
    const user = await client.newUser()
    return { user, path: `/sandbox/users/${user.userId}`, body: { kyc: 'approved' } }
  },
  'POST /sandbox/cards/{cardId}/block': () => withCard('/sandbox/cards/{cardId}/block', { by: 'issuer' }),
  'POST /sandbox/cards/{cardId}/unblock': () => withCard('/sandbox/cards/{cardId}/unblock', { by: 'issuer' }),
  'POST /sandbox/cards/{cardId}/status': () => withCard('/sandbox/cards/{cardId}/status', { status: 'lost' }),
  'POST /sandbox/deposits': async () => {
    const user = await client.newUser()
    return { user, body: { userId: user.userId, token: bank.tokenOf('EUR').address, amount: '1' } }
  },
  'POST /sandbox/deposits/{depositId}/screening': withDeposit,
  'POST /sandbox/withdrawals/{withdrawalId}': withWithdrawal,
  'POST /sandbox/transactions': async () => {
    const { user, cardId } = await bank.cardholder()
    const body = { transaction_type: 'authorization', card_id: cardId, amount: '1.00', currency: 'EUR' }
    return { user, body }
  },
  'POST /sandbox/chain/blocks': async () => ({ user: await client.newUser(), body: { blocks: 1 } }),
  'POST /sandbox/chain/reorganizations': async () => ({ user: await client.newUser(), body: { blocks: 1 } }),
  'POST /sandbox/clock': async () => ({ user: await client.newUser(), body: { advanceSeconds: 0 } }),
  ...partners.good,
}

/**
 * Returns the operations of users, partners and the simulator. Other tests check those of operators, and those that the
 * issuer or another provider signs. They also check the reset, which would delete the users of this test, and the
 * details of users, which an operator must grant.
 */
const ours = () =>
  client.document.operations.filter(
    ({ path, definition }) =>
      path !== '/sandbox/reset' &&
      !path.startsWith('/partner/users/') &&
      !path.startsWith('/operator/') &&
      (definition.security ?? []).every((each: object) => 'bearer' in each || 'sandbox' in each),
  )

test('every status that openapi.json declares occurs in some response, with the declared body', async () => {
  for (const operation of ours()) {
    const { method, path, definition, isSandbox } = operation
    const name = `${method} ${path}`
    const declares = (status: number) => String(status) in definition.responses
    const good = goodRequests[name] ?? (async (): Promise<Good> => ({ user: await client.newUser() }))
    type Change = { path?: string; body?: unknown; headers?: Record<string, string>; token?: string }
    async function send(change: Change = {}): Promise<Reply> {
      const right = await good()
      const { path: url = right.path ?? path, body = right.body, headers = {}, token = right.user.token } = change
      if (isSandbox) return client.sandbox(method, url.replace('/sandbox', ''), body, headers)
      return client.request(method, url, { token, body, headers })
    }

    const hasParameter = path.includes('{')
    const answer = await send()
    if (!path.startsWith('/sandbox/chain') && path !== '/api/v1/auth/challenge')
      expect(answer.status, name).toBeLessThan(300)
    if (declares(401)) await client.request(method, path.replace(/\{[^}]+\}/g, randomUUID()))
    if (declares(400)) {
      const wrongPath = hasParameter ? path.replace(/\{[^}]+\}/g, 'x') : `${path}?limit=0`
      await send(method === 'GET' ? { path: wrongPath } : { path: hasParameter ? wrongPath : path, body: [] })
    }
    if (definition.parameters?.some(({ name }: { name: string }) => name === 'Idempotency-Key')) {
      const rejected = await send({ headers: { 'idempotency-key': 'k'.repeat(256) } })
      expect(rejected.status, name).toBe(400)
    }
    if (declares(404) && hasParameter)
      await send({ path: path.replace(/\{([^}]+)\}/g, (_all, name) => unusedId(name)) })
    if (declares(403) || declares(404)) await send({ token: (await client.register()).token })
    if (declares(413)) await send({ body: { message: 'x'.repeat(100_000) } })
    if (declares(415)) await send({ body: 'x', headers: { 'content-type': 'text/plain' } })
    if (declares(422)) {
      const right = await good()
      const headers = await usedKey(right.user.token)
      await send({ path: right.path ?? path, body: right.body, token: right.user.token, headers })
    }
  }

  await causeRemainingRejections()
  const attached = await connect(
    await startService({
      METRICS_TOKEN: 'a-token-for-reading-the-metrics-32',
      CARD_LIMITS: '{"perTransaction": {"EUR": "1"}}',
    }),
  )
  const limited = await attached.newUser()
  const cardId = await (await money(attached)).newCard(limited)
  const limits = { token: limited.token, body: { perTransaction: '2', daily: null } }
  await attached.request('PUT', `/cards/${cardId}/limits`, limits)
  await attached.sandbox('GET', '/chain')
  await attached.sandbox('GET', '/chain/head')
  await attached.sandbox('POST', '/chain/blocks', { blocks: 1 })
  await attached.sandbox('POST', '/chain/reorganizations', { blocks: 1 })
  // This service has no contact.
  await attached.request('GET', '/.well-known/security.txt')
  await attached.request('GET', '/metrics')
  await attached.stop()
  for (const each of attached.seen) client.seen.add(each)
  await partners.causeRemainingRejections()
  const declared = ours().flatMap(({ method, path, definition }) =>
    Object.keys(definition.responses).map((status) => `${method} ${path} ${status}`),
  )
  const missing = declared.filter(
    (each) => !client.seen.has(each) && !outOfReach.some((status) => each.endsWith(` ${status}`)),
  )
  expect(missing).toEqual([])
})

/** Returns a valid identifier that belongs to no resource. */
const unusedId = (name: string) => (name === 'address' ? newWallet().address : randomUUID())

/** Returns an idempotency key that the user and the sandbox have used for another request. */
async function usedKey(token: string): Promise<Record<string, string>> {
  const headers = { 'idempotency-key': newName('key-') }
  await client.sandbox('POST', '/users', { address: newWallet().address }, headers)
  const body = { terms: [{ type: 'general', version: 'none' }] }
  await client.request('POST', '/user/terms', { token, headers, body })
  const partnersBody = { clientId: newName('client.') }
  await client.request('POST', '/partner/kyc-clients', { token, headers, body: partnersBody })
  return headers
}

/**
 * Sends eight equal requests at once. While one is in progress, the others get 409. Retries, because this is a race.
 */
async function raced(answer: string, send: (headers: Record<string, string>) => Promise<Reply>): Promise<void> {
  for (let i = 0; i < 4 && !client.seen.has(answer); i++) {
    const headers = { 'idempotency-key': newName('key-') }
    await Promise.all(Array.from({ length: 8 }, () => send(headers)))
  }
}

/** Causes the rejections that need several requests. */
async function causeRemainingRejections(): Promise<void> {
  const { user, cardId } = await bank.cardholder()
  const { token, userId } = user
  const code = { authorization_code: 'TWICE1' }

  const message = signInMessage({ address: user.wallet.address, nonce: 'abcdefghijklmnopqrst' })
  await client.request('POST', '/api/v1/auth/challenge', { body: { message, signature: `0x${'1'.repeat(130)}` } })
  await client.request('POST', '/user/account', { token })
  await client.request('POST', '/user', { token, body: { email: 'a@example.org', otp: '123456' } })
  const removal = `/user/owners/${user.wallet.address}/remove`
  await client.request('POST', removal, { token, body: await ownerRemoval(client, user, user.wallet.address) })
  await client.request('POST', removal, { token, body: await ownerRemoval(client, user, newWallet().address) })
  const goodbye = await ownerRemoval(client, user, user.wallet.address)
  await raced('POST /user/owners/{address}/remove 409', (headers) =>
    client.request('POST', removal, { token, headers, body: goodbye }),
  )
  const wallets = [newWallet(), user.wallet, (await client.newUser()).wallet]
  for (const wallet of wallets) {
    const body = await ownerProof(client, user, wallet)
    await client.request('POST', '/user/owners', { token, body })
    await client.request('POST', '/user/owners', { token, body })
  }
  const fresh = await readyToRegister()
  await client.request('POST', '/user', { token: fresh.user.token, body: { email: 'a@example.org', otp: '000000' } })

  await client.sandbox('POST', `/cards/${cardId}/block`, { by: 'issuer' })
  await client.request('POST', `/cards/${cardId}/unblock`, { token })
  await client.sandbox('POST', `/cards/${cardId}/unblock`, { by: 'issuer' })
  await raced('POST /cards/virtual 409', (headers) =>
    client.request('POST', '/cards/virtual', { token, headers, body: { cardName: 'Twice' } }),
  )
  const transfer = { userId, token: bank.tokenOf('EUR').address, amount: '1' }
  await raced('POST /sandbox/deposits 409', (headers) => client.sandbox('POST', '/deposits', transfer, headers))
  await raced('POST /sandbox/clock 409', (headers) => client.sandbox('POST', '/clock', { advanceSeconds: 1 }, headers))

  await client.sandbox('POST', '/users', { address: user.wallet.address })
  await client.sandbox('PATCH', `/users/${userId}`, { kyc: 'pending' })
  const sharing = { token, body: { forClientId: 'partner.example_1' } }
  await client.request('POST', '/api/v1/kyc/import-partner-applicant', sharing)
  await client.sandbox('PATCH', `/users/${userId}`, { kyc: 'approved' })
  await bank.card(cardId, 'authorization', code)
  await bank.card(cardId, 'authorization', code)
  await bank.card(randomUUID(), 'expiry', code)

  const signed = await withSignedChallenge()
  const view = { token: signed.user.token, body: signed.body }
  const challenge = (id: string) => `/pci/cards/${id}/challenge?action=view-pin`
  const [, , , viewedCardId = ''] = signed.path?.split('/') ?? []
  for (let i = 0; i < 2; i++) await client.request('POST', `/pci/cards/${viewedCardId}/token`, view)
  await client.request('GET', challenge(randomUUID()), { token })
  await client.request('POST', `/cards/${viewedCardId}/cancel`, { token: view.token })
  await client.request('GET', challenge(viewedCardId), { token: view.token })
  await client.request('POST', `/pci/cards/${viewedCardId}/token`, view)

  const { depositId } = await bank.deposit(user, 1n)
  await client.sandbox('POST', `/deposits/${depositId}/screening`, { result: 'rejected' })
  const { path = '', user: payee } = await withWithdrawal()
  for (const outcome of ['completed', 'failed']) await client.sandbox('POST', path.replace('/sandbox', ''), { outcome })
  await client.request('POST', `${path.replace('/sandbox', '/user')}/cancel`, { token: payee.token })
  const { token: abroad } = await client.newUser({ country: 'US' })
  await client.request('POST', '/api/v1/ibans/monerium-profile', { token: abroad, body: { signature: '0x12' } })
  const leaver = await holder()
  const closing = { token: leaver.token, body: await closure(client, leaver) }
  await client.request('POST', '/user/close', closing)
  const nobody = { userId: randomUUID(), token: bank.tokenOf('EUR').address, amount: '1' }
  await client.sandbox('POST', '/deposits', nobody)
  await client.sandbox('POST', '/users', { address: newWallet().address, partnerId: randomUUID() })
  for (const accountStatus of ['closed', 'active']) await client.sandbox('PATCH', `/users/${userId}`, { accountStatus })
}
