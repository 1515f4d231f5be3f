import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { UpstreamError } from '../../lib/errors.ts'
import { newId } from '../../lib/id.ts'
import { signRequest } from '../../platform/crypto/body-signature.ts'
import type { IssuedCard } from '../issuer/issuer.ts'
import { createSandboxIssuer } from '../issuer/sandbox.ts'
import { cardDetailsContract } from './card-details.contract.ts'
import { createHttpCardDetails } from './http.ts'
import { createSandboxCardDetails } from './sandbox.ts'

const key = { id: 'purser-1', secret: 'a-secret-of-at-least-thirty-two-characters' }
const now = new Date('2026-01-31T09:30:00Z')

type Answer = { status: number; body: string }

/** A strict processor: it verifies signature, method, path and body against the document. */
const issuer = createSandboxIssuer().provider
const numbers = createSandboxCardDetails().provider
const cards = new Map<string, IssuedCard>()
const problems: string[] = []
let scripted: Answer[] = []

async function judge({ method, url = '', headers }: IncomingMessage, body: string): Promise<Answer> {
  const refuse = (problem: string) => {
    problems.push(problem)
    return { status: 400, body: problem }
  }
  const timestamp = String(headers['x-issuer-timestamp'])
  const signature = String(headers['x-issuer-signature']).replace('v2=', '')
  if (
    headers['x-issuer-key-id'] !== key.id ||
    signature !== signRequest(key.secret, { method: String(method), path: url, timestamp, body })
  ) {
    return refuse('signature')
  }
  const [, token = '', what] = /^\/v1\/cards\/([^/]+)\/(details|pin)$/.exec(url) ?? []
  const card = cards.get(decodeURIComponent(token))
  if (method !== 'POST' || !card) return refuse(`${method} ${url}`)
  const type = what === 'pin' ? 'card_pin' : 'card_details'
  if (body !== JSON.stringify({ type, cardToken: card.cardToken })) return refuse(body)
  const script = scripted.shift()
  if (script) return script
  const content = what === 'pin' ? { pin: await numbers.readPin(card) } : await numbers.readDetails(card)
  return { status: 200, body: JSON.stringify(content) }
}

const server = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  const { status, body: text } = await judge(request, body)
  response.writeHead(status).end(text)
})
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
})

const provider = () => createHttpCardDetails({ url, key }, { now: () => now })

async function newCard(more: Partial<IssuedCard> = {}): Promise<IssuedCard> {
  const cardholder = { userId: newId(now), firstName: null, lastName: null, phone: '+4915123456789' }
  const made = await issuer.createCard({ cardId: newId(now), cardholder, cardName: 'Travel', currency: 'EUR' })
  const card = { ...made, ...more }
  cards.set(card.cardToken, card)
  return card
}

describe('the HTTP card details provider satisfies the contract of the port', () => {
  cardDetailsContract(provider, newCard, () => {
    scripted = [{ status: 503, body: 'away' }]
  })

  test('card tokens with a slash work, and every request is signed as documented', async () => {
    const card = await newCard({ cardToken: '../a?b#c' })
    expect((await provider().readDetails(card)).number.endsWith(card.last4)).toBe(true)
    expect(problems).toEqual([])
  })
})

const good = { number: '4000001234561234', expiryMonth: 1, expiryYear: 2030, securityCode: '123' }

test.each<[string, Answer]>([
  ['rejects the request', { status: 404, body: JSON.stringify(good) }],
  ['returns invalid JSON', { status: 200, body: '4000001234561234' }],
  ['returns a number with spaces', { status: 200, body: JSON.stringify({ ...good, number: '4000 0012 3456 1234' }) }],
  ['returns markup', { status: 200, body: JSON.stringify({ ...good, number: '<b>4000001234561234</b>' }) }],
  [
    'returns the number of another card',
    { status: 200, body: JSON.stringify({ ...good, number: '4000001234565678' }) },
  ],
  ['omits the security code', { status: 200, body: JSON.stringify({ ...good, securityCode: undefined }) }],
  ['returns an invalid month', { status: 200, body: JSON.stringify({ ...good, expiryMonth: 13 }) }],
  ['returns an endless response', { status: 200, body: '4000001234561234'.repeat(10_000) }],
])('a processor that %s causes an upstream error without a quote of the response', async (_name, script) => {
  const card = await newCard({ last4: '1234' })
  scripted = [{ status: 200, body: JSON.stringify(good) }, script]
  expect(await provider().readDetails(card)).toEqual(good)
  const error = await provider()
    .readDetails(card)
    .catch((error: unknown) => error)
  expect(error).toBeInstanceOf(UpstreamError)
  expect(JSON.stringify([String(error), String((error as Error).cause)])).not.toMatch(/4000/)
})

test('a malformed PIN is an upstream error', async () => {
  const card = await newCard()
  scripted = [{ status: 200, body: '{"pin":"12<b>"}' }]
  await expect(provider().readPin(card)).rejects.toThrow(UpstreamError)
})
