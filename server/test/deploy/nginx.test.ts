import { request as httpsRequest } from 'node:https'
import { createSiweMessage } from 'viem/siwe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Nginx, startNginx } from '../../../deploy/proxy/start-nginx.ts'
import { newPartner } from '../support/partner.ts'
import { programs } from '../support/programs.ts'
import { newWallet, startService, type TestService } from '../support/service.ts'

const hasNginx = programs('nginx').length > 0 || process.env['REQUIRE_DEPLOY'] !== undefined

/**
 * The service behind nginx with deploy/proxy/nginx.conf, over TLS. Clients have addresses of their own in 127.0.0.0/8.
 */
describe.skipIf(!hasNginx)('behind nginx', () => {
  let service: TestService
  let nginx: Nginx
  beforeAll(async () => {
    service = await startService({
      env: { TRUSTED_PROXIES: '127.0.0.1', RATE_LIMITS: 'sign-in.address=4/3600' },
    })
    nginx = await startNginx({ upstream: Number(new URL(service.url).port) })
  })
  afterAll(async () => {
    await nginx?.stop()
    await service?.stop()
  })

  type Sent = { from?: string; token?: string; body?: string; headers?: Record<string, string> }
  type Answer = { status: number; headers: Record<string, unknown>; text: string }

  function send(host: string, method: string, path: string, { from, token, body, headers }: Sent = {}) {
    return new Promise<Answer>((resolve, reject) => {
      const outgoing = httpsRequest(
        {
          ...{ host: '127.0.0.1', port: nginx.port, method, path, servername: host, ca: nginx.certificate },
          localAddress: from ?? '127.0.0.1',
          headers: {
            host,
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
            ...(body !== undefined && { 'content-type': 'application/json', 'content-length': body.length }),
            ...headers,
          },
        },
        (response) => {
          let text = ''
          response.on('data', (chunk) => {
            text += chunk
          })
          response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
        },
      )
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  }

  const [api, cards, operators] = ['api.example.com', 'cards.example.com', 'console.example.com']

  test('a wallet signs in through nginx and reads its user', async () => {
    const wallet = newWallet()
    await service.sandbox('POST', '/users', { address: wallet.address })
    const from = '127.0.1.1'
    const nonce = (await send(api, 'GET', '/api/v1/auth/nonce', { from })).text
    const message = createSiweMessage({
      ...{ address: wallet.address, chainId: 1, domain: 'localhost', nonce, uri: 'http://localhost/', version: '1' },
    })
    const signature = await wallet.signMessage({ message })
    const body = JSON.stringify({ message, signature })
    const signedIn = await send(api, 'POST', '/api/v1/auth/challenge', { from, body })
    expect(signedIn.status, signedIn.text).toBe(200)
    const { token } = JSON.parse(signedIn.text)
    const user = await send(api, 'GET', '/user', { from, token })
    expect(user.status).toBe(200)
    expect(user.headers).toMatchObject({ 'cache-control': 'no-store' })
    expect(user.headers['strict-transport-security']).toMatch(/^max-age=\d+/)
  })

  test('each host passes only its own paths', async () => {
    const statuses = async (host: string, paths: string[]) =>
      Promise.all(paths.map(async (path) => (await send(host, 'GET', path)).status))
    const paths = ['/pci/frame', '/health', '/console/', '/operator/me', '/metrics']
    expect(await statuses(api, paths)).toEqual([404, 200, 404, 404, 404])
    expect(await statuses(cards, paths)).toEqual([200, 404, 404, 404, 404])
    expect(await statuses(operators, paths)).toEqual([404, 404, 200, 401, 404])
    expect((await send(api, 'GET', '/health', { headers: { host: 'other.example.com' } })).status).toBe(421)
    expect((await send(cards, 'GET', '/pci/frame/../health')).status).toBe(404)
  })

  test('bodies above 64 KiB stop at nginx, except files of the card processor', async () => {
    const body = `"${'x'.repeat(70 * 1024)}"`
    expect((await send(api, 'POST', '/api/v1/auth/challenge', { body })).headers['server']).toBe('nginx')
    expect((await send(api, 'POST', '/api/v1/auth/challenge', { body })).status).toBe(413)
    // The service itself rejects this one, for its missing signature.
    expect((await send(api, 'POST', '/issuer/v1/clearings', { body })).status).toBe(401)
    expect((await send(api, 'POST', '/issuer/v1/clearings', { body: 'x'.repeat(1025 * 1024) })).status).toBe(413)
  })

  test("rate limits count the client's own address, whatever it sends as X-Forwarded-For", async () => {
    const ask = async (from: string, forged: string) =>
      (await send(api, 'GET', '/api/v1/auth/nonce', { from, headers: { 'x-forwarded-for': forged } })).status
    const forged = ['9.9.9.1', '9.9.9.2', '9.9.9.3', '9.9.9.4', '9.9.9.5']
    const statuses = []
    for (const each of forged) statuses.push(await ask('127.0.2.1', each))
    expect(statuses).toEqual([200, 200, 200, 200, 429])
    expect(await ask('127.0.2.2', '127.0.2.1')).toBe(200)
  })

  test('a request that waits for events gets them through nginx as soon as they exist', async () => {
    const partner = await newPartner(service)
    await partner.ask('POST', '/webhooks', { url: 'https://example.com/hook' })
    const { token } = partner
    const waiting = send(api, 'GET', '/partner/events?wait=20', { token })
    const wallet = newWallet()
    await service.sandbox('POST', '/users', { address: wallet.address, partnerId: partner.partnerId })
    const { status, text } = await waiting
    expect(status, text).toBe(200)
    expect(JSON.parse(text).data.length).toBeGreaterThan(0)
  })

  test('the access log has no query strings', async () => {
    await send(api, 'GET', '/health?token=abc')
    const log = await nginx.log()
    expect(log).toContain('"GET /health" 200')
    expect(log).not.toContain('abc')
  })
})
