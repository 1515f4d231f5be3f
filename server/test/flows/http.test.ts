import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { describeProblem } from '../../src/platform/http/validation.ts'
import { newWallet, startService, useService } from '../support/service.ts'

const service = useService()

test('an unknown path returns 404 with exactly the two fields of the plain body', async () => {
  const answer = await service.request('GET', '/no/such/path')
  expect(answer.status).toBe(404)
  expect(answer.text).toBe('{"success":false,"error":"NOT_FOUND"}')
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
})

test('an unknown path under identity verification or IBANs returns 404 with a message', async () => {
  for (const path of ['/api/v1/kyc/nothing', '/api/v1/ibans/nothing']) {
    const answer = await service.request('GET', path)
    expect(answer.status).toBe(404)
    expect(Object.keys(answer.body)).toEqual(['message'])
  }
})

test('a 401 names the HTTP authentication scheme of its route, if there is one', async () => {
  const schemeOf = async (method: string, path: string) => {
    const { status, headers } = await service.request(method, path, { body: method === 'POST' ? {} : undefined })
    expect(status, path).toBe(401)
    return headers.get('www-authenticate')
  }
  for (const path of ['/user/statement', '/api/v1/ibans/available', '/partner', '/terms']) {
    expect(await schemeOf('GET', path)).toBe('Bearer')
  }
  // Like `fetch` in a browser, `fetch` in Node.js identifies itself as a script.
  expect(await schemeOf('GET', '/sandbox/tokens')).toBe('X-Basic realm="sandbox"')
  expect(await schemeOf('POST', '/issuer/v1/advices')).toBeNull()
})

test('a sandbox with its public password simulates nothing for a request under a foreign host', async () => {
  const own = await startService({ worker: false, env: { SANDBOX_PASSWORD: 'of my own' } })
  const answerOf = async ({ url }: { url: string }, host: string, password: string) => {
    const headers = { host, authorization: `Basic ${Buffer.from(`simulator:${password}`).toString('base64')}` }
    // fetch does not send a Host header of the caller's choice.
    const [response] = await once(httpRequest(new URL('/sandbox/tokens', url), { headers }).end(), 'response')
    return [response.statusCode, response.headers['x-error-code']]
  }
  try {
    for (const host of ['localhost:8080', '127.0.0.1:1', '[::1]:8080', 'purser.localhost'])
      expect(await answerOf(service, host, 'sandbox'), host).toEqual([200, undefined])
    for (const host of ['quick.tunnel.example', 'localhost.evil.example', '10.0.0.7:8080', 'x'])
      expect(await answerOf(service, host, 'sandbox'), host).toEqual([401, 'SANDBOX_NOT_SHARED'])
    expect(await answerOf(own, 'quick.tunnel.example', 'of my own')).toEqual([200, undefined])
  } finally {
    await own.stop()
  }
})

test('two encodings of one path get the same error shape', async () => {
  for (const path of ['/api/v1/ibans/available', '/api/v1/ib%61ns/available']) {
    const answer = await service.request('GET', path)
    expect([answer.status, answer.body], path).toEqual([401, { message: expect.any(String) }])
  }
  const { token } = await service.newUser()
  const refused = { kind: 'business', success: false, error: 'INVALID_CURSOR' }
  for (const path of ['/user/statement?cursor=x', '/user/st%61tement?cursor=x']) {
    const answer = await service.request('GET', path, { token })
    expect([answer.status, answer.body], path).toEqual([400, refused])
  }
})

test('the body of a request with an unknown path or a wrong method is not read', async () => {
  const bodies = [
    ['{', 'application/json'],
    ['a=1', 'application/x-www-form-urlencoded'],
    ['x'.repeat(70_000), 'application/json'],
  ] as const
  for (const [body, type] of bodies) {
    const send = (path: string) => service.request('POST', path, { body, headers: { 'content-type': type } })
    const [unknown, wrong] = [await send('/no/such/path'), await send('/user/statement')]
    expect([unknown.status, unknown.body], type).toEqual([404, { success: false, error: 'NOT_FOUND' }])
    expect([wrong.status, wrong.body], type).toEqual([405, { success: false, error: 'METHOD_NOT_ALLOWED' }])
  }
  const query = await service.request('QUERY', '/user/statement')
  expect([query.status, query.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test('HEAD returns the response of GET without its body, and requires the same access token', async () => {
  const { token } = await service.newUser()
  for (const path of ['/user/statement', '/user/balances/v2', '/cards', '/api/v1/ibans/available']) {
    const [head, get] = [await service.request('HEAD', path, { token }), await service.request('GET', path, { token })]
    expect([head.status, head.text, head.headers.get('content-length')], path).toEqual([
      200,
      '',
      get.headers.get('content-length'),
    ])
    expect((await service.request('HEAD', path)).status, path).toBe(401)
  }
})

test('a wrong method returns 405 with the allowed methods', async () => {
  const answer = await service.request('DELETE', '/user/statement')
  expect(answer.status).toBe(405)
  expect(answer.text).toBe('{"success":false,"error":"METHOD_NOT_ALLOWED"}')
  expect(answer.headers.get('allow')).toBe('GET, HEAD')
  const withParameter = await service.request('PUT', '/cards/01a1fc4e-f39c-748a-b04f-9ca8209a4d4a/unblock')
  expect(withParameter.status).toBe(405)
  expect(withParameter.headers.get('allow')).toBe('POST')
  const belowWildcard = await service.request('POST', '/docs/guides')
  expect([belowWildcard.status, belowWildcard.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test('a body nested more than 100 levels deep returns 400, even on routes that hash it', async () => {
  const { token } = await service.newUser()
  const ask = (levels: number) => {
    const body = `{"terms":[],"more":${'['.repeat(levels)}${']'.repeat(levels)}}`
    const headers = { 'idempotency-key': `levels ${levels}` }
    return service.request('POST', '/user/terms', { token, body, headers })
  }
  for (const levels of [100, 30_000]) {
    const message = 'body must not be nested more than 100 levels deep'
    expect((await ask(levels)).body.error).toEqual({ name: 'ValidationError', message })
  }
  expect((await ask(99)).body.error.message).toBe('body/terms must NOT have fewer than 1 items')
})

test('a body with half a surrogate pair returns 400 on every kind of route', async () => {
  const { token } = await service.newUser()
  const message = 'body must be well-formed: a surrogate such as \\ud800 needs its other half'
  const error = { name: 'ValidationError', message }
  const wallet = await service.signIn(newWallet())
  const partner = (name: string) => service.request('POST', '/partner', { token: wallet, body: `{"name":${name}}` })
  for (const name of ['"\\ud800"', '"\\uDC00\\uD83D"', '"a","\\ud83d x":1', '[["\\udfff"]]']) {
    expect((await partner(name)).body.error, name).toEqual(error)
  }
  expect((await partner('"\\ud83d\\ude00 \\\\ud800"')).body.name).toBe('😀 \\ud800')
  const keyed = { token, body: '{"terms":["\\ud800"]}', headers: { 'idempotency-key': 'half' } }
  expect((await service.request('POST', '/user/terms', keyed)).body.error).toEqual(error)
  expect((await service.sandbox('POST', '/users', '{"address":"\\ud800"}')).body.error).toEqual(error)
})

test('an invalid JSON body returns 400, another content type 415, and a body that is too large 413', async () => {
  const post = (body: string, headers: Record<string, string>) =>
    service.request('POST', '/api/v1/auth/challenge', { body, headers })
  const json = { 'content-type': 'application/json' }
  const broken = await post('{"message":', json)
  expect([broken.status, broken.text]).toEqual([400, '{"success":false,"error":"INVALID_JSON"}'])
  const poisoned = await post('{"__proto__":{"admin":true}}', json)
  expect([poisoned.status, poisoned.text]).toEqual([400, '{"success":false,"error":"INVALID_JSON"}'])
  const form = await post('message=1', { 'content-type': 'application/x-www-form-urlencoded' })
  expect([form.status, form.text]).toEqual([415, '{"success":false,"error":"UNSUPPORTED_MEDIA_TYPE"}'])
  const large = await post(JSON.stringify({ message: 'x'.repeat(70_000) }), json)
  expect([large.status, large.text]).toEqual([413, '{"success":false,"error":"PAYLOAD_TOO_LARGE"}'])
})

test('a path that cannot be decoded, or invalid HTTP, returns 400', async () => {
  const bad = await service.request('GET', '/cards/%zz')
  expect(bad.status).toBe(400)
  expect(bad.body).toEqual({ success: false, error: 'BAD_REQUEST' })

  const raw = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () =>
      socket.write('NOT HTTP AT ALL\r\n\r\n'),
    )
    let text = ''
    socket
      .on('data', (chunk) => (text += chunk))
      .on('end', () => resolve(text))
      .on('error', reject)
  })
  expect(raw).toMatch(/^HTTP\/1\.1 400 /)
  expect(raw).toContain('{"success":false,"error":"BAD_REQUEST"}')
})

test('a client that requests large pages without reading them does not fill the memory', async () => {
  const path = '/openapi.json'
  const { length } = (await service.request('GET', path)).text
  const before = process.memoryUsage().arrayBuffers
  const { hostname, port } = new URL(service.url)
  const sockets = Array.from({ length: 40 }, () => connect(Number(port), hostname).pause())
  for (const socket of sockets) socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  await Promise.all(sockets.map((socket) => once(socket, 'readable')))
  const more = process.memoryUsage().arrayBuffers - before
  for (const socket of sockets) socket.destroy()
  // The clients run in this process, and each has read one chunk of 64 kB.
  expect(more - sockets.length * 64 * 1024).toBeLessThan(2 * length)
})

test('a response has a request id and security headers for browsers', async () => {
  const answer = await service.request('GET', '/health')
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
})

const documents = ['/openapi.json', '/operator/openapi.json']

test.each(documents)('%s is OpenAPI 3.1.0, is compressed, and is not sent again while it is the same', async (path) => {
  const document = await service.request('GET', path)
  expect(document.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(document.body.openapi).toBe('3.1.0')
  expect(document.body.info.version).toBe('0.0.0')
  const get = (headers: Record<string, string>) => fetch(`${service.url}${path}`, { headers })
  const compressed = await get({ 'accept-encoding': 'br' })
  expect([compressed.headers.get('content-encoding'), compressed.headers.get('cache-control')]).toEqual([
    'br',
    'no-cache',
  ])
  expect(await compressed.text()).toBe(document.text)
  const plain = await get({ 'accept-encoding': 'identity' })
  expect(plain.headers.get('content-encoding')).toBe(null)
  const etag = compressed.headers.get('etag') ?? ''
  expect(etag).not.toBe(plain.headers.get('etag'))
  const again = await get({ 'accept-encoding': 'br', 'if-none-match': etag })
  expect([again.status, await again.text()]).toEqual([304, ''])
})

test('each operation of the service is in exactly one API document, and the document for users has no operation of operators', async () => {
  const app = await buildApp(service.as('api'), service.jobs, service.as('operator').db)
  await app.ready()
  const operationsOf = ({ paths = {} }: { paths?: object | undefined }) =>
    Object.entries(paths).flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`))
  const [users = [], operators = []] = await Promise.all(
    documents.map(async (path) => operationsOf((await service.request('GET', path)).body)),
  )
  expect([...users, ...operators].toSorted()).toEqual(operationsOf(app.swagger()).toSorted())
  expect(users.filter((operation) => operation.includes(' /operator/'))).toEqual([])
  expect(operators.filter((operation) => !operation.includes(' /operator/'))).toEqual([])
  await app.close()
})

test('the API document defines a repeated error once and refers to it', async () => {
  const { body } = await service.request('GET', '/openapi.json')
  expect(body.paths['/cards/{cardId}'].get.responses['404']).toEqual({ $ref: '#/components/responses/CardNotFound' })
  expect(body.components.responses.CardNotFound.description).toContain('CARD_NOT_FOUND')
})

test('a value that is not allowed is rejected with the allowed values, of which at most twenty are listed', async () => {
  const { userId } = await service.newUser()
  const wrong = await service.sandbox('PATCH', `/users/${userId}`, { accountStatus: 'frozen' })
  expect(wrong.body.error.message).toBe('body/accountStatus must be one of provisioning, active, blocked, closed')
  const kinds = [...Array(25).keys()].map(String)
  const [error] = [{ keyword: 'enum', instancePath: '/kind', schemaPath: '', params: { allowedValues: kinds } }]
  expect(describeProblem([error], 'body').message).toBe(
    `body/kind must be one of ${kinds.slice(0, 20).join(', ')} and 5 more`,
  )
})

test('only navigations and clients without a browser get the Basic challenge, because its dialog blocks scripts', async () => {
  const { hostname, port } = new URL(service.url)
  const challengeFor = async (header: string) => {
    const socket = connect(Number(port), hostname)
    socket.write(`GET /sandbox/tokens HTTP/1.1\r\nHost: localhost\r\n${header}Connection: close\r\n\r\n`)
    let raw = ''
    socket.on('data', (chunk) => {
      raw += chunk
    })
    await once(socket, 'close')
    return raw.match(/^www-authenticate: (.*)\r$/im)?.[1]
  }
  expect(await challengeFor('')).toBe('Basic realm="sandbox"')
  expect(await challengeFor('Sec-Fetch-Mode: navigate\r\n')).toBe('Basic realm="sandbox"')
  expect(await challengeFor('Sec-Fetch-Mode: cors\r\n')).toBe('X-Basic realm="sandbox"')
  expect(await challengeFor('X-Requested-With: XMLHttpRequest\r\n')).toBe('X-Basic realm="sandbox"')
})

test('responses that depend on the caller may not be stored by a cache', async () => {
  const { token } = await service.newUser()
  const paths: [method: string, path: string, status: number][] = [
    ['GET', '/user/statement', 200],
    ['GET', '/user/balances/v2', 200],
    ['GET', '/user/account', 200],
    ['GET', '/user/statement?cursor=x', 400],
    ['POST', '/user/withdrawal', 400],
    ['GET', '/cards/01a1fc4e-f39c-748a-b04f-9ca8209a4d4a', 404],
    ['GET', '/no/such/path', 404],
  ]
  for (const [method, path, status] of paths) {
    for (const given of [{ token }, {}]) {
      const response = await service.request(method, path, { ...given, ...(method === 'POST' ? { body: {} } : {}) })
      expect([path, response.headers.get('cache-control')]).toEqual([path, 'no-store'])
      if ('token' in given) expect(response.status, path).toBe(status)
    }
  }
  const keys = await service.request('GET', '/.well-known/jwks.json')
  expect(keys.headers.get('cache-control')).toBe('public, max-age=300')
})
