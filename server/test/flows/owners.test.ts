import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signInMessage } from '../acceptance/client.ts'
import { newWallet, startService, type TestService, type TestUser, type Wallet } from '../harness.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ worker: false })
})
afterAll(() => service.stop())

const statementFor = (userId: string) => `Add this wallet as an owner of user ${userId}.`
type Change = { statement?: string; domain?: string; nonce?: string; address?: string }

async function proof(wallet: Wallet, userId: string, change: Change = {}) {
  const nonce = (await service.request('GET', '/api/v1/auth/nonce')).text
  const issuedAt = service.ctx.clock.now().toISOString()
  const message = signInMessage({
    ...{ address: wallet.address, nonce, statement: statementFor(userId), issuedAt },
    ...change,
  })
  return { message, signature: await wallet.signMessage({ message }) }
}

const add = (token: string, body: object, headers: Record<string, string> = {}) =>
  service.request('POST', '/user/owners', { token, body, headers })
const remove = (token: string, address: string) => service.request('DELETE', `/user/owners/${address}`, { token })
const me = (token: string) => service.request('GET', '/user', { token })
const plain = (status: number, error: string) => [status, { success: false, error }]
async function addresses(token: string): Promise<string[]> {
  const { data } = (await service.request('GET', '/user/owners', { token })).body
  return data.map(({ address }: { address: string }) => address)
}

async function withSecond(): Promise<{ user: TestUser; second: Wallet; secondToken: string }> {
  const user = await service.newUser()
  const second = newWallet()
  expect((await add(user.token, await proof(second, user.userId))).status).toBe(201)
  return { user, second, secondToken: await service.signIn(second) }
}

test('a second wallet signs in for the user, is removed, and is refused at its next request', async () => {
  const { user, second, secondToken } = await withSecond()
  const { data } = (await service.request('GET', '/user/owners', { token: secondToken })).body
  expect(data).toEqual([
    { address: user.wallet.address, createdAt: expect.stringMatching(/Z$/) },
    { address: second.address, createdAt: expect.stringMatching(/Z$/) },
  ])
  expect((await me(secondToken)).body.userId).toBe(user.userId)

  const gone = await remove(user.token, second.address.toLowerCase())
  expect([gone.status, gone.body]).toEqual([200, { success: true }])
  const after = await me(secondToken)
  expect([after.status, after.body]).toEqual(plain(401, 'ACCESS_REVOKED'))
  expect(await addresses(user.token)).toEqual([user.wallet.address])
  // The wallet is free: for a user of its own, or to come back.
  expect((await me(await service.signIn(second))).body.error).toBe('NOT_REGISTERED')
  expect((await add(user.token, await proof(second, user.userId))).status).toBe(201)
  expect((await me(secondToken)).status).toBe(200)
})

test('an owner may take the first wallet away, which is lost to the user then', async () => {
  const { user, second, secondToken } = await withSecond()
  expect((await remove(secondToken, user.wallet.address)).status).toBe(200)
  expect((await me(user.token)).body.error).toBe('ACCESS_REVOKED')
  const last = await remove(secondToken, second.address)
  expect([last.status, last.body]).toEqual(plain(422, 'LAST_WALLET'))
})

test.each([true, false])('two owners who remove each other at once leave one (account: %s)', async (hasAccount) => {
  const { user, second, secondToken } = await withSecond()
  if (!hasAccount) await service.ctx.db.query('delete from account where user_id = $1', [user.userId])
  const answers = await Promise.all([
    remove(user.token, second.address),
    remove(secondToken, user.wallet.address),
    remove(user.token, user.wallet.address),
    remove(secondToken, second.address),
  ])
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const left = await service.ctx.db.query('select address from owner where user_id = $1', [user.userId])
  expect(left).toHaveLength(1)
})

test('adding again changes nothing; the same key gets the same answer, though the nonce is used', async () => {
  const user = await service.newUser()
  const wallet = newWallet()
  const body = await proof(wallet, user.userId)
  const headers = { 'idempotency-key': randomUUID() }
  const first = await add(user.token, body, headers)
  expect([first.status, first.body]).toEqual([201, { address: wallet.address }])
  const repeated = await add(user.token, body, headers)
  expect([repeated.status, repeated.text]).toEqual([201, first.text])
  const again = await add(user.token, await proof(wallet, user.userId))
  expect([again.status, again.body]).toEqual([200, { address: wallet.address }])
  expect(await addresses(user.token)).toHaveLength(2)
})

describe('a wallet does not become an owner by', () => {
  test.each<[string, (user: TestUser, wallet: Wallet) => Promise<object>]>([
    ['a plain sign-in message', async (_user, wallet) => proof(wallet, '', { statement: 'Sign in.' })],
    ['a message for another user', async (_user, wallet) => proof(wallet, randomUUID())],
    [
      'words beside the statement',
      async (user, wallet) => proof(wallet, '', { statement: `${statementFor(user.userId)} Or not.` }),
    ],
    ['a foreign domain', async ({ userId }, wallet) => proof(wallet, userId, { domain: 'evil.example' })],
    ['a made-up nonce', async ({ userId }, wallet) => proof(wallet, userId, { nonce: `n${'0'.repeat(64)}` })],
    [
      "the user's own signature",
      async ({ userId, wallet: own }, wallet) => proof(own, userId, { address: wallet.address }),
    ],
    [
      'somebody else’s',
      async ({ userId }, wallet) => ({ ...(await proof(wallet, userId)), signature: `0x${'1'.repeat(130)}` }),
    ],
  ])('%s', async (_what, make) => {
    const user = await service.newUser()
    const wallet = newWallet()
    const answer = await add(user.token, await make(user, wallet))
    expect([answer.status, answer.body]).toEqual(plain(422, 'WALLET_NOT_PROVEN'))
    expect(await addresses(user.token)).toEqual([user.wallet.address])
  })

  test('a message that was used already', async () => {
    const { user, second } = await withSecond()
    const body = await proof(second, user.userId)
    expect((await add(user.token, body)).status).toBe(200)
    expect((await add(user.token, body)).body.error).toBe('WALLET_NOT_PROVEN')
  })

  test('a message that its user shows to another, though the wallet meant it', async () => {
    const [user, thief] = [await service.newUser(), await service.newUser()]
    const answer = await add(thief.token, await proof(newWallet(), user.userId))
    expect([answer.status, answer.body]).toEqual(plain(422, 'WALLET_NOT_PROVEN'))
  })

  test('being another user’s, or one too many', async () => {
    const [user, other] = [await service.newUser(), await service.newUser()]
    const taken = await add(user.token, await proof(other.wallet, user.userId))
    expect([taken.status, taken.body]).toEqual(plain(409, 'WALLET_IN_USE'))
    for (let owners = 1; owners < 10; owners++) {
      expect((await add(user.token, await proof(newWallet(), user.userId))).status).toBe(201)
    }
    const full = await add(user.token, await proof(newWallet(), user.userId))
    expect([full.status, full.body]).toEqual(plain(422, 'OWNER_LIMIT_REACHED'))
  })

  test('what cannot be read', async () => {
    const user = await service.newUser()
    for (const body of [
      {},
      { message: 'hello', signature: '0x' },
      { message: '', signature: '0x' },
      { message: 'x', signature: 'y' },
    ]) {
      expect((await add(user.token, body)).status).toBe(400)
    }
  })
})

test('nobody removes what is not theirs, and an address must be one', async () => {
  const [user, stranger] = [await service.newUser(), await service.newUser()]
  const answer = await remove(stranger.token, user.wallet.address)
  expect([answer.status, answer.body]).toEqual(plain(404, 'OWNER_NOT_FOUND'))
  const wrong = user.wallet.address.replace(/[a-f]/, (letter) => letter.toUpperCase())
  for (const address of ['0x1', 'me', wrong === user.wallet.address ? '0x2' : wrong]) {
    expect((await remove(user.token, address)).status).toBe(400)
  }
})

test('without an access token, or for a wallet without a user, owners are no matter', async () => {
  for (const [method, path] of [
    ['GET', '/user/owners'],
    ['POST', '/user/owners'],
    ['DELETE', `/user/owners/${newWallet().address}`],
  ] as const) {
    expect((await service.request(method, path)).body.error).toBe('UNAUTHORIZED')
    const token = await service.signIn(newWallet())
    expect((await service.request(method, path, { token })).body.error).toBe('NOT_REGISTERED')
  }
})

test('a browser may ask to remove an owner', async () => {
  const { headers } = await service.request('OPTIONS', '/user/owners/x', {
    headers: { origin: 'http://localhost:5173', 'access-control-request-method': 'DELETE' },
  })
  expect(headers.get('access-control-allow-methods')).toContain('DELETE')
})
