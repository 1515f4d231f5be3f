import { beforeAll, describe, expect, test } from 'vitest'
import { registerDomain } from '../../src/partners/domains.ts'
import { fetchOpenApi } from '../acceptance/document.ts'
import { captureLog } from '../support/log.ts'
import { startService, useService } from '../support/service.ts'

const service = useService({ worker: false })
beforeAll(async () => {
  await registerDomain(service.ctx, 'app.example.com')
  await registerDomain(service.ctx, 'beta.example.com:8443')
})

const preflight = (origin: string) =>
  service.request('OPTIONS', '/api/v1/auth/challenge', {
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,authorization',
    },
  })

describe('CORS of the sign-in routes', () => {
  test.each([
    'http://localhost',
    'http://localhost:5173',
    'https://localhost:3000',
    'https://app.example.com',
    'https://beta.example.com:8443',
  ])('CORS allows the origin %s', async (origin) => {
    const asked = await preflight(origin)
    expect(asked.status).toBe(204)
    expect(asked.headers.get('access-control-allow-origin')).toBe(origin)
    expect(asked.headers.get('access-control-allow-methods')).toContain('POST')
    expect(asked.headers.get('access-control-allow-headers')).toBe('content-type,authorization')
    const answer = await service.request('GET', '/api/v1/auth/nonce', { headers: { origin } })
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
    expect(answer.headers.get('vary')).toContain('Origin')
    expect(answer.headers.get('access-control-expose-headers')).toBe('x-request-id, x-error-code, retry-after')
  })

  test.each([
    'https://evil.example',
    'https://app.example.com.evil.example',
    'https://evilapp.example.com',
    'https://app.example.com:8443',
    'https://beta.example.com',
    'http://127.0.0.1:5173',
    'http://app.example.com',
    'https://sub.localhost',
    'null',
    'file://',
    'chrome-extension://abcdef',
    'https://APP.example.com',
    'localhost',
  ])('CORS does not allow the origin %s', async (origin) => {
    const asked = await preflight(origin)
    expect(asked.headers.get('access-control-allow-origin')).toBeNull()
    expect([asked.status, asked.body]).toEqual([405, { success: false, error: 'METHOD_NOT_ALLOWED' }])
    const answer = await service.request('GET', '/api/v1/auth/nonce', { headers: { origin } })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    expect(answer.headers.get('vary')).toContain('Origin')
  })
})

test('a CORS preflight allows every method that an operation has', async () => {
  const { paths } = await fetchOpenApi(service.url)
  const methods = new Set(Object.values<object>(paths).flatMap((item) => Object.keys(item)))
  const asked = await preflight('https://app.example.com')
  const allowed = asked.headers.get('access-control-allow-methods')?.split(', ')
  for (const method of methods) expect(allowed).toContain(method.toUpperCase())
})

test('a page on an allowed origin can read the response to a rejected sign-in', async () => {
  const headers = { origin: 'https://app.example.com' }
  const answer = await service.request('POST', '/api/v1/auth/challenge', { body: {}, headers })
  expect(answer.status).toBe(400)
  expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example.com')
})

test('a CORS preflight does not allow credentials such as cookies', async () => {
  const asked = await preflight('https://app.example.com')
  expect(asked.headers.get('access-control-allow-credentials')).toBeNull()
})

test('the log of a sandbox says once why a page on 127.0.0.1 cannot call it', async () => {
  const log = captureLog('warn')
  const explained = await startService({
    worker: false,
    alter: log.alter,
  })
  for (let i = 0; i < 2; i++) {
    await explained.request('GET', '/api/v1/auth/nonce', { headers: { origin: 'http://127.0.0.1:5173' } })
  }
  await explained.request('GET', '/api/v1/auth/nonce', { headers: { origin: 'http://localhost:5173' } })
  await explained.stop()
  expect(
    log
      .text()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    expect.objectContaining({
      origin: 'http://127.0.0.1:5173',
      msg: 'origin rejected: open the page under http://localhost, or under https and a registered domain',
    }),
  ])
})
