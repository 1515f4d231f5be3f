import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, connect, newName, newWallet, signInMessage } from './client.ts'
import { type Money, money, units } from './money.ts'
import { isShared, startService } from './service.ts'
import { address, expectValidation, instant, plain, uuid } from './shapes.ts'

let client: Client
let bank: Money
beforeAll(async () => {
  // These tests move the clock, so they need a service of their own.
  client = await connect(await startService())
  bank = await money(client)
})
afterAll(() => client.stop())

const day = 86_400
const makeUser = (body: object) => client.sandbox('POST', '/users', body)

test('every simulator operation requires the simulator’s password', async () => {
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  const { token } = await client.newUser()
  for (const authorization of [
    undefined,
    basic('simulator:wrong'),
    basic('someone:sandbox'),
    basic('simulator'),
    'Basic',
    'Basic !!!',
    `Bearer ${token}`,
  ]) {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
    for (const { method, path } of client.document.operations.filter(({ isSandbox }) => isSandbox)) {
      const url = path.replace(/\{[^}]+\}/g, '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a')
      const answer = await client.request(method, url, { headers })
      expect([answer.status, Object.keys(answer.body)], `${method} ${path}`).toEqual([401, ['success', 'error']])
    }
  }
})

test('a user created in the sandbox has completed onboarding and can sign in', async () => {
  const wallet = newWallet()
  const made = await makeUser({ address: wallet.address, email: `${newName('a')}@example.org`, kyc: 'approved' })
  expect(made.status).toBe(201)
  expect(made.body).toStrictEqual({
    userId: expect.stringMatching(uuid),
    accountAddress: expect.stringMatching(address),
  })
  const token = await client.signIn(wallet)
  const status = await client.request('GET', '/user/onboarding', { token })
  expect([status.status, status.body]).toEqual([200, { status: 'completed' }])
  expect((await client.request('GET', '/user', { token })).body).toMatchObject({ userId: made.body.userId })
})

test('a wallet or an email address can create only one sandbox user, in any letter case', async () => {
  const { address: wallet } = newWallet()
  const email = `${newName('a')}@example.org`
  expect((await makeUser({ address: wallet, email })).status).toBe(201)
  expect((await makeUser({ address: wallet.toLowerCase() })).status).toBe(409)
  expect((await makeUser({ address: newWallet().address, email: email.toUpperCase() })).status).toBe(409)
  const twin = newWallet().address
  const twins = await Promise.all([1, 2, 3, 4].map(() => makeUser({ address: twin })))
  expect(twins.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
})

test('an invalid sandbox user gets a validation error', async () => {
  const good = newWallet().address
  for (const body of [
    {},
    { address: 'x' },
    { address: good, country: 'Germany' },
    { address: good, country: 'de' },
    { address: good, kyc: 'maybe' },
    { address: good, email: 'no mail' },
    { address: 1 },
    [],
  ]) {
    expectValidation(await makeUser(body))
  }
})

test('the country of a user determines the currency of the card', async () => {
  const cases = { DE: 'EUR', FR: 'EUR', CH: 'EUR', GB: 'GBP', US: 'USD', BR: 'USD' }
  for (const [country, currency] of Object.entries(cases)) {
    const user = await client.newUser({ country })
    const cardId = await bank.newCard(user)
    await bank.card(cardId, 'authorization', { amount: '1.00', currency })
    const [item] = await bank.statement(user)
    expect([country, item.currency]).toEqual([country, currency])
  }
})

test('a change of the user’s country does not change the account’s currency', async () => {
  const user = await client.newUser({ country: 'DE' })
  expect((await client.sandbox('PATCH', `/users/${user.userId}`, { country: 'US' })).status).toBe(200)
  const cardId = await bank.newCard(user)
  await bank.card(cardId, 'authorization', { amount: '1.00' })
  expect((await bank.statement(user))[0].currency).toBe('EUR')
})

test('the simulator can set every KYC and account status of a user, and rejects unknown values', async () => {
  const { userId } = await client.newUser()
  const patch = (body: object) => client.sandbox('PATCH', `/users/${userId}`, body)
  const kyc = ['notStarted', 'documentsRequested', 'pending', 'processing', 'resubmissionRequested', 'requiresAction']
  for (const state of [...kyc, 'rejected', 'approved']) expect((await patch({ kyc: state })).status, state).toBe(200)
  for (const state of ['blocked', 'active', 'closed']) {
    expect((await patch({ accountStatus: state })).status, state).toBe(200)
  }
  for (const body of [{ kyc: 'good' }, { accountStatus: 'open' }, { country: 'Utopia' }, { kyc: 1 }]) {
    expectValidation(await patch(body))
  }
  expect(
    (await client.sandbox('PATCH', '/users/01a1fc4e-f39c-748a-b04f-9ca8209a4d4a', { kyc: 'pending' })).status,
  ).toBe(404)
})

test('the simulator lists the tokens, the exchange rates and the chain', async () => {
  for (const token of bank.tokens) {
    expect(token).toMatchObject({
      address: expect.stringMatching(address),
      symbol: expect.any(String),
      currency: expect.stringMatching(/^[A-Z]{3}$/),
      decimals: expect.any(Number),
      chainId: expect.any(Number),
    })
  }
  expect((await client.sandbox('GET', '/rates')).status).toBe(200)
  const chain = await client.sandbox('GET', '/chain')
  if (chain.status === 404) expect(chain.body).toMatchObject({ success: false })
  else expect(Object.keys(chain.body)).toEqual(['chainId', 'rpcUrl', 'finalityDepth'])
})

describe.skipIf(isShared)('the sandbox clock triggers expiries', () => {
  const now = async () => Date.parse((await client.sandbox('GET', '/clock')).body.now)
  const advance = (advanceSeconds: unknown) => client.sandbox('POST', '/clock', { advanceSeconds })

  test('the sandbox clock moves forward by the requested time and never back', async () => {
    const before = await now()
    const moved = await advance(3600)
    expect([moved.status, moved.body]).toEqual([200, { now: expect.stringMatching(instant) }])
    expect(Date.parse(moved.body.now) - before).toBeGreaterThanOrEqual(3_600_000)
    expect(Date.parse(moved.body.now) - before).toBeLessThan(3_630_000)
    for (const wrong of [-1, 1.5, '60', null, 1e18]) expectValidation(await advance(wrong))
  })

  test('an access token expires after one hour by default', async () => {
    const { wallet } = await client.newUser()
    const message = signInMessage({
      address: wallet.address,
      nonce: await client.nonce(),
      issuedAt: new Date(await now()).toISOString(),
    })
    const signature = await wallet.signMessage({ message })
    const { body } = await client.request('POST', '/api/v1/auth/challenge', { body: { message, signature } })
    const read = () => client.request('GET', '/cards', { token: body.token })
    await advance(3500)
    expect((await read()).status).toBe(200)
    await advance(101)
    const expired = await read()
    expect([expired.status, expired.body]).toEqual([401, plain('TOKEN_EXPIRED')])
  })

  test('a nonce expires after ten minutes', async () => {
    const wallet = newWallet()
    const message = signInMessage({ address: wallet.address, nonce: await client.nonce() })
    const signature = await wallet.signMessage({ message })
    await advance(601)
    const answer = await client.request('POST', '/api/v1/auth/challenge', { body: { message, signature } })
    expect([answer.status, answer.body.error]).toEqual([401, 'NONCE_EXPIRED'])
  })

  test('a hold expires after 3 days for fuel, 7 days for shops and 31 days for hotels', async () => {
    const user = await client.newUser()
    const cardId = await bank.newCard(user)
    await bank.deposit(user, units('100'))
    for (const merchant_code of ['5541', '5999', '7011']) {
      await bank.card(cardId, 'authorization', { amount: '10.00', merchant_code })
    }
    const pending = async () => {
      const token = await client.signIn(user.wallet)
      const items = await bank.statement({ ...user, token })
      await bank.assertBooks({ ...user, token })
      return items.filter(({ status }) => status === 'pending').map(({ mcc }) => mcc)
    }
    expect(await pending()).toEqual(['7011', '5999', '5541'])
    await advance(3 * day + 60)
    expect(await pending()).toEqual(['7011', '5999'])
    await advance(4 * day)
    expect(await pending()).toEqual(['7011'])
    await advance(24 * day)
    expect(await pending()).toEqual([])
    const token = await client.signIn(user.wallet)
    expect((await bank.balance({ ...user, token })).spendable).toBe(String(units('100')))
  })
})
