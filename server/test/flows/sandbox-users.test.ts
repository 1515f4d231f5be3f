import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { newWallet, plainError, useService } from '../support/service.ts'

const unknownId = '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a'

const service = useService({ worker: false })

const create = (body: object, headers: Record<string, string> = {}) => service.sandbox('POST', '/users', body, headers)
const change = (userId: string, body: object) => service.sandbox('PATCH', `/users/${userId}`, body)
const validation = {
  kind: 'validation',
  success: false,
  error: { name: 'ValidationError', message: expect.any(String) },
}

describe('a user that the simulator creates', () => {
  test('a sandbox user is fully onboarded, with the wallet as owner', async () => {
    const wallet = newWallet()
    const email = `${randomUUID()}@example.org`
    const made = await create({ address: wallet.address.toLowerCase(), email, kyc: 'approved' })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      userId: expect.any(String),
      accountAddress: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
    })
    const { userId, accountAddress } = made.body
    const token = await service.signIn(wallet)
    const get = async (path: string) => (await service.request('GET', path, { token })).body
    expect(await get('/user')).toMatchObject({ userId, email, country: 'DE', kycStatus: 'approved' })
    expect(await get('/user/account')).toMatchObject({ address: accountAddress, currency: 'EUR', status: 'active' })
    expect(await get('/user/onboarding')).toEqual({ status: 'completed' })
  })

  test.each([
    ['GB', 'GBP'],
    ['US', 'USD'],
    ['BR', 'USD'],
    ['JP', 'EUR'],
  ])('a sandbox user from %s has an account in %s', async (country, currency) => {
    const { token } = await service.newUser({ country })
    expect((await service.request('GET', '/user/account', { token })).body.currency).toBe(currency)
  })

  test('a wallet and an email address can belong to only one sandbox user', async () => {
    const { address } = newWallet()
    const email = `${randomUUID()}@example.org`
    expect((await create({ address, email })).status).toBe(201)
    const again = await create({ address: address.toLowerCase() })
    expect([again.status, again.body]).toEqual(plainError(409, 'WALLET_IN_USE'))
    const other = newWallet()
    const sameMail = await create({ address: other.address, email: email.toUpperCase() })
    expect([sameMail.status, sameMail.body]).toEqual(plainError(409, 'EMAIL_IN_USE'))
    // The rejected request has stored nothing.
    expect((await create({ address: other.address })).status).toBe(201)
  })

  test('twenty concurrent requests for one wallet create one sandbox user', async () => {
    const { address } = newWallet()
    const answers = await Promise.all(Array.from({ length: 20 }, () => create({ address })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)])
  })

  test('a sandbox user is created once per idempotency key', async () => {
    const body = { address: newWallet().address }
    const headers = { 'idempotency-key': randomUUID() }
    const first = await create(body, headers)
    const again = await create(body, headers)
    expect([again.status, again.text]).toEqual([201, first.text])
    const other = await create({ ...body, country: 'GB' }, headers)
    expect([other.status, other.body]).toEqual(plainError(422, 'IDEMPOTENCY_KEY_REUSED'))
  })

  test.each([
    {},
    { address: '0x12' },
    { address: '0xcb444e90D8198415266c6a2724b7900fb12FC56E' },
    { country: 'ZZ' },
    { country: 'de' },
    { country: 'GBR' },
    { email: 'nobody' },
    { kyc: 'perhaps' },
  ])('the invalid request %j does not create a sandbox user', async (wrong) => {
    const body =
      'address' in wrong || Object.keys(wrong).length === 0 ? wrong : { address: newWallet().address, ...wrong }
    const answer = await create(body)
    expect([answer.status, answer.body]).toEqual([400, validation])
  })
})

describe('changing a user', () => {
  test('the simulator changes only those fields of a user that the request names', async () => {
    const { userId } = await service.newUser()
    const start = { userId, kyc: 'approved', accountStatus: 'active', country: 'DE' }
    const steps = [
      [{}, start],
      [{ kyc: 'pending' }, { ...start, kyc: 'pending' }],
      [{ accountStatus: 'blocked' }, { ...start, kyc: 'pending', accountStatus: 'blocked' }],
      [
        { country: 'FR', kyc: 'approved' },
        { ...start, accountStatus: 'blocked', country: 'FR' },
      ],
    ] as const
    for (const [changes, after] of steps) {
      const answer = await change(userId, changes)
      expect([answer.status, answer.body]).toEqual([200, after])
    }
  })

  test("a new country does not change the account's currency", async () => {
    const { userId, token } = await service.newUser({ country: 'GB' })
    await change(userId, { country: 'US' })
    expect((await service.request('GET', '/user', { token })).body).toMatchObject({
      country: 'US',
      account: { currency: 'GBP' },
    })
  })

  test('an account can take every state, and a closed account stays closed and readable', async () => {
    const { userId, token } = await service.newUser()
    for (const accountStatus of ['provisioning', 'active', 'blocked', 'active', 'closed', 'closed']) {
      expect((await change(userId, { accountStatus })).body).toMatchObject({ accountStatus })
    }
    const reopened = await change(userId, { accountStatus: 'active', kyc: 'rejected' })
    expect([reopened.status, reopened.body]).toEqual(plainError(409, 'INVALID_ACCOUNT_STATUS'))
    const { body } = await service.request('GET', '/user', { token })
    expect(body).toMatchObject({ kycStatus: 'approved', account: { status: 'closed' } })
    expect((await service.request('GET', '/user/balances/v2', { token })).status).toBe(200)
  })

  test('a user without an account gets 404 for an account change, and approval sets the country', async () => {
    const token = await service.signIn(newWallet())
    const email = `${randomUUID()}@example.org`
    await service.request('POST', '/email-verification', { token, body: { email } })
    const { userId } = (await service.request('POST', '/user', { token, body: { email, otp: '123456' } })).body
    const refused = await change(userId, { accountStatus: 'active' })
    expect([refused.status, refused.body]).toEqual(plainError(404, 'ACCOUNT_NOT_FOUND'))
    const approved = await change(userId, { kyc: 'approved' })
    expect(approved.body).toEqual({ userId, kyc: 'approved', accountStatus: null, country: 'DE' })
  })

  test('the simulator rejects a change of an unknown user with 404, a malformed one with 400, and one without the password with 401', async () => {
    const unknown = await change(unknownId, { kyc: 'approved' })
    expect([unknown.status, unknown.body]).toEqual(plainError(404, 'USER_NOT_FOUND'))
    const { userId } = await service.newUser()
    for (const [id, body] of [
      ['1', {}],
      [userId, { kyc: 'done' }],
      [userId, { accountStatus: 'open' }],
      [userId, { country: 'ZZ' }],
      [userId, { country: null }],
    ] as const) {
      const answer = await change(id, body)
      expect([answer.status, answer.body]).toEqual([400, validation])
    }
    for (const [method, path] of [
      ['POST', '/sandbox/users'],
      ['PATCH', `/sandbox/users/${userId}`],
    ] as const) {
      const answer = await service.request(method, path, { body: {} })
      expect([answer.status, answer.body]).toEqual(plainError(401, 'SANDBOX_UNAUTHORIZED'))
    }
  })

  test('the sandbox accepts HTTP Basic with the scheme in any letter case', async () => {
    const credentials = Buffer.from('simulator:sandbox').toString('base64')
    for (const [authorization, status] of [
      [`Basic ${credentials}`, 200],
      [`basic ${credentials}`, 200],
      [`Bearer ${credentials}`, 401],
      [`Basic ${credentials.toLowerCase()}`, 401],
    ] as const) {
      const answer = await service.request('GET', '/sandbox/tokens', { headers: { authorization } })
      expect([authorization, answer.status]).toEqual([authorization, status])
    }
  })
})
