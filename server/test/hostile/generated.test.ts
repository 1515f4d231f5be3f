import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, connect, type User } from '../acceptance/client.ts'
import type { Operation } from '../acceptance/document.ts'
import { type Money, money, phone, units } from '../acceptance/money.ts'
import { isShared, startService } from '../acceptance/service.ts'
import { type HostileRequest, hostileRequests, hostileTexts, type Known } from './requests.ts'

const seed = Number(process.env['HOSTILE_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const rounds = Number(process.env['HOSTILE_ROUNDS'] ?? 3)
const requestsPerRound = 12
const maxMilliseconds = 20_000

let client: Client
let bank: Money

beforeAll(async () => {
  console.info(`hostile requests: HOSTILE_SEED=${seed}`)
  // A chain would move money while nobody asks, and take its time for each deposit.
  client = await connect(await startService({ CHAIN: 'simulated' }))
  bank = await money(client)
})
afterAll(() => client.stop())

type World = { readonly user: User; readonly known: Known }

/** To make one costs as much as thirty requests, so reads, which leave all as it was, share theirs. */
let readers: World | null = null

/** New for every round that may change it: a hostile request may close an account, or use up its cards. */
async function worldFor({ method }: Operation): Promise<World> {
  if (method !== 'GET') return newWorld()
  readers ??= await newWorld()
  return readers
}

/** A user with one of everything. */
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

/** Time is every test's: only requests that cannot move it are sent to the clock. */
const movesTime = (operation: Operation, body: string | undefined) =>
  operation.path === '/sandbox/clock' && /"advanceSeconds"\s*:\s*[0-9]/.test(body ?? '')

/** Sends hostile requests as a user of their own, and judges each answer. */
async function besieged(operation: Operation) {
  const { user, known } = await worldFor(operation)
  const books = async () => (await client.request('GET', '/user/balances/v2', { token: user.token })).text
  let before = await books()

  async function send({ path, body, headers }: HostileRequest): Promise<void> {
    if (movesTime(operation, body)) return
    const began = performance.now()
    const options = { headers, ...(body === undefined || operation.method === 'GET' ? {} : { body }) }
    const answer = operation.isSandbox
      ? await client.sandbox(operation.method, path.slice('/sandbox'.length), options.body, headers)
      : await client.request(operation.method, path, { token: user.token, ...options })
    expect(performance.now() - began).toBeLessThan(maxMilliseconds)
    expect(answer.status).toBeLessThan(500)
    expect(answer.text).not.toMatch(/\n\s+at |node:|\.ts:\d|node_modules|postgres|isAdmin/i)
    const after = await books()
    if (answer.status >= 400) expect(after).toBe(before)
    before = after
  }
  return { user, known, send }
}

describe.skipIf(isShared)('no request gets more than a documented answer, and none of the refused moves money', () => {
  test('whatever part of it is hostile', async () => {
    for (const operation of client.document.operations) {
      for (let i = 0; i < rounds; i++) {
        const { user, known, send } = await besieged(operation)
        const property = fc.asyncProperty(hostileRequests(operation, known), send)
        await fc.assert(property, { seed: seed + i, numRuns: requestsPerRound, endOnFailure: true })
        await bank.assertBooks(user)
      }
    }
  }, 300_000)

  test('whatever text a field holds', async () => {
    for (const operation of client.document.operations) {
      const { user, known, send } = await besieged(operation)
      for (const request of hostileTexts(operation, known)) await send(request)
      await bank.assertBooks(user)
    }
  }, 300_000)
})
