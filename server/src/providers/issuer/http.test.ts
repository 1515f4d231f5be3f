import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { UpstreamError } from '../../lib/errors.ts'
import { newId } from '../../lib/id.ts'
import { signRequest } from '../../platform/crypto/body-signature.ts'
import { createHttpIssuer } from './http.ts'
import { issuerContract } from './issuer.contract.ts'
import { createSandboxIssuer } from './sandbox.ts'

const key = { id: 'purser-1', secret: 'a-secret-of-at-least-thirty-two-characters' }
const now = new Date('2026-01-31T09:30:00Z')
const clock = { now: () => now }

type Answer = { status: number; body: string; headers?: Record<string, string>; hang?: boolean }

/** A strict processor: it verifies signature, method, path and body against the document. */
const cards = createSandboxIssuer().provider
let scripted: Answer[] = []
let seen: { method: string; path: string; headers: IncomingMessage['headers']; text: string; body: any }[] = []
const problems: string[] = []

async function judge(request: IncomingMessage, body: string): Promise<Answer> {
  const { method = '', url = '', headers } = request
  const signature = String(headers['x-issuer-signature']).replace('v2=', '')
  const timestamp = String(headers['x-issuer-timestamp'])
  const refuse = (problem: string) => {
    problems.push(problem)
    return { status: 400, body: problem }
  }
  if (headers['x-issuer-key-id'] !== key.id) return refuse('key id')
  if (timestamp !== String(now.getTime() / 1000)) return refuse(`timestamp ${timestamp}`)
  if (signature !== signRequest(key.secret, { method, path: url, timestamp, body })) return refuse('signature')
  if (headers['content-type'] !== 'application/json') return refuse('content type')
  const content = JSON.parse(body)
  seen.push({ method, path: url, headers, text: body, body: content })
  const script = scripted.shift()
  if (script) return script
  if (method === 'POST' && url === '/v1/cards') {
    if (headers['idempotency-key'] !== content.cardId) return refuse('idempotency key')
    if (Object.keys(content).sort().join() !== 'cardId,cardName,cardholder,currency') return refuse('fields')
    return { status: 201, body: JSON.stringify({ ...(await cards.createCard(content)), pan: '4111111111111111' }) }
  }
  const token = /^\/v1\/cards\/([^/]+)\/status$/.exec(url)?.[1]
  if (method === 'PUT' && token && ['active', 'blocked', 'canceled', 'lost', 'stolen'].includes(content.status)) {
    return { status: 204, body: '' }
  }
  return refuse(`${method} ${url}`)
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = ''
  for await (const chunk of request) body += chunk
  const { status, body: text, headers, hang } = await judge(request, body)
  if (!hang) response.writeHead(status, headers).end(text)
}

const server = createServer((request, response) => void answer(request, response))
let url = ''
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  scripted = []
  seen = []
})

const provider = () => createHttpIssuer({ url, key }, clock)
const request = () => ({
  cardId: newId(now),
  cardholder: { userId: newId(now), firstName: 'Zoë', lastName: null, phone: '+4915123456789' },
  cardName: 'Travel 💳',
  currency: 'EUR',
})

describe('the HTTP issuer satisfies the contract of the port', () => {
  issuerContract(provider, () => {
    scripted = [{ status: 503, body: 'away' }]
  })

  test('every request to the processor is signed as documented', () => {
    expect(problems).toEqual([])
  })
})

test('a card token is encoded as one path segment', async () => {
  await provider().setCardStatus('../a?b#c', 'blocked')
  expect(seen).toMatchObject([{ method: 'PUT', path: '/v1/cards/..%2Fa%3Fb%23c/status', body: { status: 'blocked' } }])
})

test('a recorded status change is not valid for another card, method or body', async () => {
  await provider().setCardStatus('tok-a', 'blocked')
  const [recorded] = seen
  if (!recorded) throw new Error('the processor has received nothing')
  const headers = new Headers()
  for (const name of ['content-type', 'x-issuer-key-id', 'x-issuer-timestamp', 'x-issuer-signature']) {
    headers.set(name, String(recorded.headers[name]))
  }
  const replay = async (method: string, path: string, body: string) =>
    (await fetch(`${url}${path}`, { method, headers, body })).text()
  const path = '/v1/cards/tok-a/status'
  expect(await replay('PUT', path, recorded.text)).toBe('')
  expect(await replay('PUT', '/v1/cards/tok-b/status', recorded.text)).toBe('signature')
  expect(await replay('POST', path, recorded.text)).toBe('signature')
  expect(await replay('PUT', path, recorded.text.replace('blocked', 'active'))).toBe('signature')
  problems.length = 0
})

test('the signature of a request covers the path of ISSUER_URL', async () => {
  scripted = [{ status: 204, body: '' }]
  await createHttpIssuer({ url: `${url}/api`, key }, clock).setCardStatus('tok-a', 'active')
  expect(seen).toMatchObject([{ path: '/api/v1/cards/tok-a/status' }])
})

test.each<[string, Answer]>([
  ['rejects the request', { status: 422, body: '{}' }],
  ['returns 500', { status: 500, body: '' }],
  ['redirects the request', { status: 302, body: '', headers: { location: 'http://127.0.0.1:1/' } }],
  ['returns invalid JSON', { status: 200, body: '<html>' }],
  ['omits the card token', { status: 200, body: '{"last4":"1234","expiryMonth":1,"expiryYear":2030}' }],
  [
    'returns the last four digits as a number',
    { status: 200, body: '{"cardToken":"t","last4":1234,"expiryMonth":1,"expiryYear":2030}' },
  ],
  [
    'returns a whole card number',
    { status: 200, body: '{"cardToken":"t","last4":"4111111111111111","expiryMonth":1,"expiryYear":2030}' },
  ],
  [
    'returns a card number as the card token',
    { status: 200, body: '{"cardToken":"4111111111111111","last4":"1111","expiryMonth":1,"expiryYear":2030}' },
  ],
  ['returns an endless response', { status: 200, body: 'x'.repeat(200_000) }],
])('a processor that %s causes an upstream error without a quote of the response', async (_name, script) => {
  scripted = [script]
  const error = await provider()
    .createCard(request())
    .catch((error: unknown) => error)
  expect(error).toBeInstanceOf(UpstreamError)
  expect(JSON.stringify([String(error), String((error as Error).cause)])).not.toMatch(/4111|xxxx|<html>/)
})

test.each([
  [400, 'rejected'],
  [401, 'unauthorized'],
  [403, 'unauthorized'],
  [409, 'unavailable'],
  [422, 'rejected'],
  [425, 'unavailable'],
  [429, 'unavailable'],
])(
  'a processor that responds %i to the creation of a card causes an upstream error with the code %s',
  async (status, code) => {
    scripted = [{ status, body: '{}' }]
    await expect(provider().createCard(request())).rejects.toMatchObject({ code })
  },
)

test('a request to a processor that hangs fails after three seconds', async () => {
  scripted = [{ status: 200, body: '', hang: true }]
  const began = performance.now()
  await expect(provider().setCardStatus('t', 'active')).rejects.toThrow(UpstreamError)
  expect(performance.now() - began).toBeGreaterThan(2_900)
  expect(performance.now() - began).toBeLessThan(20_000)
})

test('an unreachable processor is an upstream error', async () => {
  const nobody = createHttpIssuer({ url: 'http://127.0.0.1:1', key }, clock)
  await expect(nobody.createCard(request())).rejects.toThrow(UpstreamError)
})
