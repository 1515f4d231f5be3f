import { request as httpsRequest } from 'node:https'
import { createSiweMessage } from 'viem/siwe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Nginx, startNginx } from '../../../deploy/proxy/start-nginx.ts'
import { addOperator, operatorMessage } from '../support/console.ts'
import { newPartner } from '../support/partner.ts'
import { programs } from '../support/programs.ts'
import { newWallet, startService, type TestService } from '../support/service.ts'

const [api, cards, operators] = ['api.example.com', 'cards.example.com', 'console.example.com']
const get = (path: string): [string, string] => ['GET', path]
const hasNginx = programs('nginx').length > 0 || process.env['REQUIRE_DEPLOY'] !== undefined

/**
 * The service behind nginx with deploy/proxy/nginx.conf, over TLS. Clients have addresses of their own in 127.0.0.0/8.
 */
describe.skipIf(!hasNginx)('behind nginx', () => {
  let service: TestService
  let nginx: Nginx
  beforeAll(async () => {
    service = await startService({
      env: {
        ...{ TRUSTED_PROXIES: '127.0.0.1', RATE_LIMITS: 'sign-in.address=4/3600', SANDBOX_PASSWORD: 'of this test' },
        ...{ BASE_URL: `https://${api}`, PCI_URL: `https://${cards}`, CONSOLE_URL: `https://${operators}` },
      },
      // As in production, the operators and the secure frame have hosts of their own.
      alter: (ctx) => ({ ...ctx, config: { ...ctx.config, separatesHosts: true } }),
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
    const paths = ['/pci/frame', '/health', '/operator/me', '/metrics']
    expect(await statuses(api, paths)).toEqual([404, 200, 404, 404])
    expect(await statuses(cards, paths)).toEqual([200, 404, 404, 404])
    expect(await statuses(operators, paths)).toEqual([404, 404, 401, 404])
    expect((await send(api, 'GET', '/health', { headers: { host: 'other.example.com' } })).status).toBe(421)
    expect((await send(cards, 'GET', '/pci/frame/../health')).status).toBe(404)
  })

  test('an operator signs in on the host of the console, with a cookie and with a token', async () => {
    const { wallet } = await addOperator(service, 'admin')
    const from = '127.0.1.2'
    const origin = `https://${operators}`
    const signIn = async (via: string) => {
      const nonce = await send(operators, 'GET', '/api/v1/auth/nonce', { from })
      expect(nonce.status).toBe(200)
      const signed = await operatorMessage({ ...service, nonce: async () => nonce.text }, wallet)
      const body = JSON.stringify({ ...signed, via })
      const headers = { origin, 'sec-fetch-site': 'same-origin', 'x-purser-console': '1' }
      const session = await send(operators, 'POST', '/operator/session', { from, body, headers })
      expect(session.status, session.text).toBe(200)
      return session
    }
    const { token } = JSON.parse((await signIn('bearer')).text)
    expect((await send(operators, 'GET', '/operator/overview', { from, token })).status).toBe(200)
    const [cookie = ''] = String((await signIn('cookie')).headers['set-cookie']).split(';')
    const headers = { cookie, 'x-purser-console': '1', 'sec-fetch-site': 'same-origin' }
    expect((await send(operators, 'GET', '/operator/me', { from, headers })).status).toBe(200)
    // Each sign-in counts as two requests: a nonce and a session. The limit applies to the network address of the
    // operator, not to that of nginx.
    expect((await send(operators, 'GET', '/api/v1/auth/nonce', { from })).status).toBe(429)
    expect((await send(operators, 'GET', '/api/v1/auth/nonce', { from: '127.0.1.3' })).status).toBe(200)
  })

  test('the host of the console serves what its pages request, and no path of users, partners or the simulator', async () => {
    const page = await send(operators, 'GET', '/console/operator/')
    expect(page.text).toContain('&quot;hasOperators&quot;:true')
    const files = [...page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = '']) => path)
    expect(files.length).toBeGreaterThan(1)
    const reference = await send(operators, 'GET', '/docs/reference/')
    const parts = [...reference.text.matchAll(/(?:src|href)="([^"#]+\.(?:js|css|svg))"/g)].map(
      ([, path = '']) => new URL(path, `https://${operators}/docs/reference/`).pathname,
    )
    const documents = ['/openapi.json', '/operator/openapi.json', '/docs/errors/NOT_FOUND/', '/programme']
    for (const path of [...files, ...parts, ...documents, '/console/', '/console/operator/users'])
      expect((await send(operators, 'GET', path)).status, path).toBe(200)
    expect((await send(operators, 'GET', '/console')).headers['location']).toBe('/console/')

    const closed: [string, string][] = [
      ...['/', '/user', '/app/', '/console/partner', '/console/partner/users', '/partner', '/metrics'].map(get),
      ...['/sandbox/clock', '/cards', '/health', '/user/statement', '/programme/any', '/openapi.json/any'].map(get),
      ...[get('/api/v1/auth/nonce/any'), get('/api/v1/user')],
      ['POST', '/api/v1/auth/challenge'],
      ['POST', '/issuer/v1/clearings'],
    ]
    for (const [method, path] of closed) {
      const { status, headers } = await send(operators, method, path, method === 'POST' ? { body: '{}' } : {})
      expect([status, headers['x-request-id']], `${method} ${path}`).toEqual([404, undefined])
    }
  })

  test('the host of the API serves the console of partners, and nothing of the console of operators', async () => {
    expect((await send(api, 'GET', '/console')).headers['location']).toBe('/console/')
    for (const path of ['/console/', '/console/partner', '/console/partner/', '/console/partner/users']) {
      const { status, text } = await send(api, 'GET', path)
      expect([status, text.includes('&quot;hasOperators&quot;:false')], path).toEqual([200, true])
    }
    expect((await send(api, 'GET', '/partner')).status).toBe(401)
    for (const path of ['/console/operator', '/console/operator/users', '/console/%6Fperator/', '/operator/me']) {
      const { status, headers } = await send(api, 'GET', path)
      expect([status, headers['x-request-id']], path).toEqual([404, undefined])
    }
    for (const path of ['/console/partner', '/console/operator', '/partner'])
      expect((await send(cards, 'GET', path)).status, path).toBe(404)
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
