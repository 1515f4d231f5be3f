import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, connect, type RequestOptions } from './client.ts'
import { expectValidation } from './shapes.ts'

let client: Client
beforeAll(async () => {
  client = await connect()
})
afterAll(() => client.stop())

const json = { 'content-type': 'application/json' }

const plainRequests: [what: string, method: string, path: string, options: RequestOptions, status: number][] = [
  ['an unknown path', 'GET', '/no/such/path', {}, 404],
  ['a path with a trailing slash', 'GET', '/user/statement/', {}, 404],
  ['a path in another case', 'GET', '/User/Statement', {}, 404],
  ['a wrong method', 'DELETE', '/user/statement', {}, 405],
  ['a wrong method on a path with a parameter', 'PUT', '/cards/x/unblock', {}, 405],
  ['broken JSON', 'POST', '/api/v1/auth/challenge', { body: '{"message":', headers: json }, 400],
  ['JSON with an extra byte', 'POST', '/api/v1/auth/challenge', { body: '{}}', headers: json }, 400],
  [
    'a plain-text body',
    'POST',
    '/api/v1/auth/challenge',
    { body: 'a=1', headers: { 'content-type': 'text/plain' } },
    415,
  ],
  [
    'a body without a content type',
    'POST',
    '/api/v1/auth/challenge',
    { body: '{}', headers: { 'content-type': '' } },
    415,
  ],
  ['a body that is too large', 'POST', '/api/v1/auth/challenge', { body: { message: 'x'.repeat(200_000) } }, 413],
  ['a request without an access token', 'GET', '/user/balances/v2', {}, 401],
  ['an invalid access token', 'GET', '/user/balances/v2', { token: 'a.b.c' }, 401],
  ['a simulator request without its password', 'GET', '/sandbox/tokens', {}, 401],
  ['a path that cannot be decoded', 'GET', '/cards/%zz', {}, 400],
]

test.each(plainRequests)(
  '%s gets an error body with exactly two fields',
  async (_what, method, path, options, status) => {
    const answer = await client.request(method, path, options)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(answer.text).toMatch(/^\{"success":false,"error":"[A-Z_]+"\}$/)
  },
)

test('a 400 response has the field kind for statement errors, but not for invalid JSON', async () => {
  const { token } = await client.newUser()
  const broken = await client.request('POST', '/user/withdrawal', { token, body: '{"', headers: json })
  expect([broken.status, broken.body]).toEqual([400, { success: false, error: 'INVALID_JSON' }])
  const cursor = await client.request('GET', '/user/statement?cursor=x', { token })
  expect([cursor.status, cursor.body.kind]).toEqual([400, 'business'])
})

test('errors of the identity-verification and IBAN paths have a message as their only field', async () => {
  const { token } = await client.newUser()
  const sharing = '/api/v1/kyc/import-partner-applicant'
  const requests: [string, string, RequestOptions, number][] = [
    ['GET', '/api/v1/kyc/nothing', {}, 404],
    ['GET', '/api/v1/ibans/nothing', {}, 404],
    ['DELETE', '/api/v1/ibans/available', {}, 405],
    ['GET', '/api/v1/ibans/available', {}, 401],
    ['POST', sharing, { token, body: '{"', headers: json }, 400],
    ['POST', sharing, { token, body: 'a', headers: { 'content-type': 'text/plain' } }, 415],
    ['POST', sharing, { token, body: { forClientId: 'x'.repeat(200_000) } }, 413],
    ['POST', sharing, { token, body: {} }, 400],
  ]
  for (const [method, path, options, status] of requests) {
    const answer = await client.request(method, path, options)
    expect([answer.status, Object.keys(answer.body)], `${method} ${path}`).toEqual([status, ['message']])
  }
})

test('a 405 response lists the allowed methods', async () => {
  const answer = await client.request('DELETE', '/cards')
  expect(answer.status).toBe(405)
  expect(answer.headers.get('allow')?.split(', ')).toContain('GET')
})

test('a validation error names the invalid field', async () => {
  const { token } = await client.newUser()
  const answer = await client.request('POST', '/user/withdrawal', { token, body: { amount: '1' } })
  expectValidation(answer)
  expect(answer.body).toStrictEqual({
    kind: 'validation',
    success: false,
    error: { name: 'ValidationError', message: expect.stringContaining('tokenAddress') },
  })
})

test('CORS allows pages of localhost and no other pages', async () => {
  const allowed = async (origin: string) => {
    const preflight = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    }
    const answers = [
      await client.request('GET', '/health', { headers: { origin } }),
      await client.request('OPTIONS', '/user/withdrawal', { headers: preflight }),
    ]
    return answers.map(({ headers }) => headers.get('access-control-allow-origin'))
  }
  for (const origin of ['http://localhost', 'http://localhost:3000', 'https://localhost:8443']) {
    expect(await allowed(origin)).toEqual([origin, origin])
  }
  for (const origin of ['https://evil.example', 'http://localhost.evil.example', 'http://app.localhost', 'null']) {
    expect(await allowed(origin)).toEqual([null, null])
  }
})

test('openapi.json contains the version, the tags and the bearer scheme', async () => {
  const { body } = await client.request('GET', '/openapi.json')
  expect([body.openapi, body.info.version]).toEqual(['3.1.0', '0.0.0'])
  const tagOf = (method: string, path: string) => body.paths[path][method].tags
  expect(tagOf('get', '/api/v1/auth/nonce')).toEqual(['Auth'])
  expect(tagOf('post', '/api/v1/auth/challenge')).toEqual(['Auth'])
  expect(tagOf('post', '/cards/virtual')).toEqual(['Cards'])
  expect(tagOf('post', '/cards/{cardId}/unblock')).toEqual(['Cards'])
  for (const path of ['/user/statement', '/user/deposits', '/user/withdrawals']) {
    expect(tagOf('get', path)).toEqual(['User Movements'])
  }
  expect(tagOf('post', '/user/withdrawal')).toEqual(['User Movements'])
  expect(tagOf('get', '/user/balances/v2')).toEqual(['User Account'])
  expect(tagOf('get', '/phone')).toEqual(['Phone'])
  expect(tagOf('post', '/api/v1/kyc/import-partner-applicant')).toEqual(['KYC'])
  expect(tagOf('get', '/api/v1/ibans/available')).toEqual(['IBAN'])
  expect(Object.values<any>(body.components.securitySchemes)).toContainEqual(
    expect.objectContaining({ type: 'http', scheme: 'bearer' }),
  )
})

test('openapi.json has discriminators for statement items and for invalid statement requests', async () => {
  const { body } = await client.request('GET', '/openapi.json')
  const { oneOf, discriminator } = body.components.schemas.StatementItem
  expect(oneOf).toHaveLength(3)
  expect(Object.keys(discriminator.mapping)).toEqual(['card_transaction', 'deposit', 'withdrawal'])
  const badRequest = body.paths['/user/statement'].get.responses['400'].content['application/json'].schema
  expect(badRequest.discriminator.propertyName).toBe('kind')
  expect(Object.keys(badRequest.discriminator.mapping)).toEqual(['validation', 'business'])
})

test('openapi.json states for every POST of a user, a partner or the simulator whether it accepts an idempotency key', async () => {
  for (const { method, path, definition } of client.document.operations) {
    if (method !== 'POST' || path.startsWith('/issuer/') || path.startsWith('/webhooks/')) continue
    const parameters: { in: string; name: string }[] = definition.parameters ?? []
    const takes = parameters.some((each) => each.in === 'header' && each.name === 'Idempotency-Key')
    const ignores = /`Idempotency-Key` is ignored/.test(definition.description ?? '')
    expect([path, takes !== ignores]).toEqual([path, true])
  }
})

test('the service reports that it is alive and ready, and serves its API document', async () => {
  for (const path of ['/health', '/health/ready', '/openapi.json']) {
    expect((await client.request('GET', path)).status, path).toBe(200)
  }
})
