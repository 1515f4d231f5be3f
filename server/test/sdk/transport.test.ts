import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  accessToken,
  apiKey,
  createPurser,
  operatorToken,
  PurserError,
  type PurserOptions,
  simulator,
  walletSession,
} from '../../../client/src/index.ts'
import { newWallet } from '../support/service.ts'

/** Starts a server, and returns a client of it with the requests that it has received. */
async function clientOf(listener: RequestListener, options: Partial<PurserOptions> = {}) {
  const requests: { method: string | undefined; url: string | undefined; headers: Record<string, unknown> }[] = []
  const server = createServer((request, response) => {
    requests.push({ method: request.method, url: request.url, headers: request.headers })
    listener(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { purser: createPurser({ baseUrl, ...options }), requests }
}

const respond =
  (status: number, body: string, type = 'application/json'): RequestListener =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': type }).end(body)

const fail = () => {
  throw new Error('the hook fails')
}
const card = { cardName: 'One' }

test.each([
  ['onRequest', 200, 0],
  ['onResponse', 200, 1],
  ['onResponse', 503, 1],
  ['onRetry', 503, 1],
] as const)(
  'an error that the hook %s throws reaches the caller when the server responds with %i, and no request is repeated',
  async (hook, status, count) => {
    const { purser, requests } = await clientOf(respond(status, '{"cardId":"1"}'), { [hook]: fail })
    await expect(purser.cards.create(card)).rejects.toThrow(/^the hook fails$/)
    expect(requests).toHaveLength(count)
  },
)

test('a successful response that is not JSON is an error with the code UNKNOWN, and is not repeated', async () => {
  const { purser, requests } = await clientOf(respond(200, '<html>Welcome</html>', 'text/html'))
  const error = await purser.cards.create(card).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(PurserError)
  expect(error).toMatchObject({ status: 200, code: 'UNKNOWN', kind: 'server', retryable: false, requestId: null })
  expect(String(error)).toContain('is not JSON')
  expect(requests).toHaveLength(1)
})

test('raw requests, requests with an Accept header and operations that return text accept a text response', async () => {
  const { purser } = await clientOf(respond(200, 'text', 'text/plain'))
  expect(await purser.health.getMetrics()).toBe('text')
  expect(await purser.request('GET', '/cards')).toBe('text')
  expect(await purser.statement.list({}, { headers: { Accept: 'text/csv' } })).toBe('text')
})

test('a wallet is never asked to sign a response that is not a nonce', async () => {
  const wallet = newWallet()
  const asked: unknown[] = []
  const signMessage = async (request: { message: string }) => {
    asked.push(request)
    return wallet.signMessage(request)
  }
  const session = walletSession({ ...wallet, signMessage }, { domain: 'localhost', uri: 'http://localhost' })
  const { purser } = await clientOf(respond(200, 'abcdefgh\nResources:\n- https://evil.example', 'text/plain'), {
    auth: session,
  })
  const error = await purser.cards.list().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(PurserError)
  expect(error).toMatchObject({ kind: 'server', code: 'UNKNOWN', status: 200, retryable: false })
  expect(String(error)).toContain('the service returned no nonce. Check baseUrl.')
  expect(asked).toEqual([])
})

test('a sign-in whose response has no access token is an error with the code UNKNOWN, and is not repeated', async () => {
  const session = walletSession(newWallet(), { domain: 'localhost', uri: 'http://localhost' })
  const listener: RequestListener = ({ method }, response) =>
    response
      .writeHead(200, { 'content-type': method === 'GET' ? 'text/plain' : 'application/json' })
      .end(method === 'GET' ? 'abcdefgh' : '{}')
  const { purser, requests } = await clientOf(listener, { auth: session })
  const error = await purser.cards.list().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(PurserError)
  expect(error).toMatchObject({ kind: 'server', code: 'UNKNOWN', status: 200, retryable: false })
  expect(String(error)).toContain('the response has no token')
  expect(requests.map(({ method }) => method)).toEqual(['GET', 'POST'])
})

test('an attempt without a response ends after 30 seconds by default', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const never: typeof fetch = (_url, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
    })
  const purser = createPurser({ baseUrl: 'http://127.0.0.1:1', fetch: never, maxRetries: 0 })
  let ended: unknown = null
  purser.cards.list().catch((error: unknown) => {
    ended = error
  })
  await vi.advanceTimersByTimeAsync(29_999)
  expect(ended).toBeNull()
  await vi.advanceTimersByTimeAsync(1)
  expect(ended).toMatchObject({ kind: 'timeout', code: 'TIMEOUT', status: null })
})

test.each(['headers', 'renew'] as const)('a caller can abort a call while %s() of its session waits', async (part) => {
  const controller = new AbortController()
  const forever = () => {
    queueMicrotask(() => controller.abort(new Error('enough')))
    return new Promise<never>(() => {})
  }
  const auth = { covers: () => true, headers: () => ({ authorization: 'Bearer old' }), [part]: forever }
  const { purser, requests } = await clientOf(respond(401, '{}'), { auth })
  await expect(purser.cards.list({ signal: controller.signal })).rejects.toThrow('enough')
  expect(requests).toHaveLength(part === 'headers' ? 0 : 1)
})

test('a caller who aborts in onRetry does not wait for the next attempt', async () => {
  const controller = new AbortController()
  const { purser } = await clientOf((_request, response) => response.writeHead(503, { 'retry-after': '60' }).end(), {
    onRetry: () => controller.abort(new Error('enough')),
  })
  await expect(purser.cards.list({ signal: controller.signal })).rejects.toThrow('enough')
})

test.each([
  ['API key', apiKey],
  ['access token', accessToken],
  ['session token', operatorToken],
] as const)('the error about a non-ASCII or control character in the %s does not contain its value', (name, make) => {
  for (const secret of ['psk_café', 'psk_two\nlines', 'psk_\u0000']) {
    expect(() => make(secret)).toThrow(`the ${name} has a character that is not printable ASCII`)
    expect(() => make(secret)).not.toThrow('psk_')
  }
})

test('a line break at the end of an API key, such as one read from a file, is not sent', () => {
  const headers = apiKey('psk_1\n').headers('/cards')
  expect(headers).toEqual({ authorization: 'Bearer psk_1' })
})

test('an error explains why a request cannot be sent, and the client does not retry it', async () => {
  const retries: unknown[] = []
  const { purser, requests } = await clientOf(respond(200, '{}'), { onRetry: (...given) => retries.push(given) })
  await expect(purser.cards.list({ headers: { 'x-name': 'Zoë ✓' } })).rejects.toThrow(/cannot be sent: .*ByteString/)
  const nowhere = createPurser({ baseUrl: 'purser.example', onRetry: (...given) => retries.push(given) })
  await expect(nowhere.cards.list()).rejects.toThrow('cannot be sent')
  expect([requests, retries]).toEqual([[], []])
})

test('the password of the simulator may have any letters', async () => {
  const { purser, requests } = await clientOf(respond(200, '{}'), { auth: simulator('pässword✓') })
  await purser.sandbox.chain.get()
  const [, text = ''] = String(requests[0]?.headers['authorization']).split(' ')
  expect(Buffer.from(text, 'base64').toString()).toBe('simulator:pässword✓')
})

test('a raw request with its method in lower case follows the rules of that method', async () => {
  const { purser, requests } = await clientOf(respond(503, '{}'))
  await expect(purser.request('post', '/partner/api-keys', { body: {} })).rejects.toMatchObject({ status: 503 })
  expect(requests).toHaveLength(1)
  await expect(purser.request('post', '/cards/virtual?from=test', { body: {}, maxRetries: 1 })).rejects.toThrow()
  expect(requests.slice(1).map(({ headers }) => headers['idempotency-key'])).toEqual([
    expect.stringMatching(/^[0-9a-f]{32}$/),
    requests[1]?.headers['idempotency-key'],
  ])
})

test.each(['/operator/proposals', '/sandbox/users', '/partner/users'])(
  'a raw request for the list %s has the credentials of its operation',
  async (path) => {
    const auth = [accessToken('user'), operatorToken('operator'), simulator('sandbox')]
    const { purser, requests } = await clientOf(respond(200, '{}'), { auth })
    await purser.request('GET', path)
    expect(requests[0]?.headers['authorization']).toBeDefined()
  },
)

test('a raw request cannot send its credentials to another host', async () => {
  const { purser, requests } = await clientOf(respond(200, '{}'), { auth: accessToken('user') })
  expect(() => purser.request('GET', '.evil.example/')).toThrow('must begin with /')
  expect(() => purser.request('GET', '@evil.example/')).toThrow('must begin with /')
  expect(requests).toEqual([])
})

test('an idempotency key in the headers of a caller is the key of the call', async () => {
  const { purser, requests } = await clientOf(respond(200, '{}'))
  await purser.cards.create(card, { headers: { 'Idempotency-Key': 'mine' } })
  expect(requests[0]?.headers['idempotency-key']).toBe('mine')
})

test.each(['/user/withdrawals', '/user/withdrawals?from=test'])(
  'a raw request to the alias %s carries the same key in all its attempts',
  async (path) => {
    const { purser, requests } = await clientOf(respond(503, '{}'))
    const call = purser.request('POST', path, { body: {}, idempotencyKey: 'mine', maxRetries: 1 })
    await expect(call).rejects.toMatchObject({ idempotencyKey: 'mine' })
    expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine', 'mine'])
    await expect(purser.request('POST', path, { body: {}, maxRetries: 0 })).rejects.toThrow()
    expect(requests[2]?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/)
  },
)

test('a raw request for an unknown operation carries the idempotency key of its caller, and is sent once', async () => {
  const { purser, requests } = await clientOf(respond(503, '{}'))
  const call = purser.request('POST', '/user/moon', { body: {}, idempotencyKey: 'mine' })
  await expect(call).rejects.toMatchObject({ idempotencyKey: 'mine' })
  expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine'])
})

test('a call without a time limit does not end at once', async () => {
  const { purser } = await clientOf(respond(200, '{"data":[]}'))
  expect(await purser.cards.list({ timeoutMilliseconds: Number.POSITIVE_INFINITY, maxRetries: 0 })).toEqual({
    data: [],
  })
})
