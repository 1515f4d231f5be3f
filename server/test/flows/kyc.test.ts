import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { newWallet, type TestUser, useService } from '../support/service.ts'

const path = '/api/v1/kyc/import-partner-applicant'
const forClientId = 'partner.example_1'
const anyMessage = { message: expect.stringMatching(/./) }

const service = useService({ worker: false })
let user: TestUser
beforeAll(async () => {
  user = await service.newUser()
})

const share = (body: unknown, token = user.token, headers: Record<string, string> = {}) =>
  service.request('POST', path, { token, body, headers })

test.each<[object, number]>([
  [{}, 600],
  [{ ttlInSecs: 60 }, 60],
  [{ ttlInSecs: 3600 }, 3600],
])('an approved user who requests %j gets a share token for %i seconds', async (ttl, ttlSeconds) => {
  const answer = await share({ forClientId, ...ttl })
  expect([answer.status, answer.body]).toEqual([200, { token: expect.stringMatching(/./), forClientId }])
  expect(answer.headers.get('cache-control')).toBe('no-store')
  const asked = JSON.parse(Buffer.from(answer.body.token.replace('sandbox.', ''), 'base64url').toString())
  expect(asked).toMatchObject({ forClientId, ttlSeconds })
})

test('a share token is not stored under an idempotency key', async () => {
  const headers = { 'idempotency-key': randomUUID() }
  const [first, second] = [
    await share({ forClientId }, user.token, headers),
    await share({ forClientId }, user.token, headers),
  ]
  expect(second.status).toBe(200)
  expect(second.body.token).not.toBe(first.body.token)
  expect(await service.ctx.db.query('select key from idempotency_key where user_id = $1', [user.userId])).toEqual([])
})

test.each([
  {},
  { forClientId: 'partner.unknown' },
  { forClientId: '' },
  { forClientId: 7 },
  { forClientId, ttlInSecs: 59 },
  { forClientId, ttlInSecs: 3601 },
  { forClientId, ttlInSecs: 600.5 },
  { forClientId, ttlInSecs: '600' },
  { forClientId, ttlInSecs: null },
])('a share request with %j is rejected with a message only', async (body) => {
  const answer = await share(body)
  expect([answer.status, answer.body]).toEqual([400, anyMessage])
})

test.each(['notStarted', 'pending', 'rejected'])(
  'a user whose identity verification is %s gets no share token',
  async (kyc) => {
    const other = await service.newUser()
    await service.sandbox('PATCH', `/users/${other.userId}`, { kyc })
    const answer = await share({ forClientId }, other.token)
    expect([answer.status, answer.body]).toEqual([409, anyMessage])
  },
)

test('a share request gets 502 while the KYC provider fails', async () => {
  service.controls().kyc.failNext(1)
  const answer = await share({ forClientId })
  expect([answer.status, answer.body]).toEqual([502, { error: expect.stringMatching(/./) }])
  expect((await share({ forClientId })).status).toBe(200)
})

test('a share request without an access token, of an unregistered wallet or of a closed user gets 401', async () => {
  const closed = await service.newUser()
  await service.ctx.db.query("update app_user set status = 'closed' where user_id = $1", [closed.userId])
  const answers = [
    await service.request('POST', path, { body: { forClientId } }),
    await share({ forClientId }, await service.signIn(newWallet())),
    await share({ forClientId }, closed.token),
  ]
  for (const { status, body } of answers) expect([status, body]).toEqual([401, anyMessage])
})
