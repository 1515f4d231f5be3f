import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, connect } from './client.ts'
import { type Money, money, phone } from './money.ts'
import { expectValidation, plain } from './shapes.ts'

let client: Client
let bank: Money
beforeAll(async () => {
  client = await connect()
  bank = await money(client)
})
afterAll(() => client.stop())

const sharing = '/api/v1/kyc/import-partner-applicant'
const forClientId = 'partner.example_1'

test('a registered KYC client gets a share token', async () => {
  const { token } = await client.newUser()
  for (const more of [{}, { ttlInSecs: 60 }, { ttlInSecs: 3600 }]) {
    const answer = await client.request('POST', sharing, { token, body: { forClientId, ...more } })
    expect([answer.status, answer.body]).toEqual([200, { token: expect.any(String), forClientId }])
  }
})

test('a share token is a secret and therefore new for each request, even with the same idempotency key', async () => {
  const { token } = await client.newUser()
  const ask = () =>
    client.request('POST', sharing, { token, body: { forClientId }, headers: { 'idempotency-key': 'same' } })
  expect((await ask()).body.token).not.toBe((await ask()).body.token)
})

test('an invalid request for a share token gets 400 with a message', async () => {
  const { token } = await client.newUser()
  const bodies = [
    {},
    { forClientId: 'nobody.example' },
    { forClientId: 1 },
    ...[59, 3601, 60.5, '600', null].map((ttlInSecs) => ({ forClientId, ttlInSecs })),
  ]
  for (const body of bodies) {
    const answer = await client.request('POST', sharing, { token, body })
    expect([answer.status, answer.body], JSON.stringify(body)).toEqual([400, { message: expect.any(String) }])
  }
})

test('a request for a share token of a user without a verified identity gets 409', async () => {
  const user = await client.newUser()
  await client.sandbox('PATCH', `/users/${user.userId}`, { kyc: 'pending' })
  const answer = await client.request('POST', sharing, { token: user.token, body: { forClientId } })
  expect([answer.status, answer.body]).toEqual([409, { message: expect.any(String) }])
})

test('an IBAN is available only to verified users with an active euro account in a supported country', async () => {
  const available = async (country: string, change?: object) => {
    const { userId, token } = await client.newUser({ country })
    if (change) expect((await client.sandbox('PATCH', `/users/${userId}`, change)).status).toBe(200)
    const answer = await client.request('GET', '/api/v1/ibans/available', { token })
    expect([answer.status, Object.keys(answer.body)]).toEqual([200, ['data']])
    expect(Object.keys(answer.body.data)).toEqual(['available'])
    return answer.body.data.available
  }
  expect(await available('DE')).toBe(true)
  expect(await available('FR')).toBe(true)
  expect(await available('GB')).toBe(false)
  expect(await available('US')).toBe(false)
  expect(await available('CH')).toBe(false)
  expect(await available('DE', { kyc: 'rejected' })).toBe(false)
  expect(await available('DE', { accountStatus: 'blocked' })).toBe(false)
  expect(await available('DE', { country: 'US' })).toBe(false)
})

test('KYC and IBAN requests without an access token get 401 with a message', async () => {
  const answers = [
    await client.request('POST', sharing, { body: { forClientId } }),
    await client.request('GET', '/api/v1/ibans/available'),
  ]
  for (const { status, body } of answers) expect([status, body]).toEqual([401, { message: expect.any(String) }])
})

test('the phone number of a user is available after the first card is created', async () => {
  const user = await client.newUser()
  const before = await client.request('GET', '/phone', { token: user.token })
  expect([before.status, before.body]).toEqual([404, plain(before.body.error)])
  await bank.newCard(user)
  const after = await client.request('GET', '/phone', { token: user.token })
  expect([after.status, after.body]).toEqual([200, { phone, countryCode: '49' }])
})

test('a later card does not change the user’s phone number', async () => {
  const user = await client.newUser()
  await bank.newCard(user)
  const body = { cardName: 'Second', phone: '+441632960961' }
  expect((await client.request('POST', '/cards/virtual', { token: user.token, body })).status).toBe(201)
  expect((await client.request('GET', '/phone', { token: user.token })).body).toEqual({ phone, countryCode: '49' })
})

test('a phone number that is not E.164 or not in its country’s numbering plan is rejected', async () => {
  const { token } = await client.newUser()
  for (const wrong of ['', '123', '015112345678', '+49', '+4915112345678901234', '+999123456789', 49151, null]) {
    const body = { cardName: 'Mine', phone: wrong }
    expectValidation(await client.request('POST', '/cards/virtual', { token, body }))
  }
})
