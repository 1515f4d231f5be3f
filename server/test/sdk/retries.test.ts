import { expect, test } from 'vitest'
import { errorOf, PurserConnectionError } from '../../../client/src/errors.ts'
import { createPurser } from '../../../client/src/index.ts'
import { retryDelay } from '../../../client/src/retries.ts'
import { readOpenApi } from '../../scripts/openapi-files.ts'

const rejected = (status: number, headers: Record<string, string> = {}, body: object = {}) =>
  errorOf('GET /cards', new Response(null, { status, headers }), JSON.stringify(body))

test('the delay before a retry doubles with each attempt up to a maximum, and has jitter', () => {
  const error = rejected(502)
  expect([0, 1, 2].map((attempt) => retryDelay(error, attempt, 1))).toEqual([250, 500, 1000])
  expect(retryDelay(error, 0, 0)).toBe(125)
  expect(retryDelay(error, 30, 1)).toBe(8000)
})

test('a retry waits for the seconds or the date in Retry-After, and is not made if that is longer than a minute', () => {
  expect(retryDelay(rejected(429, { 'retry-after': '7' }), 0, 0)).toBe(7000)
  const soon = retryDelay(rejected(503, { 'retry-after': new Date(Date.now() + 30_000).toUTCString() }), 0, 0)
  expect(soon).toBeGreaterThan(20_000)
  expect(retryDelay(rejected(429, { 'retry-after': '61' }), 0, 0)).toBeNull()
  expect(retryDelay(rejected(429, { 'retry-after': '3' }), 0, 0, 2)).toBeNull()
  expect(rejected(429, { 'retry-after': '61' }).retryAfterSeconds).toBe(61)
  expect(rejected(429, { 'retry-after': 'later' }).retryAfterSeconds).toBeNull()
})

test('only failures that a repeated request can cure are retried', () => {
  const retried = (status: number, body = {}) => retryDelay(rejected(status, {}, body), 0, 0) !== null
  expect([408, 429, 502, 503, 504].map((status) => retried(status))).toEqual(Array(5).fill(true))
  expect([400, 401, 403, 404, 409, 413, 422, 500, 501].map((status) => retried(status))).toEqual(Array(9).fill(false))
  expect(retried(409, { success: false, error: 'REQUEST_IN_PROGRESS' })).toBe(true)
  expect(retried(409, { success: false, error: 'WALLET_IN_USE' })).toBe(false)
  expect(retryDelay(new PurserConnectionError('lost', true, null), 0, 0)).not.toBeNull()
})

test('a body that does not come from Purser becomes an error with the code UNKNOWN', () => {
  for (const text of ['', '<html>', 'null', '[]', '"text"', '{"error":{}}', '{"error":"NEW_CODE"}']) {
    const error = errorOf('GET /cards', new Response(null, { status: 418 }), text)
    expect(error).toMatchObject({ status: 418, code: 'UNKNOWN', kind: 'request', requestId: null, fields: [] })
  }
})

/** The fields of a response that authenticate somebody or open card data. They are shown once. */
const secretFields = ['accessToken', 'ephemeralToken', 'frameUrl', 'key', 'secret', 'token']

/** The operations whose response is a secret, as methods and paths of the OpenAPI document. */
function secretOperations(): [method: string, path: string][] {
  const document = JSON.parse(readOpenApi())
  function fieldsOf({ $ref, properties = {}, allOf = [] }: any): string[] {
    if ($ref !== undefined) return fieldsOf(document.components.schemas[$ref.split('/').at(-1)])
    return [...Object.keys(properties), ...allOf.flatMap(fieldsOf)]
  }
  return Object.entries<any>(document.paths).flatMap(([path, methods]) =>
    Object.entries<any>(methods).flatMap(([method, { responses }]): [string, string][] => {
      const success = responses[200] ?? responses[201] ?? {}
      const { content } = document.components.responses[success.$ref?.split('/').at(-1)] ?? success
      const fields = fieldsOf(content?.['application/json']?.schema ?? {})
      const isSecret = secretFields.some((field) => fields.includes(field))
      return isSecret ? [[method.toUpperCase(), path]] : []
    }),
  )
}

test.each(secretOperations())(
  '%s %s returns a secret, so it is sent once and without an idempotency key',
  async (method, path) => {
    const attempts: (string | undefined)[] = []
    const purser = createPurser({
      baseUrl: 'http://localhost',
      onRequest: ({ headers }) => attempts.push(headers['idempotency-key']),
      fetch: () => Promise.reject(new Error('lost')),
    })
    const call = purser.request(method, path.replace(/\{\w+\}/g, 'one'), { body: {}, idempotencyKey: 'ignored' })
    await expect(call).rejects.toBeInstanceOf(PurserConnectionError)
    expect(attempts).toEqual([undefined])
  },
)

test('the tests find the operations of the OpenAPI document that return a secret', () => {
  const paths = secretOperations().map((operation) => operation.join(' '))
  expect(paths).toEqual(
    expect.arrayContaining([
      'POST /user',
      'POST /partner/api-keys',
      'POST /partner/webhooks',
      'POST /operator/session',
    ]),
  )
})

test('a client with a shorter maximum fails at once instead of waiting out a longer Retry-After', async () => {
  let attempts = 0
  const purser = createPurser({
    baseUrl: 'http://localhost',
    maxRetryAfterSeconds: 2,
    async fetch() {
      attempts += 1
      return new Response('{"success":false,"error":"RATE_LIMITED"}', { status: 429, headers: { 'retry-after': '30' } })
    },
  })
  await expect(purser.health.get()).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 30 })
  expect(attempts).toBe(1)
})
