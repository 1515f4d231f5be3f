import { randomUUID } from 'node:crypto'
import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import { register } from '../../src/identity/onboarding/registration.ts'
import { joinTransaction, type Tx } from '../../src/platform/db/db.ts'
import { directoryKey } from '../../src/platform/db/directory.ts'
import type { Caller } from '../../src/platform/http/access.ts'
import { ownerProof, ownerRemoval, signInMessage } from '../acceptance/client.ts'
import { newPartner } from '../support/partner.ts'
import { lockWaits } from '../support/run/cluster.ts'
import { callerOf, newWallet, type Reply, startService, type TestUser, type Wallet } from '../support/service.ts'
import { eure, useWorld } from '../support/world.ts'

const { service, world } = useWorld({ worker: false, env: { RATE_LIMITS: '' } })
const get = (path: string, token: string) => service.request('GET', path, { token })
const post = (path: string, token: string, body?: unknown) => service.request('POST', path, { token, body })
const logOut = (token: string) => post('/api/v1/auth/logout', token)
const logOutEverywhere = (token: string) => post('/api/v1/auth/logout-all', token)
const sessionsOf = async (token: string) => (await get('/user/sessions', token)).body.data
const revoked = [401, { success: false, error: 'ACCESS_REVOKED' }]
const outcome = ({ status, body }: Reply) => [status, body]

async function addOwner(user: TestUser, wallet: Wallet): Promise<void> {
  const body = await ownerProof(service, user, wallet)
  expect((await post('/user/owners', user.token, body)).status).toBe(201)
}

const sessionRows = (wallet: Wallet) =>
  service.ctx.db.query<{ nonce: string }>('-- by a test\nselect nonce from used_nonce where signer = $1', [
    wallet.address,
  ])
const endedOf = async ({ userId }: TestUser) => {
  const [row] = await service.ctx.db.query<{ ended: string[] }>(
    'select ended_sessions as ended from owner where user_id = $1',
    [userId],
  )
  return row?.ended ?? []
}

/**
 * Runs `act` while the request waits for the lock that `lock` takes, then releases it. Returns the request's response.
 */
async function during(
  lock: (tx: Tx) => Promise<unknown>,
  request: () => Promise<Reply>,
  act: () => Promise<unknown>,
): Promise<Reply> {
  const { db } = service.ctx
  const released = new Error('released')
  let pending: Promise<Reply> | undefined
  const held = db.transaction(async (tx) => {
    await lock(tx)
    pending = request()
    await expect.poll(() => db.query(lockWaits)).not.toEqual([])
    await act()
    throw released
  })
  await expect(held).rejects.toBe(released)
  return pending ?? request()
}

describe('the list of sessions', () => {
  test('the list of sessions shows each sign-in of every owner, newest first, and marks the current one', async () => {
    const user = await service.newUser()
    const second = newWallet()
    await addOwner(user, second)
    const token = await service.signIn(second, 7200)
    const { jti, exp = 0 } = decodeJwt(token)
    const now = service.ctx.clock.now().getTime()
    const [latest, first, ...others] = await sessionsOf(token)
    expect(latest).toEqual({
      sessionId: jti,
      address: second.address,
      domain: 'localhost',
      signedInAt: expect.any(String),
      expiresAt: expect.any(String),
      isCurrent: true,
    })
    expect(Math.abs(now - Date.parse(latest.signedInAt))).toBeLessThan(60_000)
    expect(Math.floor(Date.parse(latest.expiresAt) / 1000)).toBe(exp)
    expect(first).toMatchObject({ address: user.wallet.address, isCurrent: false })
    expect(others).toEqual([])
  })

  test('the list of sessions leaves out sessions that have ended or expired', async () => {
    const user = await service.newUser()
    const [ended, lasting] = [await service.signIn(user.wallet), await service.signIn(user.wallet, 86_400)]
    await logOut(ended)
    expect(await sessionsOf(lasting)).toHaveLength(2)
    await service.sandbox('POST', '/clock', { advanceSeconds: 4000 })
    expect(await sessionsOf(lasting)).toMatchObject([{ sessionId: decodeJwt(lasting).jti, isCurrent: true }])
  })
})

describe('logging out', () => {
  test('logging out ends one session, and the user can sign in again', async () => {
    const user = await service.newUser()
    const other = await service.signIn(user.wallet)
    expect(outcome(await logOut(user.token))).toEqual([200, { success: true }])
    expect(outcome(await get('/user', user.token))).toEqual(revoked)
    expect(outcome(await logOut(user.token))).toEqual(revoked)
    expect(outcome(await logOutEverywhere(user.token))).toEqual(revoked)
    expect((await get('/user', other)).status).toBe(200)
    expect((await get('/user', await service.signIn(user.wallet))).status).toBe(200)
  })

  test('logging out everywhere ends the sessions of every owner, and a sign-in within the same second works', async () => {
    const user = await service.newUser()
    const second = newWallet()
    await addOwner(user, second)
    const tokens = [user.token, await service.signIn(user.wallet), await service.signIn(second)]
    expect(outcome(await logOutEverywhere(tokens[1] ?? ''))).toEqual([200, { success: true }])
    for (const token of tokens) expect(outcome(await get('/user/balances/v2', token))).toEqual(revoked)
    for (const wallet of [user.wallet, second]) {
      const token = await service.signIn(wallet)
      expect((await get('/user/balances/v2', token)).status).toBe(200)
    }
  })

  test("logging out does not end another user's session", async () => {
    const [user, other] = [await service.newUser(), await service.newUser()]
    await logOutEverywhere(user.token)
    expect((await get('/user', other.token)).status).toBe(200)
  })

  test('a session that ends in one process ends in every other process immediately', async () => {
    const other = await startService({ connection: service.connection, worker: false })
    try {
      const user = await service.newUser()
      const [first, second] = [await service.signIn(user.wallet), await service.signIn(user.wallet)]
      for (const path of ['/user/balances/v2', '/user/statement', '/user/deposits', '/user/withdrawals', '/cards']) {
        expect((await other.request('GET', path, { token: first })).status, path).toBe(200)
      }
      await logOut(first)
      expect(outcome(await other.request('GET', '/user/balances/v2', { token: first }))).toEqual(revoked)
      expect((await other.request('GET', '/user/balances/v2', { token: second })).status).toBe(200)
      await other.request('POST', '/api/v1/auth/logout-all', { token: second })
      expect(outcome(await get('/user/balances/v2', second))).toEqual(revoked)
      const later = await other.signIn(user.wallet)
      expect((await get('/user/balances/v2', later)).status).toBe(200)
    } finally {
      await other.stop()
    }
  })

  test('a stored response is not returned to a session that has ended', async () => {
    const { alice } = await world({ eur: 20 })
    const options = {
      token: alice.token,
      body: { tokenAddress: service.ctx.config.tokens[0]?.address, amount: String(eure(5)) },
      headers: { 'idempotency-key': randomUUID() },
    }
    expect((await service.request('POST', '/user/withdrawal', options)).status).toBe(201)
    await logOut(alice.token)
    expect(outcome(await service.request('POST', '/user/withdrawal', options))).toEqual(revoked)
    const repeated = await service.request('POST', '/user/withdrawal', {
      ...options,
      token: await service.signIn(alice.wallet),
    })
    expect(repeated.status).toBe(201)
  })

  test('a replay of the sign-in does not restore a session that has ended', async () => {
    const wallet = newWallet()
    const nonce = await service.nonce()
    const issuedAt = service.ctx.clock.now().toISOString()
    const message = signInMessage({ address: wallet.address, nonce, issuedAt })
    const body = { message, signature: await wallet.signMessage({ message }) }
    const { token } = (await service.request('POST', '/api/v1/auth/challenge', { body })).body
    await logOut(token)
    const replayed = await service.request('POST', '/api/v1/auth/challenge', { body })
    expect([replayed.status, replayed.body.error]).toEqual([401, 'NONCE_USED'])
    expect(await sessionRows(wallet)).toEqual([])
  })
})

test('an owner who is removed and added again has to sign in again', async () => {
  const user = await service.newUser()
  const second = newWallet()
  await addOwner(user, second)
  const before = await service.signIn(second)
  const removal = await ownerRemoval(service, user, second.address)
  expect((await post(`/user/owners/${second.address}/remove`, user.token, removal)).status).toBe(200)
  expect(await sessionRows(second)).toEqual([])
  await addOwner(user, second)
  expect(outcome(await get('/user', before))).toEqual(revoked)
  expect((await get('/user', await service.signIn(second))).status).toBe(200)
})

test('an owner who is removed during the sign-in cannot end the sessions of the others', async () => {
  const user = await service.newUser()
  const second = newWallet()
  await addOwner(user, second)
  const nonce = (await service.request('GET', '/api/v1/auth/nonce')).text
  const message = signInMessage({ address: second.address, nonce })
  const body = { message, signature: await second.signMessage({ message }), ttlInSeconds: 3600 }
  const signedIn = await during(
    (tx) => tx.query('insert into used_nonce (nonce, expires_at) values ($1, $2)', [nonce, new Date()]),
    () => service.request('POST', '/api/v1/auth/challenge', { body }),
    async () => {
      const removal = await ownerRemoval(service, user, second.address)
      expect((await post(`/user/owners/${second.address}/remove`, user.token, removal)).status).toBe(200)
    },
  )
  expect(signedIn.status).toBe(200)
  // A cluster looks for the owner only after the wait, so there the access token names no user.
  const rejected = process.env['TEST_CLUSTER'] ? [401, { success: false, error: 'NOT_REGISTERED' }] : revoked
  expect(outcome(await get('/user', signedIn.body.token))).toEqual(rejected)
  await logOutEverywhere(signedIn.body.token)
  expect((await get('/user', user.token)).status).toBe(200)
  expect(outcome(await post('/partner', signedIn.body.token, { name: 'Example' }))).toEqual(revoked)
})

describe('sessions of wallets without a user', () => {
  test('an ended session is rejected as such, even if its wallet is not a member of a partner', async () => {
    const token = await service.signIn(newWallet())
    await logOut(token)
    const slow = await during(
      (tx) => tx.query('-- by a test\nlock table used_nonce in access exclusive mode'),
      () => get('/partner', token),
      async () => {},
    )
    expect(outcome(slow)).toEqual(revoked)
  })

  test('a session that ends during the registration does not become the session of a user', async () => {
    const wallet = newWallet()
    const token = await service.signIn(wallet)
    const email = `${randomUUID()}@example.org`
    await post('/email-verification', token, { email })
    const registered = await during(
      (tx) =>
        tx.query('insert into directory (lookup_key, user_id) values ($1, $2)', [
          directoryKey(`wallet:${wallet.address}`),
          randomUUID(),
        ]),
      () => post('/user', token, { email, otp: '123456' }),
      () => logOutEverywhere(token),
    )
    expect(outcome(registered)).toEqual(revoked)
    const again = await service.signIn(wallet)
    expect((await post('/email-verification', again, { email })).status).toBe(200)
    expect((await post('/user', again, { email, otp: '123456' })).status).toBe(201)
  })

  test('a wallet without a user can log out, and its access token then works nowhere', async () => {
    const wallet = newWallet()
    const [token, other] = [await service.signIn(wallet), await service.signIn(wallet)]
    expect((await logOut(token)).status).toBe(200)
    expect(outcome(await post('/email-verification', token, { email: 'a@example.org' }))).toEqual(revoked)
    expect(outcome(await post('/partner', token, { name: 'Example' }))).toEqual(revoked)
    expect((await post('/partner', other, { name: 'Example' })).status).toBe(201)
    expect((await logOutEverywhere(other)).status).toBe(200)
    expect(outcome(await get('/partner', other))).toEqual(revoked)
    expect((await get('/partner', await service.signIn(wallet))).status).toBe(200)
  })

  test.each([
    ['logout', logOut],
    ['logout-all', logOutEverywhere],
  ])('the access tokens from before and after the registration are one session, which %s ends', async (_name, end) => {
    for (const ending of ['before', 'after'] as const) {
      const wallet = newWallet()
      const before = await service.signIn(wallet)
      const email = `${randomUUID()}@example.org`
      await post('/email-verification', before, { email })
      const after = (await post('/user', before, { email, otp: '123456' })).body.accessToken
      expect(await sessionsOf(after)).toMatchObject([{ isCurrent: true }])
      await end({ before, after }[ending])
      expect(outcome(await get('/user', after))).toEqual(revoked)
      expect(outcome(await post('/email-verification', before, { email }))).toEqual(revoked)
    }
  })
})

test.each<[string, number, (token: string, wallet: Wallet) => Promise<unknown>]>([
  ['logout', 1, logOut],
  ['logout-all', 1, logOutEverywhere],
  ['sign-in beyond the maximum', 50, (_token, wallet) => service.signIn(wallet)],
])('a %s during the registration of the wallet ends the session', async (_name, sessions, end) => {
  const wallet = newWallet()
  const before = await service.signIn(wallet)
  for (let i = 1; i < sessions; i++) await service.signIn(wallet)
  const email = `${randomUUID()}@example.org`
  await post('/email-verification', before, { email })
  const { jti: sessionId = '', exp = 0 } = decodeJwt(before)
  const session = { sessionId, expiresAt: new Date(exp * 1000), userId: null, accessId: null }
  const caller: Caller = { ...session, signerAddress: wallet.address, chainId: '1', signedBy: 'key' }
  const { db } = service.ctx
  let isEnded = false
  const { accessToken, ended } = await db.transaction(async (tx) => {
    const registering = { ...service.ctx, db: joinTransaction(db, tx) }
    const { accessToken } = await register(registering, caller, { email, otp: '123456' })
    // The registration has checked the session, but has not committed yet.
    const ended = end(before, wallet).finally(() => {
      isEnded = true
    })
    await expect.poll(async () => isEnded || (await db.query(lockWaits)).length > 0).toBe(true)
    return { accessToken, ended: () => ended }
  })
  await ended()
  expect(outcome(await get('/user', accessToken))).toEqual(revoked)
})

describe('the number of sessions', () => {
  test('a wallet has at most 50 sessions: one more sign-in ends all earlier ones', async () => {
    const user = await service.newUser()
    for (let i = 0; i < 49; i++) await service.signIn(user.wallet)
    expect(await sessionRows(user.wallet)).toHaveLength(50)
    expect((await get('/user', user.token)).status).toBe(200)
    const last = await service.signIn(user.wallet)
    expect(outcome(await get('/user', user.token))).toEqual(revoked)
    expect(await sessionsOf(last)).toMatchObject([{ isCurrent: true }])
    expect(await sessionRows(user.wallet)).toHaveLength(1)
  })

  test('of two concurrent sign-ins beyond the maximum, one opens the only session and the other is rejected', async () => {
    const user = await service.newUser()
    for (let i = 0; i < 49; i++) await service.signIn(user.wallet)
    const { db } = service.ctx
    const { signIns } = await db.transaction(async (tx) => {
      await tx.query('select from account where user_id = $1 for update', [user.userId])
      const signIns = Promise.allSettled([service.signIn(user.wallet), service.signIn(user.wallet)])
      await expect.poll(async () => (await db.query(lockWaits)).length).toBe(2)
      return { signIns }
    })
    const outcomes = await signIns
    const tokens = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    const reasons = outcomes.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []))
    expect(reasons).toEqual([expect.stringMatching(/401 .*NONCE_USED/)])
    expect(tokens).toHaveLength(1)
    expect(await sessionsOf(tokens[0] ?? '')).toMatchObject([{ isCurrent: true }])
  })

  test('the 51st logout of a wallet ends all its sessions and empties its list of ended sessions', async () => {
    const user = await service.newUser()
    for (let i = 0; i < 50; i++) await logOut(await service.signIn(user.wallet))
    expect(await endedOf(user)).toHaveLength(50)
    expect((await get('/user', user.token)).status).toBe(200)
    const last = await service.signIn(user.wallet)
    await logOut(last)
    expect(await endedOf(user)).toEqual([])
    for (const token of [user.token, last]) expect(outcome(await get('/user', token))).toEqual(revoked)
    expect((await get('/user', await service.signIn(user.wallet))).status).toBe(200)
  })

  test('expired sessions are deleted, even from the list of ended sessions', async () => {
    const user = await service.newUser()
    await logOut(user.token)
    await service.sandbox('POST', '/clock', { advanceSeconds: 2 * 86_400 })
    expect(await sessionRows(user.wallet)).toEqual([])
    const token = await service.signIn(user.wallet)
    await logOut(token)
    expect(await endedOf(user)).toEqual([callerOf(token).sessionId])
  })
})

describe('ended sessions on every route', () => {
  type Route = { method: string; path: string }
  const { address } = newWallet()
  const signed = { message: signInMessage({ address, nonce: 'n0123456789' }), signature: '0x' }
  /** The valid query or body of each route that requires one: it is checked before the use case checks the session. */
  const needs: Record<string, { query?: string; body?: unknown }> = {
    'POST /user/terms': { body: { terms: [{ type: 'general-tos', version: '1' }] } },
    'POST /source-of-funds': { body: { answers: [{ question: 'a', answer: 'b' }] } },
    'POST /api/v1/kyc/import-partner-applicant': { body: { forClientId: 'client', ttlInSecs: 600 } },
    'POST /api/v1/ibans/monerium-profile': { body: { signature: '0x' } },
    'POST /cards/virtual': { body: { cardName: 'Everyday', phone: '+4915112345678' } },
    'PATCH /cards/{cardId}': { body: { cardName: 'Everyday' } },
    'POST /cards/{cardId}/report': { body: { reason: 'lost' } },
    'PUT /cards/{cardId}/limits': { body: { perTransaction: null, daily: null } },
    'GET /pci/cards/{cardId}/challenge': { query: '?action=view-details' },
    'POST /pci/cards/{cardId}/token': { body: { action: 'view-details', nonce: '1', signature: '0x' } },
    'POST /user/withdrawal': { body: { tokenAddress: address, amount: '1' } },
    'POST /user/withdrawals': { body: { tokenAddress: address, amount: '1' } },
    'POST /user/close': { body: { approval: signed } },
    'POST /user/owners': { body: { ...signed, approval: signed } },
    'POST /user/owners/{address}/remove': { body: { approval: signed } },
  }
  let routes: Route[] = []

  beforeAll(async () => {
    const { paths, security: common } = (await service.request('GET', '/openapi.json')).body
    routes = Object.entries<Record<string, { security?: object[] }>>(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { security = common }]) =>
        security.some((one: object) => 'bearer' in one) ? [{ method: method.toUpperCase(), path }] : [],
      ),
    )
    expect(routes.length).toBeGreaterThan(40)
  })

  test('every route that takes an access token rejects one whose session has ended', async () => {
    const { alice } = await world({ card: true })
    const member = await newPartner(service)
    await logOut(alice.token)
    await logOut(member.token)
    const seen: string[] = []
    for (const { method, path } of routes) {
      const token = path.startsWith('/partner') ? member.token : alice.token
      const { query = '', body = method === 'GET' ? undefined : {} } = needs[`${method} ${path}`] ?? {}
      const url = path.replace(/\{(\w+)\}/g, (_all, name) => (name === 'address' ? address : alice.cardId))
      const answer = await service.request(method, `${url}${query}`, { token, body })
      seen.push(`${method} ${path}: ${answer.status} ${answer.text}`)
    }
    expect(seen.filter((each) => !/: 401 .*(ACCESS_REVOKED|The session has ended)/.test(each))).toEqual([])
  })
})
