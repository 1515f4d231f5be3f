import { afterAll, beforeAll, expect, test } from 'vitest'
import { newWallet, startService, type TestService } from '../harness.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ worker: false })
})
afterAll(() => service.stop())

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
])('a user from %s: available is %s', async (country, available) => {
  const { token } = await service.newUser({ country })
  expect(await isAvailable(token)).toEqual({ available })
})

test('eligibility ends with the approval, the account or a move abroad, and comes back', async () => {
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

test('a user who has only just registered is not eligible, which is no error', async () => {
  const token = await service.signIn(newWallet())
  const email = 'just.registered@example.org'
  await service.request('POST', '/email-verification', { token, body: { email } })
  const { body } = await service.request('POST', '/user', { token, body: { email, otp: '123456' } })
  expect(await isAvailable(body.accessToken)).toEqual({ available: false })
})

test('no token, a wallet without a user and a closed user: 401 with a message', async () => {
  const closed = await service.newUser()
  await service.ctx.db.query("update app_user set status = 'closed' where user_id = $1", [closed.userId])
  const answers = [
    await service.request('GET', '/api/v1/ibans/available'),
    await ask(await service.signIn(newWallet())),
    await ask(closed.token),
  ]
  for (const { status, body } of answers) expect([status, body]).toEqual([401, { message: expect.stringMatching(/./) }])
})
