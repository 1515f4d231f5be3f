import { describe, expect, test } from 'vitest'
import { eraseUser } from '../../src/closing/closing.ts'
import { createMonerium } from '../../src/providers/iban/monerium.ts'
import { closure } from '../acceptance/client.ts'
import { newWallet, startService, useService } from '../support/service.ts'
import { startMonerium } from '../support/vendors/monerium.ts'

const service = useService({ worker: false })

const ask = (token: string) => service.request('GET', '/api/v1/ibans/available', { token })

async function isAvailable(token: string): Promise<unknown> {
  const { status, body } = await ask(token)
  expect([status, Object.keys(body)]).toEqual([200, ['data']])
  return body.data
}

test.each([
  ['DE', true],
  ['FR', true],
  ['NO', true],
  ['GB', false],
  ['US', false],
  ['CH', false],
])('IBAN availability for a user from %s is %s', async (country, available) => {
  const { token } = await service.newUser({ country })
  expect(await isAvailable(token)).toEqual({ available })
})

test('a user who loses the approval, the active account or the supported country has no IBAN available', async () => {
  const { token, userId } = await service.newUser()
  const change = (changes: object) => service.sandbox('PATCH', `/users/${userId}`, changes)
  for (const [worse, better] of [
    [{ kyc: 'requiresAction' }, { kyc: 'approved' }],
    [{ accountStatus: 'blocked' }, { accountStatus: 'active' }],
    [{ country: 'US' }, { country: 'DE' }],
  ] as const) {
    await change(worse)
    expect(await isAvailable(token)).toEqual({ available: false })
    await change(better)
    expect(await isAvailable(token)).toEqual({ available: true })
  }
})

test('a newly registered user has no IBAN available and gets no error', async () => {
  const token = await service.signIn(newWallet())
  const email = 'just.registered@example.org'
  await service.request('POST', '/email-verification', { token, body: { email } })
  const { body } = await service.request('POST', '/user', { token, body: { email, otp: '123456' } })
  expect(await isAvailable(body.accessToken)).toEqual({ available: false })
})

test('an IBAN request without an access token, of an unregistered wallet or of a closed user gets 401', async () => {
  const closed = await service.newUser()
  await service.ctx.db.query("update app_user set status = 'closed' where user_id = $1", [closed.userId])
  const answers = [
    await service.request('GET', '/api/v1/ibans/available'),
    await ask(await service.signIn(newWallet())),
    await ask(closed.token),
  ]
  for (const { status, body } of answers) expect([status, body]).toEqual([401, { message: expect.stringMatching(/./) }])
})

describe('IBAN requests', () => {
  const message = 'I hereby declare that I am the address owner.'
  const activate = (token: string, body: object) =>
    service.request('POST', '/api/v1/ibans/monerium-profile', { token, body })
  const details = async (token: string) => (await service.request('GET', '/api/v1/ibans/details', { token })).body.data
  const nothing = { iban: null, bic: null, ibanStatus: 'NOTSTARTED', address: null }

  test('a signed request for an IBAN becomes pending and then assigned', async () => {
    const { token, wallet } = await service.newUser()
    expect(await details(token)).toEqual(nothing)
    const words = await service.request('GET', '/api/v1/ibans/signing-message', { token })
    expect([words.status, words.body]).toEqual([200, { data: { message } }])

    const signature = await wallet.signMessage({ message: words.body.data.message })
    const asked = await activate(token, { signature, callbackUrl: 'https://app.example/iban' })
    expect([asked.status, asked.body]).toEqual([200, { data: { success: true } }])
    expect(await details(token)).toEqual({ ...nothing, ibanStatus: 'PENDING', address: wallet.address })
    // A failure of the provider only delays the IBAN.
    service.controls().iban.failNext(1)
    await service.jobs.runDue()
    expect((await details(token)).ibanStatus).toBe('PENDING')
    await service.advance(60)
    const assigned = await details(token)
    expect(assigned).toEqual({
      iban: expect.stringMatching(/^IS[0-9]{24}$/),
      bic: 'PURSISRE',
      ibanStatus: 'ASSIGNED',
      address: wallet.address,
    })
    // A repeated request changes nothing, whatever its signature.
    expect((await activate(token, { signature: '0x12' })).status).toBe(200)
    await service.jobs.runDue()
    expect(await details(token)).toEqual(assigned)
  })

  test('an IBAN request with an invalid signature gets no IBAN and can be repeated', async () => {
    const { token, wallet } = await service.newUser()
    expect((await activate(token, { signature: await newWallet().signMessage({ message }) })).status).toBe(200)
    await service.jobs.runDue()
    expect(await details(token)).toEqual(nothing)
    await activate(token, { signature: await wallet.signMessage({ message }) })
    await service.jobs.runDue()
    expect((await details(token)).ibanStatus).toBe('ASSIGNED')
  })

  test('users in unsupported countries get no IBAN, even if they move there before it is assigned', async () => {
    const abroad = await service.newUser({ country: 'US' })
    const refused = await activate(abroad.token, { signature: '0x12' })
    expect([refused.status, refused.body]).toEqual([422, { message: expect.stringMatching(/eligible/) }])

    const { token, wallet, userId } = await service.newUser()
    await activate(token, { signature: await wallet.signMessage({ message }) })
    await service.sandbox('PATCH', `/users/${userId}`, { country: 'US' })
    await service.jobs.runDue()
    expect(await details(token)).toEqual(nothing)
  })

  test.each([{}, { signature: 'yes' }, { signature: '0x1' }, { signature: 7 }])(
    'an IBAN request with %j is rejected',
    async (body) => {
      const { token } = await service.newUser()
      const answer = await activate(token, body)
      expect([answer.status, answer.body]).toEqual([400, { message: expect.stringMatching(/./) }])
    },
  )

  test('concurrent IBAN requests of one user get one IBAN', async () => {
    const { token, wallet, userId } = await service.newUser()
    const signature = await wallet.signMessage({ message })
    await Promise.all(Array.from({ length: 8 }, () => activate(token, { signature })))
    await Promise.all([service.jobs.runDue(), service.jobs.runDue()])
    const rows = await service.ctx.db.query('select status from iban where user_id = $1', [userId])
    expect(rows).toEqual([{ status: 'assigned' }])
  })

  test('a closed user cannot read the IBAN, and erasing the user deletes it', async () => {
    const user = await service.newUser()
    const { token, wallet, userId } = user
    await activate(token, { signature: await wallet.signMessage({ message }) })
    await service.jobs.runDue()
    const body = await closure(service, user)
    expect((await service.request('POST', '/user/close', { token, body })).status).toBe(200)
    for (const path of ['signing-message', 'details']) {
      const answer = await service.request('GET', `/api/v1/ibans/${path}`, { token })
      expect([answer.status, answer.body]).toEqual([401, { message: expect.stringMatching(/./) }])
    }
    await eraseUser(service.ctx, userId)
    expect(await service.ctx.db.query('select iban from iban where user_id = $1', [userId])).toEqual([])
  })
})

test('a programme without an IBAN provider offers no IBAN', async () => {
  const bare = await startService({ worker: false, env: { IBAN: 'none' } })
  const { token } = await bare.newUser()
  const available = await bare.request('GET', '/api/v1/ibans/available', { token })
  expect(available.body).toEqual({ data: { available: false } })
  const asked = await bare.request('POST', '/api/v1/ibans/monerium-profile', { token, body: { signature: '0x12' } })
  expect(asked.status).toBe(422)
  await bare.stop()
})

test('a user is introduced to Monerium, approved and linked, and then gets the IBAN', async () => {
  const monerium = await startMonerium(() => service.ctx.clock.now())
  const real = await startService({
    worker: false,
    alter: (ctx) => ({ ...ctx, iban: createMonerium(monerium.config, ctx.clock) }),
  })
  try {
    const { token, wallet, userId } = await real.newUser()
    const signature = await wallet.signMessage({ message: 'I hereby declare that I am the address owner.' })
    await real.request('POST', '/api/v1/ibans/monerium-profile', { token, body: { signature } })
    const status = async () => (await real.request('GET', '/api/v1/ibans/details', { token })).body.data.ibanStatus
    const minute = () => real.advance(60)
    const profile = () => monerium.profiles.get(userId)
    await real.jobs.runDue()
    expect(profile()).toMatchObject({ state: 'pending', introduction: { personal: { country: 'DE' } } })
    await minute()
    expect(await status()).toBe('PENDING')
    Object.assign(profile() ?? {}, { state: 'approved' })
    await minute()
    expect(profile()?.addresses).toEqual([wallet.address])
    expect(await status()).toBe('PENDING')
    Object.assign(profile()?.ibans[0], { state: 'approved' })
    await minute()
    expect((await real.request('GET', '/api/v1/ibans/details', { token })).body.data).toEqual({
      iban: 'IS140159260076545510730339',
      bic: 'MEISISRE',
      ibanStatus: 'ASSIGNED',
      address: wallet.address,
    })
    expect(monerium.problems).toEqual([])
  } finally {
    await real.stop()
    await monerium.stop()
  }
})
