import { randomUUID } from 'node:crypto'
import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { deleteExpiredEmailCodes } from '../../src/identity/onboarding/registration.ts'
import { newWallet, plainError, startService, useService, type Wallet } from '../support/service.ts'

const otp = '123456'

const service = useService({ worker: false })

const newEmail = () => `${randomUUID()}@example.org`
const post = (token: string, path: string, body?: unknown) => service.request('POST', path, { token, body })
const get = (token: string, path: string) => service.request('GET', path, { token })
const validation = {
  kind: 'validation',
  success: false,
  error: { name: 'ValidationError', message: expect.any(String) },
}

type Registered = { wallet: Wallet; email: string; userId: string; token: string }

async function registered(body: object = {}): Promise<Registered> {
  const wallet = newWallet()
  const email = newEmail()
  const token = await service.signIn(wallet)
  await post(token, '/email-verification', { email })
  const answer = await post(token, '/user', { email, otp, ...body })
  if (answer.status !== 201) throw new Error(answer.text)
  return { wallet, email, userId: answer.body.userId, token: answer.body.accessToken }
}

const statusOf = async (token: string) => (await get(token, '/user/onboarding')).body.status

async function answersOf(token: string): Promise<{ question: string; answer: string }[]> {
  const { data } = (await get(token, '/source-of-funds')).body
  return data.map(({ question, answers }: { question: string; answers: string[] }) => ({
    question,
    answer: answers[0],
  }))
}

async function acceptTerms(token: string): Promise<void> {
  const { terms } = (await get(token, '/terms')).body
  expect((await post(token, '/user/terms', { terms })).status).toBe(200)
}

test('a wallet becomes a user with an account by following the onboarding steps', async () => {
  const wallet = newWallet()
  const email = newEmail()
  const first = await service.signIn(wallet, 7200)
  expect(await get(first, '/user').then(({ status, body }) => [status, body])).toEqual(
    plainError(401, 'NOT_REGISTERED'),
  )

  const sent = await post(first, '/email-verification', { email })
  expect([sent.status, sent.body]).toEqual([200, { success: true, otp }])
  const made = await post(first, '/user', { email: email.toUpperCase(), otp })
  expect([made.status, made.body]).toEqual([201, { userId: expect.any(String), accessToken: expect.any(String) }])
  const { userId, accessToken: token } = made.body
  expect(decodeJwt(token)).toMatchObject({ sub: userId, userId, hasSignedUp: true, signerAddress: wallet.address })
  expect(decodeJwt(token).exp).toBe(decodeJwt(first).exp)
  expect((await get(first, '/user')).body.error).toBe('NOT_REGISTERED')
  expect((await get(token, '/user')).body).toEqual({
    userId,
    email,
    firstName: null,
    lastName: null,
    country: null,
    kycStatus: 'notStarted',
    account: null,
    createdAt: expect.stringMatching(/Z$/),
  })

  const early = await post(token, '/user/account')
  expect([early.status, early.body]).toEqual(plainError(422, 'ONBOARDING_INCOMPLETE'))
  expect(await statusOf(token)).toBe('action_accept_tos')
  await acceptTerms(token)
  const identity = (await get(token, '/user/onboarding')).body
  expect(identity).toEqual({ status: 'action_complete_kyc', webSdkUrl: expect.stringContaining(userId) })
  await service.sandbox('PATCH', `/users/${userId}`, { kyc: 'pending' })
  expect(await statusOf(token)).toBe('kyc_manual_review')
  await service.sandbox('PATCH', `/users/${userId}`, { kyc: 'approved', country: 'GB' })
  expect(await statusOf(token)).toBe('action_complete_sof')
  const answered = await post(token, '/source-of-funds', { answers: await answersOf(token) })
  expect([answered.status, answered.body]).toEqual([200, { success: true }])
  expect(await statusOf(token)).toBe('action_create_account')

  const missing = await get(token, '/user/account')
  expect([missing.status, missing.body]).toEqual(plainError(404, 'ACCOUNT_NOT_FOUND'))
  const opened = await post(token, '/user/account')
  const account = {
    accountId: expect.any(String),
    address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
    currency: 'GBP',
    status: 'active',
  }
  expect([opened.status, opened.body]).toEqual([201, account])
  const again = await post(token, '/user/account')
  expect([again.status, again.text]).toEqual([200, opened.text])
  expect((await get(token, '/user/account')).body).toEqual(opened.body)
  expect((await get(token, '/user/onboarding')).body).toEqual({ status: 'completed' })
  expect((await get(token, '/user')).body).toMatchObject({ country: 'GB', kycStatus: 'approved', account: opened.body })
  // The next access token identifies the user.
  expect((await get(await service.signIn(wallet), '/user')).body.userId).toBe(userId)
})

describe('one-time codes', () => {
  test('a one-time code cannot register the same wallet twice', async () => {
    const { wallet, email } = await registered()
    const token = await service.signIn(wallet)
    const again = await post(token, '/user', { email, otp })
    expect([again.status, again.body]).toEqual(plainError(409, 'WALLET_IN_USE'))
  })

  test('concurrent requests with the same one-time code register one user', async () => {
    const token = await service.signIn(newWallet())
    const email = newEmail()
    await post(token, '/email-verification', { email })
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(token, '/user', { email, otp })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const { status } of answers) expect([201, 409, 422]).toContain(status)
  })

  test('a one-time code is void after five wrong attempts, and a new code works', async () => {
    const token = await service.signIn(newWallet())
    const email = newEmail()
    await post(token, '/email-verification', { email })
    for (const wrong of ['000000', '', '12345', '1234567', ' 123456']) {
      const answer = await post(token, '/user', { email, otp: wrong })
      expect([answer.status, answer.body]).toEqual(plainError(422, 'INVALID_OTP'))
    }
    expect((await post(token, '/user', { email, otp })).body.error).toBe('INVALID_OTP')
    await post(token, '/email-verification', { email })
    expect((await post(token, '/user', { email, otp })).status).toBe(201)
  })

  test('a one-time code still works after four wrong attempts', async () => {
    const token = await service.signIn(newWallet())
    const email = newEmail()
    await post(token, '/email-verification', { email })
    await Promise.all(Array.from({ length: 4 }, () => post(token, '/user', { email, otp: '000000' })))
    expect((await post(token, '/user', { email, otp })).status).toBe(201)
  })

  test('a one-time code works only for the wallet that requested it and the email address it was sent to', async () => {
    const [token, stranger] = [await service.signIn(newWallet()), await service.signIn(newWallet())]
    const email = newEmail()
    await post(token, '/email-verification', { email })
    expect((await post(stranger, '/user', { email, otp })).body.error).toBe('INVALID_OTP')
    expect((await post(token, '/user', { email: newEmail(), otp })).body.error).toBe('INVALID_OTP')
    expect((await post(token, '/user', { email, otp })).status).toBe(201)
  })

  test('a one-time code expires after ten minutes and is then deleted', async () => {
    const wallet = newWallet()
    const token = await service.signIn(wallet, 86_400)
    const rows = () =>
      service.ctx.db.query('select signer_address from email_code where signer_address = $1', [wallet.address])
    const email = newEmail()
    await post(token, '/email-verification', { email })
    await service.advance(601)
    expect((await post(token, '/user', { email, otp })).body.error).toBe('INVALID_OTP')
    expect(await rows()).toHaveLength(1)
    await deleteExpiredEmailCodes(service.ctx)
    expect(await rows()).toEqual([])
  })

  test('the stored row of a one-time code contains neither the code nor the email address', async () => {
    const wallet = newWallet()
    const email = newEmail()
    await post(await service.signIn(wallet), '/email-verification', { email })
    const [row] = await service.ctx.db.query<object>('select * from email_code where signer_address = $1', [
      wallet.address,
    ])
    expect(row).toBeDefined()
    expect(JSON.stringify(row)).not.toContain(otp)
    expect(JSON.stringify(row)).not.toContain(email)
  })

  test('one-time codes per hour are limited by wallet and email address, and strangers do not block the address', async () => {
    const limited = await startService({ worker: false, env: { EMAIL_CODES_PER_HOUR: '3' } })
    const ask = (token: string, email: string, headers = {}) =>
      limited.request('POST', '/email-verification', { token, body: { email }, headers })
    const key = { 'idempotency-key': 'stores no rejection' }
    try {
      const [email, wallet] = [newEmail(), newWallet()]
      const token = await limited.signIn(wallet, 86_400)
      for (let sent = 0; sent < 3; sent++) expect((await ask(token, email)).status).toBe(200)
      const stranger = await limited.signIn(newWallet())
      for (let sent = 0; sent < 3; sent++) expect((await ask(stranger, email)).status).toBe(200)
      for (const refused of [await ask(token, email, key), await ask(stranger, email.toUpperCase())]) {
        expect([refused.status, refused.body]).toEqual(plainError(429, 'RATE_LIMITED'))
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
        expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(3600)
      }
      expect((await ask(await limited.signIn(newWallet()), newEmail())).status).toBe(200)
      // The next hour has a new limit, and the idempotency key did not store the rejection.
      await limited.advance(3600)
      expect((await ask(token, email, key)).status).toBe(200)
      expect((await limited.request('POST', '/user', { token, body: { email, otp } })).status).toBe(201)
      await deleteExpiredEmailCodes(limited.ctx)
      const counts = await limited.ctx.db.query('-- by a test\nselect sent from email_code_count')
      expect(counts).toEqual([{ sent: 1 }, { sent: 1 }])
    } finally {
      await limited.stop()
    }
  })

  test('one-time codes per hour to one email address have a higher limit over all wallets', async () => {
    const limited = await startService({ worker: false, env: { EMAIL_CODES_PER_HOUR: '1' } })
    const ask = async (wallet: Wallet, email: string) =>
      limited.request('POST', '/email-verification', { token: await limited.signIn(wallet), body: { email } })
    try {
      const [email, first] = [newEmail(), newWallet()]
      expect((await ask(first, email)).status).toBe(200)
      // Rejected requests of a wallet do not count toward the limit of the address.
      for (let i = 0; i < 3; i++) expect((await ask(first, email)).status).toBe(429)
      for (let i = 0; i < 9; i++) expect((await ask(newWallet(), email)).status).toBe(200)
      expect((await ask(newWallet(), email)).status).toBe(429)
      expect((await ask(newWallet(), newEmail())).status).toBe(200)
    } finally {
      await limited.stop()
    }
  })

  test('a request for a one-time code gets 502 if the email cannot be sent', async () => {
    const token = await service.signIn(newWallet())
    const answer = await post(token, '/email-verification', { email: 'ada@undeliverable.example' })
    expect([answer.status, answer.body]).toEqual(plainError(502, 'UPSTREAM_FAILURE'))
  })

  test('a request for a one-time code gets 400 if the email address has no mailbox', async () => {
    const token = await service.signIn(newWallet())
    const { status, body } = await post(token, '/email-verification', { email: 'ada@nobody.example' })
    expect([status, body.error.message]).toEqual([400, 'body/email must be the address of an existing mailbox'])
  })

  test.each(['', 'ada', 'ada@', 'a b@example.org', 'ada@example.org\u0000', 7, null])(
    'the email address %j is rejected as invalid',
    async (email) => {
      const token = await service.signIn(newWallet())
      for (const path of ['/email-verification', '/user']) {
        const answer = await post(token, path, { email, otp })
        expect([answer.status, answer.body]).toEqual([400, validation])
      }
    },
  )
})

describe('user registration', () => {
  test('a wallet rejected for an email address in use can register with another email address', async () => {
    const { email } = await registered()
    const token = await service.signIn(newWallet())
    await post(token, '/email-verification', { email })
    const taken = await post(token, '/user', { email, otp })
    expect([taken.status, taken.body]).toEqual(plainError(409, 'EMAIL_IN_USE'))
    const other = newEmail()
    await post(token, '/email-verification', { email: other })
    expect((await post(token, '/user', { email: other, otp })).status).toBe(201)
  })

  test('a registered user cannot register again, even with a wrong one-time code', async () => {
    const { token, email } = await registered()
    const answer = await post(token, '/user', { email, otp: '000000' })
    expect([answer.status, answer.body]).toEqual(plainError(409, 'WALLET_IN_USE'))
  })

  test("a valid share token imports the user's verification, and an invalid one is ignored", async () => {
    const shared = await registered({ shareToken: 'sandbox-US' })
    expect((await get(shared.token, '/user')).body).toMatchObject({ kycStatus: 'approved', country: 'US' })
    await acceptTerms(shared.token)
    await post(shared.token, '/source-of-funds', { answers: await answersOf(shared.token) })
    expect((await post(shared.token, '/user/account')).body.currency).toBe('USD')
    const alone = await registered({ shareToken: 'no such token' })
    expect((await get(alone.token, '/user')).body).toMatchObject({ kycStatus: 'notStarted', country: null })
  })

  test('registration with a share token gets 502 while the KYC provider fails, and the one-time code still works', async () => {
    const token = await service.signIn(newWallet())
    const email = newEmail()
    await post(token, '/email-verification', { email })
    service.controls().kyc.failNext(1)
    const answer = await post(token, '/user', { email, otp, shareToken: 'sandbox-DE' })
    expect([answer.status, answer.body]).toEqual(plainError(502, 'UPSTREAM_FAILURE'))
    expect((await post(token, '/user', { email, otp, shareToken: 'sandbox-DE' })).status).toBe(201)
  })

  test('registration responses are neither cached nor stored under an idempotency key', async () => {
    const token = await service.signIn(newWallet())
    const email = newEmail()
    const headers = { 'idempotency-key': randomUUID() }
    const sent = await service.request('POST', '/email-verification', { token, body: { email }, headers })
    const made = await service.request('POST', '/user', { token, body: { email, otp }, headers })
    expect([sent.status, made.status]).toEqual([200, 201])
    for (const { headers } of [sent, made]) expect(headers.get('cache-control')).toBe('no-store')
    const repeated = await service.request('POST', '/user', { token, body: { email, otp }, headers })
    expect(repeated.body.error).toBe('WALLET_IN_USE')
  })
})

describe('terms of use', () => {
  test('a user can accept only the current version of existing terms', async () => {
    const { token } = await registered()
    const { terms } = (await get(token, '/terms')).body
    const [current] = terms
    for (const wrong of [
      { ...current, version: '0' },
      { ...current, type: 'other' },
    ]) {
      const answer = await post(token, '/user/terms', { terms: [current, wrong] })
      expect([answer.status, answer.body]).toEqual(plainError(422, 'UNKNOWN_TERMS'))
    }
    expect((await get(token, '/user/terms')).body.terms).toEqual([{ ...current, acceptedAt: null }])
    for (const bad of [{}, { terms: [] }, { terms: [{ type: current.type }] }, { terms: 'all' }]) {
      const answer = await post(token, '/user/terms', bad)
      expect([answer.status, answer.body]).toEqual([400, validation])
    }
  })

  test('accepting the same terms twice keeps the first acceptance time', async () => {
    const { token } = await registered()
    const { terms } = (await get(token, '/terms')).body
    const first = await post(token, '/user/terms', { terms })
    expect(first.body.terms).toEqual([{ ...terms[0], acceptedAt: expect.stringMatching(/Z$/) }])
    const again = await post(token, '/user/terms', { terms: [...terms, ...terms] })
    expect([again.status, again.text]).toEqual([200, first.text])
  })

  test('a new version of the terms must be accepted even by users who completed onboarding', async () => {
    const user = await service.newUser()
    expect(await statusOf(user.token)).toBe('completed')
    const next = { type: 'general', version: '2', url: 'https://example.org/terms/2' }
    const later = await startService({
      connection: service.connection,
      worker: false,
      env: { TERMS: JSON.stringify([next]) },
    })
    try {
      const status = async () => (await later.request('GET', '/user/onboarding', { token: user.token })).body.status
      expect(await status()).toBe('action_accept_tos')
      await later.request('POST', '/user/terms', { token: user.token, body: { terms: [next] } })
      expect(await status()).toBe('completed')
    } finally {
      await later.stop()
    }
  })
})

test('an incomplete, contradictory or invented source-of-funds questionnaire is rejected and not stored', async () => {
  const { token, userId } = await registered({ shareToken: 'sandbox-DE' })
  await acceptTerms(token)
  const whole = await answersOf(token)
  const [first, ...rest] = whole
  if (!first) throw new Error('no questions')
  for (const answers of [
    [],
    rest,
    [...whole, first],
    [first, ...whole.slice(0, -1)],
    [{ ...first, answer: 'Lottery' }, ...rest],
    [{ question: 'Why?', answer: 'Because' }, ...rest],
  ]) {
    const refused = await post(token, '/source-of-funds', { answers })
    expect([refused.status, refused.body]).toEqual(plainError(422, 'INVALID_SOURCE_OF_FUNDS'))
  }
  for (const bad of [{}, { answers: 'all' }, { answers: [{ question: 1, answer: 2 }] }]) {
    const answer = await post(token, '/source-of-funds', bad)
    expect([answer.status, answer.body]).toEqual([400, validation])
  }
  const stored = () => service.ctx.db.query('select question from source_of_funds_answer where user_id = $1', [userId])
  expect(await stored()).toEqual([])
  expect(await statusOf(token)).toBe('action_complete_sof')
  for (let times = 0; times < 2; times++) {
    expect((await post(token, '/source-of-funds', { answers: whole.reverse() })).status).toBe(200)
  }
  expect(await stored()).toHaveLength(whole.length)
})

test('ten concurrent requests of one user open one account', async () => {
  const { token, userId } = await registered({ shareToken: 'sandbox-DE' })
  await acceptTerms(token)
  await post(token, '/source-of-funds', { answers: await answersOf(token) })
  const answers = await Promise.all(Array.from({ length: 10 }, () => post(token, '/user/account')))
  for (const { status } of answers) expect([200, 201]).toContain(status)
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  // Computes the key as the migration of the table documents it for people who use psql.
  const found = await service.ctx.db.query<{ user_id: string }>(
    `-- by a test
     select user_id from directory where lookup_key = left(encode(sha256(convert_to($1, 'UTF8')), 'hex'), 32)::uuid`,
    [`account:${answers[0]?.body.address.toLowerCase()}`],
  )
  expect(found).toEqual([{ user_id: userId }])
})

test('the onboarding status follows the state of identity verification', async () => {
  const user = await service.newUser()
  for (const [kyc, status, hasPage] of [
    ['notStarted', 'action_complete_kyc', true],
    ['documentsRequested', 'action_complete_kyc', true],
    ['pending', 'kyc_manual_review', false],
    ['processing', 'kyc_manual_review', false],
    ['resubmissionRequested', 'action_kyc_resubmission_requested', true],
    ['requiresAction', 'action_kyc_resubmission_requested', true],
    ['rejected', 'rejected', false],
    ['approved', 'completed', false],
  ] as const) {
    await service.sandbox('PATCH', `/users/${user.userId}`, { kyc })
    const { body } = await get(user.token, '/user/onboarding')
    expect(body).toEqual({ status, ...(hasPage ? { webSdkUrl: expect.any(String) } : {}) })
  }
  await service.sandbox('PATCH', `/users/${user.userId}`, { accountStatus: 'provisioning' })
  expect(await statusOf(user.token)).toBe('waiting_account_setup')
})

test('the onboarding status is waiting_kyc_setup while the KYC provider fails', async () => {
  const { token } = await registered()
  await acceptTerms(token)
  service.controls().kyc.failNext(1)
  expect((await get(token, '/user/onboarding')).body).toEqual({ status: 'waiting_kyc_setup' })
  expect(await statusOf(token)).toBe('action_complete_kyc')
})

test.each([
  ['a removed owner', 'delete from owner where user_id = $1'],
  ['a closed user', "update app_user set status = 'closed' where user_id = $1"],
])('%s is rejected on the onboarding routes at the next request', async (_who, change) => {
  const user = await service.newUser()
  const { terms } = (await get(user.token, '/terms')).body
  const answers = await answersOf(user.token)
  await service.ctx.db.query(change, [user.userId])
  for (const path of ['/user', '/user/onboarding', '/user/terms', '/source-of-funds', '/user/account']) {
    const answer = await get(user.token, path)
    expect([path, answer.status, answer.body]).toEqual([path, ...plainError(401, 'ACCESS_REVOKED')])
  }
  for (const [path, body] of [
    ['/user/terms', { terms }],
    ['/source-of-funds', { answers }],
    ['/user/account', undefined],
  ] as const) {
    const answer = await post(user.token, path, body)
    expect([path, answer.status, answer.body]).toEqual([path, ...plainError(401, 'ACCESS_REVOKED')])
  }
})

test('every onboarding route requires an access token', async () => {
  for (const [method, path] of [
    ['POST', '/email-verification'],
    ['POST', '/user'],
    ['GET', '/user'],
    ['GET', '/user/onboarding'],
    ['GET', '/terms'],
    ['GET', '/user/terms'],
    ['POST', '/user/terms'],
    ['GET', '/source-of-funds'],
    ['POST', '/source-of-funds'],
    ['GET', '/user/account'],
    ['POST', '/user/account'],
  ] as const) {
    const answer = await service.request(method, path)
    expect([path, answer.status, answer.body]).toEqual([path, ...plainError(401, 'UNAUTHORIZED')])
  }
})
