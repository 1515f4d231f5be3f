import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, connect, newName, newWallet } from './client.ts'
import { phone } from './money.ts'
import { address, expectValidation, instant, plain, uuid } from './shapes.ts'

let client: Client
beforeAll(async () => {
  client = await connect()
})
afterAll(() => client.stop())

const newEmail = () => `${newName('a')}@example.org`

function as(token: string) {
  return {
    get: (path: string) => client.request('GET', path, { token }),
    post: (path: string, body?: unknown) => client.request('POST', path, { token, body }),
    status: async () => (await client.request('GET', '/user/onboarding', { token })).body,
  }
}

/** Returns the first offered answer to each question of the questionnaire. */
async function firstAnswers(token: string): Promise<{ question: string; answer: string }[]> {
  const { body } = await as(token).get('/source-of-funds')
  return body.data.map(({ question, answers }: any) => ({ question, answer: answers[0] }))
}

test('a new wallet becomes a user with an account and a card by completing every onboarding step', async () => {
  const { userId, token } = await client.register()
  const me = as(token)
  expect((await me.get('/user')).body).toMatchObject({
    userId,
    account: null,
    createdAt: expect.stringMatching(instant),
  })

  expect(await me.status()).toEqual({ status: 'action_accept_tos' })
  const { terms } = (await me.get('/terms')).body
  const accepted = await me.post('/user/terms', { terms: terms.map(({ type, version }: any) => ({ type, version })) })
  expect(accepted.status).toBe(200)
  for (const each of (await me.get('/user/terms')).body.terms) expect(each.acceptedAt).toMatch(instant)

  expect(await me.status()).toEqual({ status: 'action_complete_kyc', webSdkUrl: expect.stringMatching(/^https?:/) })
  await client.sandbox('PATCH', `/users/${userId}`, { kyc: 'processing' })
  expect(await me.status()).toEqual({ status: 'kyc_manual_review' })
  await client.sandbox('PATCH', `/users/${userId}`, { kyc: 'resubmissionRequested' })
  expect(await me.status()).toMatchObject({
    status: 'action_kyc_resubmission_requested',
    webSdkUrl: expect.any(String),
  })
  await client.sandbox('PATCH', `/users/${userId}`, { kyc: 'approved' })

  expect(await me.status()).toEqual({ status: 'action_complete_sof' })
  expect((await me.post('/source-of-funds', { answers: await firstAnswers(token) })).status).toBe(200)

  expect(await me.status()).toEqual({ status: 'action_create_account' })
  const opened = await me.post('/user/account')
  expect(opened.status).toBe(201)
  expect(opened.body).toMatchObject({ address: expect.stringMatching(address), currency: 'EUR' })
  expect(['waiting_account_setup', 'completed']).toContain((await me.status()).status)
  expect((await me.get('/user/account')).body).toMatchObject({ status: 'active', address: opened.body.address })
  expect(await me.status()).toEqual({ status: 'completed' })
  expect((await me.post('/cards/virtual', { cardName: 'Mine', phone })).status).toBe(201)
})

test('registration returns an access token of the new user that expires together with the original one', async () => {
  const wallet = newWallet()
  const email = newEmail()
  const token = await client.signIn(wallet, { ttlInSeconds: 7200 })
  await as(token).post('/email-verification', { email })
  const made = await as(token).post('/user', { email, otp: '123456' })
  expect([made.status, made.body]).toEqual([
    201,
    { userId: expect.stringMatching(uuid), accessToken: expect.any(String) },
  ])
  const claims = decodeJwt(made.body.accessToken)
  expect(claims).toMatchObject({ sub: made.body.userId, userId: made.body.userId, signerAddress: wallet.address })
  expect(claims.exp).toBe(decodeJwt(token).exp)
  const before = await as(token).get('/user')
  expect([before.status, before.body]).toEqual([401, plain('NOT_REGISTERED')])
  expect((await as(made.body.accessToken).get('/user')).status).toBe(200)
  expect(decodeJwt(await client.signIn(wallet))['userId']).toBe(made.body.userId)
})

test('a wallet or an email address can be registered only once', async () => {
  const email = newEmail()
  const first = await client.register(email)
  const again = await as(first.token).post('/user', { email: newEmail(), otp: '123456' })
  expect(again.status).toBe(409)
  const token = await client.signIn(newWallet())
  await as(token).post('/email-verification', { email: email.toUpperCase() })
  expect((await as(token).post('/user', { email: email.toUpperCase(), otp: '123456' })).status).toBe(409)
})

test('ten parallel registrations of one wallet create one user', async () => {
  const email = newEmail()
  const token = await client.signIn(newWallet())
  await as(token).post('/email-verification', { email })
  const answers = await Promise.all(Array.from({ length: 10 }, () => as(token).post('/user', { email, otp: '123456' })))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  for (const { status } of answers) expect([201, 409, 422]).toContain(status)
})

test('an email code is valid only for the wallet that requested it, and for five attempts', async () => {
  const email = newEmail()
  const [token, thief] = [await client.signIn(newWallet()), await client.signIn(newWallet())]
  await as(token).post('/email-verification', { email })
  const rejection = [422, plain('INVALID_OTP')]
  const stolen = await as(thief).post('/user', { email, otp: '123456' })
  expect([stolen.status, stolen.body]).toEqual(rejection)
  for (let attempt = 1; attempt <= 5; attempt++) {
    const wrong = await as(token).post('/user', { email, otp: '000000' })
    expect([wrong.status, wrong.body]).toEqual(rejection)
  }
  const late = await as(token).post('/user', { email, otp: '123456' })
  expect([late.status, late.body]).toEqual(rejection)
  await as(token).post('/email-verification', { email })
  expect((await as(token).post('/user', { email, otp: '123456' })).status).toBe(201)
})

test('an invalid email address, or a code that is not a string, gets a validation error', async () => {
  const token = await client.signIn(newWallet())
  for (const email of ['', 'nobody', 'a@', '@b', 'a b@example.org', 1, null]) {
    expectValidation(await as(token).post('/email-verification', { email }))
  }
  for (const otp of [123456, null, undefined])
    expectValidation(await as(token).post('/user', { email: newEmail(), otp }))
})

test('a user cannot open an account before all onboarding steps are complete', async () => {
  const { token } = await client.register()
  const rejected = await as(token).post('/user/account')
  expect([rejected.status, rejected.body]).toEqual([422, plain('ONBOARDING_INCOMPLETE')])
})

test('outdated terms and incomplete or unknown source-of-funds answers are rejected', async () => {
  const { token } = await client.register()
  expect((await as(token).post('/user/terms', { terms: [{ type: 'general', version: '0.0' }] })).status).toBe(422)
  const answers = await firstAnswers(token)
  const [first, ...others] = answers
  for (const wrong of [
    others,
    [...answers, first],
    [{ ...first, answer: 'none of these' }, ...others],
    [{ ...first, question: 'Why?' }, ...others],
  ]) {
    const { status } = await as(token).post('/source-of-funds', { answers: wrong })
    expect(status, JSON.stringify(wrong)).toBe(422)
  }
  for (const body of [{}, { answers: 'all' }, { answers: [1] }]) {
    expectValidation(await as(token).post('/source-of-funds', body))
  }
})

test('a rejected identity verification ends the onboarding', async () => {
  const { userId, token } = await client.register()
  await client.sandbox('PATCH', `/users/${userId}`, { kyc: 'rejected' })
  expect(await as(token).status()).toEqual({ status: 'rejected' })
})

test('requests that need an account get 404 for a user without one', async () => {
  const { token } = await client.register()
  for (const path of ['/user/statement', '/user/balances/v2', '/user/deposits', '/user/withdrawals', '/user/account']) {
    const answer = await as(token).get(path)
    expect([answer.status, answer.body], path).toEqual([404, plain('ACCOUNT_NOT_FOUND')])
  }
  const [{ address: tokenAddress }] = (await client.sandbox('GET', '/tokens')).body.data
  const rejected = await as(token).post('/user/withdrawal', { tokenAddress, amount: '1' })
  expect([rejected.status, rejected.body]).toEqual([404, plain('ACCOUNT_NOT_FOUND')])
})
