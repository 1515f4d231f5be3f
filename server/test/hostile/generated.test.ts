import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, connect, signInMessage, type User } from '../acceptance/client.ts'
import type { Operation } from '../acceptance/document.ts'
import { type Money, money, phone, units } from '../acceptance/money.ts'
import { isShared, startService } from '../acceptance/service.ts'
import { testOperator } from '../support/console.ts'
import { type HostileRequest, hostileRequests, hostileTexts, type Known } from './requests.ts'

const seed = Number(process.env['HOSTILE_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const rounds = Number(process.env['HOSTILE_ROUNDS'] ?? 1)
const requestsPerRound = 12
const maxMilliseconds = 60_000

let client: Client
let bank: Money

beforeAll(async () => {
  console.info(`hostile requests: HOSTILE_SEED=${seed}`)
  // A real chain would move money between requests, and would delay each deposit.
  client = await connect(await startService({ CHAIN: 'simulated' }))
  bank = await money(client)
})
afterAll(() => client.stop())

type World = { readonly user: User; readonly known: Known }

/** Shared by all operations that change nothing. A new world costs as much as thirty requests. */
let unchanged: World | null = null

const isOperators = ({ path }: Operation) => path.startsWith('/operator/')

/**
 * Returns a new world for every round of writes: a hostile request may close the account or use up its cards.
 * Operators change nothing here, because no request carries a valid signature of a decision.
 */
async function worldFor(operation: Operation): Promise<World> {
  if (operation.method !== 'GET' && !isOperators(operation)) return newWorld()
  unchanged ??= await newWorld()
  return unchanged
}

/** Creates a user with one resource of each kind. */
async function newWorld(): Promise<World> {
  const user = await client.newUser()
  const cardId = await bank.newCard(user)
  const { depositId } = await bank.deposit(user, units('1000'))
  const token = bank.tokenOf('EUR').address
  const body = { tokenAddress: token, amount: '1' }
  const { withdrawalId } = (await client.request('POST', '/user/withdrawal', { token: user.token, body })).body
  await client.request('POST', '/partner', { token: user.token, body: { name: 'Mine' } })
  const known = {
    ...{ userId: user.userId, cardId, depositId, withdrawalId, card_id: cardId, address: user.wallet.address },
    ...{ token, tokenAddress: token, amount: '1', currency: 'EUR', phone, cardName: 'Mine', email: 'a@example.org' },
    ...{ transaction_type: 'authorization', forClientId: 'partner.example_1' },
    ...{ role: 'viewer', domain: 'app.partner.example', environment: 'sandbox', scopes: ['users:read'], name: 'Mine' },
  }
  return { user, known }
}

let operatorToken: string | null = null

/** Returns the token of a session of the test operator. It may read everything, but signs no decision. */
async function tokenOfOperator(): Promise<string> {
  if (operatorToken !== null) return operatorToken
  const { port } = new URL(client.url)
  const [domain, nonce] = [`localhost:${port}`, await client.nonce()]
  const message = signInMessage({
    ...{ address: testOperator.address, nonce, domain },
    uri: `http://${domain}/operator/session`,
  })
  const body = { message, signature: await testOperator.signMessage({ message }) }
  const { status, text, body: session } = await client.request('POST', '/operator/session', { body })
  if (status !== 200) throw new Error(`no session of an operator: ${status} ${text}`)
  operatorToken = session.token
  return session.token
}

/**
 * Returns true for requests that would move the clock or delete all users. They are not sent, because the other
 * requests need both unchanged.
 */
const changesWorld = (operation: Operation, body: string | undefined) =>
  operation.path === '/sandbox/reset' ||
  (operation.path === '/sandbox/clock' && /"advanceSeconds"\s*:\s*[0-9]/.test(body ?? ''))

/** Returns true for operations that can move money when they succeed. All others move none, whatever their response. */
const mayMoveMoney = ({ method, path }: Operation) =>
  method !== 'GET' && (path.startsWith('/user/withdrawal') || path.startsWith('/sandbox/'))

/** Returns a function that sends a hostile request and checks its response, and one that checks the final books. */
async function attackerOf(operation: Operation) {
  const { user, known } = await worldFor(operation)
  async function books(): Promise<string> {
    const read = await client.request('GET', '/user/balances/v2', { token: user.token })
    if (read.status !== 401) return read.text
    // The request ended the session.
    user.token = await client.signIn(user.wallet)
    return books()
  }
  let before = await books()

  async function send({ path, body, headers }: HostileRequest): Promise<void> {
    if (changesWorld(operation, body)) return
    const began = performance.now()
    const options = { headers, ...(body === undefined || operation.method === 'GET' ? {} : { body }) }
    const token = isOperators(operation) ? await tokenOfOperator() : user.token
    // The request may end the session.
    if (operation.path.startsWith('/operator/session')) operatorToken = null
    const answer = operation.isSandbox
      ? await client.sandbox(operation.method, path.slice('/sandbox'.length), options.body, headers)
      : await client.request(operation.method, path, { token, ...options })
    expect(performance.now() - began).toBeLessThan(maxMilliseconds)
    expect(answer.status).toBeLessThan(500)
    expect(answer.text).not.toMatch(/\n\s+at |node:|\.ts:\d|node_modules|postgres|isAdmin/i)
    // An earlier request may have ended the session. After a 401, `books` signs in again.
    if (!mayMoveMoney(operation) && answer.status !== 401) return
    const after = await books()
    if (answer.status >= 400) expect(after).toBe(before)
    before = after
  }
  async function finish(): Promise<void> {
    if (!mayMoveMoney(operation)) expect(await books()).toBe(before)
    await bank.assertBooks(user)
  }
  return { known, send, finish }
}

describe.skipIf(isShared)('rejected hostile requests move no money', () => {
  test('a request with hostile text in any field, or any other hostile part, gets a documented response', {
    timeout: rounds * 600_000,
  }, async () => {
    for (const operation of client.document.operations) {
      for (let i = 0; i < rounds; i++) {
        const { known, send, finish } = await attackerOf(operation)
        if (i === 0) for (const request of hostileTexts(operation, known)) await send(request)
        const property = fc.asyncProperty(hostileRequests(operation, known), send)
        await fc.assert(property, { seed: seed + i, numRuns: requestsPerRound, endOnFailure: true })
        await finish()
      }
    }
    // The requests under /operator got past the check of the session, so they tested the operations themselves.
    for (const operation of ['GET /operator/overview 200', 'GET /operator/search 200', 'GET /operator/users 400'])
      expect(client.seen).toContain(operation)
  })
})
