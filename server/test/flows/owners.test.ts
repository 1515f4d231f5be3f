import { randomUUID } from 'node:crypto'
import { getAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import { signInMessage } from '../acceptance/client.ts'
import { newWallet, plainError, type TestUser, useService, type Wallet } from '../support/service.ts'

const service = useService({ worker: false })

const statementFor = (userId: string) => `Add this wallet as an owner of user ${userId}.`
type Change = { statement?: string; domain?: string; nonce?: string; address?: string }

async function signed(wallet: Wallet, statement: string, change: Change = {}) {
  const nonce = (await service.request('GET', '/api/v1/auth/nonce')).text
  const issuedAt = service.ctx.clock.now().toISOString()
  const message = signInMessage({ ...{ address: wallet.address, nonce, statement, issuedAt }, ...change })
  return { message, signature: await wallet.signMessage({ message }) }
}
const approved = (owner: Wallet, userId: string, address: string, change: Change = {}) =>
  signed(owner, `Add wallet ${address} as an owner of user ${userId}.`, change)

/** Returns the new wallet's signed message with the approval that the user's own wallet signs. */
async function proof(wallet: Wallet, user: TestUser, change: Change = {}) {
  return {
    ...(await signed(wallet, statementFor(user.userId), change)),
    approval: await approved(user.wallet, user.userId, change.address ?? wallet.address),
  }
}

const add = (token: string, body: object, headers: Record<string, string> = {}) =>
  service.request('POST', '/user/owners', { token, body, headers })
const askRemoval = (token: string, address: string, approval?: object, headers: Record<string, string> = {}) =>
  service.request('POST', `/user/owners/${address}/remove`, { token, body: { approval }, headers })
const removal = (owner: Wallet, userId: string, address: string, change: Change = {}) =>
  signed(owner, `Remove wallet ${getAddress(address)} as an owner of user ${userId}.`, change)
/** Removes an owner with the approval of the wallet `by`. */
async function remove(token: string, address: string, by: Pick<TestUser, 'wallet' | 'userId'>) {
  return askRemoval(token, address, await removal(by.wallet, by.userId, address))
}
const me = (token: string) => service.request('GET', '/user', { token })
async function addresses(token: string): Promise<string[]> {
  const { data } = (await service.request('GET', '/user/owners', { token })).body
  return data.map(({ address }: { address: string }) => address)
}

async function withSecond(): Promise<{ user: TestUser; second: Wallet; secondToken: string }> {
  const user = await service.newUser()
  const second = newWallet()
  expect((await add(user.token, await proof(second, user))).status).toBe(201)
  return { user, second, secondToken: await service.signIn(second) }
}

test('a second wallet can sign in for the user until an owner removes it', async () => {
  const { user, second, secondToken } = await withSecond()
  const { data } = (await service.request('GET', '/user/owners', { token: secondToken })).body
  expect(data).toEqual([
    { address: user.wallet.address, createdAt: expect.stringMatching(/Z$/) },
    { address: second.address, createdAt: expect.stringMatching(/Z$/) },
  ])
  expect((await me(secondToken)).body.userId).toBe(user.userId)

  const gone = await remove(user.token, second.address.toLowerCase(), user)
  expect([gone.status, gone.body]).toEqual([200, { success: true }])
  const after = await me(secondToken)
  expect([after.status, after.body]).toEqual(plainError(401, 'ACCESS_REVOKED'))
  expect(await addresses(user.token)).toEqual([user.wallet.address])
  // The removed wallet can register as a user or become an owner again.
  expect((await me(await service.signIn(second))).body.error).toBe('NOT_REGISTERED')
  expect((await add(user.token, await proof(second, user))).status).toBe(201)
  expect((await me(await service.signIn(second))).status).toBe(200)
})

test('a second owner can remove the first wallet, but not the last one', async () => {
  const { user, second, secondToken } = await withSecond()
  const by = { wallet: second, userId: user.userId }
  expect((await remove(secondToken, user.wallet.address, by)).status).toBe(200)
  expect((await me(user.token)).body.error).toBe('ACCESS_REVOKED')
  const last = await remove(secondToken, second.address, by)
  expect([last.status, last.body]).toEqual(plainError(422, 'LAST_WALLET'))
})

test('a pending IBAN is not assigned to a removed wallet, and the remaining owner can request it', async () => {
  const { user, second, secondToken } = await withSecond()
  const words = 'I hereby declare that I am the address owner.'
  const activate = async (token: string, wallet: Wallet) => {
    const body = { signature: await wallet.signMessage({ message: words }) }
    expect((await service.request('POST', '/api/v1/ibans/monerium-profile', { token, body })).status).toBe(200)
  }
  const details = async () => {
    await service.jobs.runDue()
    return (await service.request('GET', '/api/v1/ibans/details', { token: user.token })).body.data
  }
  await activate(secondToken, second)
  expect((await remove(user.token, second.address, user)).status).toBe(200)
  expect(await details()).toEqual({ iban: null, bic: null, ibanStatus: 'NOTSTARTED', address: null })
  await activate(user.token, user.wallet)
  expect(await details()).toMatchObject({ ibanStatus: 'ASSIGNED', address: user.wallet.address })
})

test.each([true, false])(
  'concurrent removals of both owners leave one owner (user with an account: %s)',
  async (hasAccount) => {
    const { user, second, secondToken } = await withSecond()
    if (!hasAccount) await service.ctx.db.query('delete from account where user_id = $1', [user.userId])
    const answers = await Promise.all([
      remove(user.token, second.address, user),
      remove(secondToken, user.wallet.address, { ...user, wallet: second }),
      remove(user.token, user.wallet.address, user),
      remove(secondToken, second.address, { ...user, wallet: second }),
    ])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const left = await service.ctx.db.query('select address from owner where user_id = $1', [user.userId])
    expect(left).toHaveLength(1)
  },
)

test('adding an owner twice changes nothing, and its idempotency key repeats the first response', async () => {
  const user = await service.newUser()
  const wallet = newWallet()
  const body = await proof(wallet, user)
  const headers = { 'idempotency-key': randomUUID() }
  const first = await add(user.token, body, headers)
  expect([first.status, first.body]).toEqual([201, { address: wallet.address }])
  const repeated = await add(user.token, body, headers)
  expect([repeated.status, repeated.text]).toEqual([201, first.text])
  const again = await add(user.token, await proof(wallet, user))
  expect([again.status, again.body]).toEqual([200, { address: wallet.address }])
  expect(await addresses(user.token)).toHaveLength(2)
})

describe('rejected additions of owners', () => {
  test.each<[string, (user: TestUser, wallet: Wallet) => Promise<object>]>([
    ['a sign-in message', async (user, wallet) => proof(wallet, user, { statement: 'Sign in.' })],
    [
      'a message for another user',
      async (user, wallet) => proof(wallet, user, { statement: statementFor(randomUUID()) }),
    ],
    [
      'a message with words after the statement',
      async (user, wallet) => proof(wallet, user, { statement: `${statementFor(user.userId)} Or not.` }),
    ],
    ['a message for a foreign domain', async (user, wallet) => proof(wallet, user, { domain: 'evil.example' })],
    ['a message with an invented nonce', async (user, wallet) => proof(wallet, user, { nonce: `n${'0'.repeat(64)}` })],
    [
      "a signature of the user's own wallet",
      async (user, wallet) => proof(user.wallet, user, { address: wallet.address }),
    ],
    [
      'an invalid signature',
      async (user, wallet) => ({ ...(await proof(wallet, user)), signature: `0x${'1'.repeat(130)}` }),
    ],
  ])('a wallet does not become an owner with %s', async (_what, make) => {
    const user = await service.newUser()
    const wallet = newWallet()
    const answer = await add(user.token, await make(user, wallet))
    expect([answer.status, answer.body]).toEqual(plainError(422, 'WALLET_NOT_PROVEN'))
    expect(await addresses(user.token)).toEqual([user.wallet.address])
  })

  test('an accepted message adds an owner once, and its repetition changes nothing', async () => {
    const user = await service.newUser()
    const second = newWallet()
    const body = await proof(second, user)
    expect((await add(user.token, body)).status).toBe(201)
    const repeated = await add(user.token, body)
    expect([repeated.status, repeated.body]).toEqual([200, { address: second.address }])
    expect((await remove(user.token, second.address, user)).status).toBe(200)
    expect((await add(user.token, body)).body.error).toBe('WALLET_NOT_PROVEN')
    expect(await addresses(user.token)).toEqual([user.wallet.address])
  })

  test('a message for an existing owner is used up, so that it does not add the owner again after a removal', async () => {
    const { user, second } = await withSecond()
    const body = await proof(second, user)
    expect((await add(user.token, body)).status).toBe(200)
    expect((await remove(user.token, second.address, user)).status).toBe(200)
    expect((await add(user.token, body)).body.error).toBe('WALLET_NOT_PROVEN')
  })

  test('a message that names one user adds no owner to another user', async () => {
    const [user, thief] = [await service.newUser(), await service.newUser()]
    const answer = await add(thief.token, await proof(newWallet(), user))
    expect([answer.status, answer.body]).toEqual(plainError(422, 'WALLET_NOT_PROVEN'))
  })

  test("another user's wallet and an eleventh wallet cannot become owners", async () => {
    const [user, other] = [await service.newUser(), await service.newUser()]
    const taken = await add(user.token, await proof(other.wallet, user))
    expect([taken.status, taken.body]).toEqual(plainError(409, 'WALLET_IN_USE'))
    for (let owners = 1; owners < 10; owners++) {
      expect((await add(user.token, await proof(newWallet(), user))).status).toBe(201)
    }
    const full = await add(user.token, await proof(newWallet(), user))
    expect([full.status, full.body]).toEqual(plainError(422, 'OWNER_LIMIT_REACHED'))
  })

  test('a malformed request to add an owner gets 400', async () => {
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

describe('additions of owners with a stolen access token', () => {
  const thief = newWallet()
  test.each<[string, (user: TestUser) => Promise<object | undefined>]>([
    ['no approval', async () => undefined],
    ["the thief's own approval", ({ userId }) => approved(thief, userId, thief.address)],
    [
      "another user's approval",
      async ({ userId }) => approved((await service.newUser()).wallet, userId, thief.address),
    ],
    ['an approval of another wallet', ({ wallet, userId }) => approved(wallet, userId, newWallet().address)],
    ['an approval for another user', ({ wallet }) => approved(wallet, randomUUID(), thief.address)],
    ["the owner's sign-in message", ({ wallet }) => signed(wallet, 'Sign in.')],
    [
      'an approval that the owner signed for another domain',
      ({ wallet, userId }) => approved(wallet, userId, thief.address, { domain: 'evil.example' }),
    ],
    [
      "the thief's signature of the owner's approval",
      async ({ wallet, userId }) => ({
        ...(await approved(wallet, userId, thief.address)),
        signature: (await approved(thief, userId, thief.address)).signature,
      }),
    ],
  ])('a stolen access token with %s cannot add an owner', async (_what, approve) => {
    const user = await service.newUser()
    const approval = await approve(user)
    const answer = await add(user.token, { ...(await signed(thief, statementFor(user.userId))), approval })
    if (approval === undefined) expect(answer.status).toBe(400)
    else expect([answer.status, answer.body]).toEqual(plainError(422, 'OWNER_NOT_APPROVED'))
    expect(await addresses(user.token)).toEqual([user.wallet.address])
  })

  test('a used approval and an approval by a removed owner add no owner', async () => {
    const user = await service.newUser()
    const approval = await approved(user.wallet, user.userId, thief.address)
    const ask = async (token: string) => add(token, { ...(await signed(thief, statementFor(user.userId))), approval })
    expect((await ask(user.token)).status).toBe(201)
    expect((await remove(user.token, thief.address, user)).status).toBe(200)
    expect((await ask(user.token)).body.error).toBe('OWNER_NOT_APPROVED')

    const second = newWallet()
    expect((await add(user.token, await proof(second, user))).status).toBe(201)
    const by = { ...user, wallet: second }
    expect((await remove(await service.signIn(second), user.wallet.address, by)).status).toBe(200)
    const late = await add(await service.signIn(second), await proof(thief, user))
    expect([late.status, late.body]).toEqual(plainError(422, 'OWNER_NOT_APPROVED'))
  })
})

describe('removals of owners with a stolen access token', () => {
  const thief = newWallet()
  test.each<[string, (user: TestUser, second: Wallet) => Promise<object | undefined>]>([
    ['no approval', async () => undefined],
    ["the thief's own approval", ({ userId }, second) => removal(thief, userId, second.address)],
    [
      "another user's approval",
      async ({ userId }, second) => removal((await service.newUser()).wallet, userId, second.address),
    ],
    ['an approval of another removal', ({ wallet, userId }) => removal(wallet, userId, wallet.address)],
    ['an approval for another user', ({ wallet }, second) => removal(wallet, randomUUID(), second.address)],
    ['the approval that added the owner', ({ wallet, userId }, second) => approved(wallet, userId, second.address)],
    [
      'an approval that the owner signed for another domain',
      ({ wallet, userId }, second) => removal(wallet, userId, second.address, { domain: 'evil.example' }),
    ],
  ])('a stolen access token with %s cannot remove an owner', async (_what, approve) => {
    const { user, second } = await withSecond()
    const approval = await approve(user, second)
    const answer = await askRemoval(user.token, second.address, approval)
    if (approval === undefined) expect(answer.status).toBe(400)
    else expect([answer.status, answer.body]).toEqual(plainError(422, 'OWNER_NOT_APPROVED'))
    expect(await addresses(user.token)).toEqual([user.wallet.address, second.address])
  })

  test('a used approval does not remove the same owner again, and its idempotency key repeats the first response', async () => {
    const { user, second } = await withSecond()
    const approval = await removal(second, user.userId, second.address)
    const headers = { 'idempotency-key': randomUUID() }
    const ask = (more = {}) => askRemoval(user.token, second.address, approval, more)
    const first = await ask(headers)
    expect([first.status, first.body]).toEqual([200, { success: true }])
    expect((await add(user.token, await proof(second, user))).status).toBe(201)
    expect((await ask()).body.error).toBe('OWNER_NOT_APPROVED')
    const again = await ask(headers)
    expect([again.status, again.text]).toEqual([200, first.text])
    expect(await addresses(user.token)).toEqual([user.wallet.address, second.address])
  })
})

test("a user cannot remove another user's owner, and a malformed address gets 400", async () => {
  const [user, stranger] = [await service.newUser(), await service.newUser()]
  const answer = await remove(stranger.token, user.wallet.address, stranger)
  expect([answer.status, answer.body]).toEqual(plainError(404, 'OWNER_NOT_FOUND'))
  const wrong = user.wallet.address.replace(/[a-f]/, (letter) => letter.toUpperCase())
  for (const address of ['0x1', 'me', wrong === user.wallet.address ? '0x2' : wrong]) {
    expect((await askRemoval(user.token, address, await signed(user.wallet, 'Remove it.'))).status).toBe(400)
  }
})

test('the owner routes require an access token of a registered user', async () => {
  for (const [method, path] of [
    ['GET', '/user/owners'],
    ['POST', '/user/owners'],
    ['POST', `/user/owners/${newWallet().address}/remove`],
  ] as const) {
    expect((await service.request(method, path)).body.error).toBe('UNAUTHORIZED')
    const token = await service.signIn(newWallet())
    expect((await service.request(method, path, { token })).body.error).toBe('NOT_REGISTERED')
  }
})
