import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { createSiweMessage } from 'viem/siwe'
import { describe, expect, test } from 'vitest'
import { modeValues } from '../../src/config/mode-values.ts'
import {
  type OperatorPermission,
  type OperatorRole,
  operatorPermissions,
  operatorRoles,
  permissionsOfRole,
} from '../../src/lib/operator-permission.ts'
import { addOperator, findActiveOperator } from '../../src/operators/operators.ts'
import {
  consoleOrigin,
  fromConsole,
  newOperator,
  operatorMessage,
  signInOperator,
  testOperator,
} from '../support/console.ts'
import { newWallet, plainError, startService, useService, type Wallet } from '../support/service.ts'

const service = useService({ worker: false })

const open = async (wallet: Wallet, change: object = {}, more: object = {}, headers: Record<string, string> = {}) => {
  const body = { ...(await operatorMessage(service, wallet, change)), ...more }
  return service.request('POST', '/operator/session', { body, headers })
}
const short = ({ status, body }: { status: number; body: any }) => [status, body?.error]
const me = (token: string) => service.request('GET', '/operator/me', { token })

describe('signing in as an operator', () => {
  test('the test operator of the sandbox signs in and sees its permissions', async () => {
    const token = await signInOperator(service)
    const { status, body } = await me(token)
    expect([status, body.address, body.role]).toEqual([200, testOperator.address, 'admin'])
    expect(body.permissions).toContain('operators:write')
  })

  test('a wallet that is not an operator and a wrong signature get the same response', async () => {
    const stranger = await open(newWallet())
    const { message } = await operatorMessage(service, testOperator)
    const { signature } = await operatorMessage(service, newWallet())
    const forged = await service.request('POST', '/operator/session', { body: { message, signature } })
    expect(short(stranger)).toEqual([401, 'NOT_AN_OPERATOR'])
    expect(forged.body).toEqual(stranger.body)
  })

  test('a message of a user opens no session of an operator, nor the other way round', async () => {
    const nonce = await service.nonce()
    const { address } = testOperator
    const user = createSiweMessage({
      address,
      chainId: 1,
      domain: 'localhost',
      nonce,
      uri: 'http://localhost/',
      version: '1',
    })
    const signature = await testOperator.signMessage({ message: user })
    expect(short(await service.request('POST', '/operator/session', { body: { message: user, signature } }))).toEqual([
      401,
      'DOMAIN_NOT_ALLOWED',
    ])
    const body = await operatorMessage(service, testOperator)
    expect(short(await service.request('POST', '/api/v1/auth/challenge', { body }))).toEqual([
      401,
      'DOMAIN_NOT_ALLOWED',
    ])
  })

  test.each([
    ['another domain', { domain: 'localhost:3000' }],
    ['another URI of the console', { uri: `${consoleOrigin}/` }],
    ['the URI of another console', { uri: 'https://console.example/operator/session' }],
  ])('a sign-in message of an operator for %s is rejected', async (_what, change) => {
    expect(short(await open(testOperator, change))).toEqual([401, 'DOMAIN_NOT_ALLOWED'])
  })

  test('each nonce opens at most one session, and a rejected attempt uses it up', async () => {
    const body = await operatorMessage(service, testOperator)
    const send = (given: object) => service.request('POST', '/operator/session', { body: given })
    expect((await send(body)).status).toBe(200)
    expect(short(await send(body))).toEqual([401, 'NONCE_USED'])
    const wrong = await operatorMessage(service, testOperator, { domain: 'localhost:1' })
    expect(short(await send(wrong))).toEqual([401, 'DOMAIN_NOT_ALLOWED'])
    expect(short(await send(wrong))).toEqual([401, 'NONCE_USED'])
    expect(short(await open(testOperator, { nonce: 'abcdefghijklmnopqrst' }))).toEqual([401, 'INVALID_NONCE'])
  })

  test('expired and future sign-in messages of operators are rejected', async () => {
    const past = new Date(Date.now() - 60_000)
    const future = new Date(Date.now() + 3_600_000)
    expect(short(await open(testOperator, { issuedAt: past, expirationTime: past }))).toEqual([401, 'MESSAGE_EXPIRED'])
    expect(short(await open(testOperator, { notBefore: future }))).toEqual([401, 'MESSAGE_NOT_YET_VALID'])
  })

  test('only a hash of the session token of an operator is stored', async () => {
    const token = await signInOperator(service)
    const hash = createHash('sha256').update(token).digest('hex')
    const rows = await service.ctx.db.query<{ row: string }>('select s::text as row from operator_session s')
    expect(rows.filter(({ row }) => row.includes(hash))).toHaveLength(1)
    expect(rows.filter(({ row }) => row.includes(token))).toEqual([])
  })

  test('an access token of a user is not a session of an operator, nor the other way round', async () => {
    const user = await service.signIn(testOperator)
    expect(short(await me(user))).toEqual([401, 'OPERATOR_UNAUTHORIZED'])
    const token = await signInOperator(service)
    expect(short(await service.request('GET', '/user', { token }))).toEqual([401, 'INVALID_TOKEN'])
  })

  test('a request of an operator without an open session gets 401', async () => {
    for (const headers of [{}, { authorization: 'Bearer x' }, { authorization: `Bearer pso_${'a'.repeat(43)}` }]) {
      const response = await service.request('GET', '/operator/me', { headers })
      expect([response.status, response.body]).toEqual(plainError(401, 'OPERATOR_UNAUTHORIZED'))
    }
  })
})

describe('the lifetime of a session', () => {
  test('a request of an operator soon after the last one does not write the session', async () => {
    const token = await signInOperator(service)
    const session = `from operator_session order by session_id desc limit 1`
    const version = async () => {
      const [row] = await service.ctx.db.query<{ xmin: string }>(`select xmin::text ${session}`)
      return row?.xmin
    }
    const signedIn = await version()
    for (let i = 0; i < 3; i++) expect((await service.request('GET', '/operator/me', { token })).status).toBe(200)
    expect(await version()).toBe(signedIn)
    await service.ctx.db.query(
      `update operator_session set used_at = used_at - interval '11 seconds'
       where session_id = (select session_id ${session})`,
    )
    const earlier = await version()
    await service.request('GET', '/operator/me', { token })
    expect(await version()).not.toBe(earlier)
  })

  test('the session of an operator ends after 15 minutes without a request, and after 8 hours in any case', async () => {
    const here = await startService({ worker: false })
    const ask = async (token: string) => (await here.request('GET', '/operator/me', { token })).status
    const idle = await signInOperator(here)
    await here.advance(14 * 60)
    expect(await ask(idle)).toBe(200)
    await here.advance(14 * 60)
    expect(await ask(idle)).toBe(200)
    await here.advance(15 * 60 + 1)
    expect(await ask(idle)).toBe(401)
    const busy = await signInOperator(here)
    for (let minutes = 0; minutes < 8 * 60 - 10; minutes += 10) {
      await here.advance(600)
      expect(await ask(busy)).toBe(200)
    }
    await here.advance(601)
    expect(await ask(busy)).toBe(401)
    await here.stop()
  })

  test('an operator lists and ends their own sessions, and an admin those of everybody', async () => {
    const support = await newOperator(service, 'support')
    const admin = await newOperator(service, 'admin')
    const other = await signInOperator(service, support.wallet)
    const own = (await support.ask('GET', '/sessions')).body.data
    expect(own.map((session: any) => [session.address, session.isCurrent])).toEqual([
      [support.wallet.address, false],
      [support.wallet.address, true],
    ])
    const all = (await admin.ask('GET', '/sessions')).body.data
    expect(new Set(all.map(({ address }: any) => address)).size).toBeGreaterThan(1)
    const adminsOwn = all.find(({ isCurrent }: any) => isCurrent).sessionId
    expect(short(await support.ask('DELETE', `/sessions/${adminsOwn}`))).toEqual([404, 'SESSION_NOT_FOUND'])
    expect(short(await support.ask('DELETE', `/sessions/${randomUUID()}`))).toEqual([404, 'SESSION_NOT_FOUND'])
    expect((await support.ask('DELETE', `/sessions/${own[0].sessionId}`)).status).toBe(200)
    expect((await me(other)).status).toBe(401)
    expect((await admin.ask('DELETE', `/sessions/${own[1].sessionId}`)).status).toBe(200)
    expect((await support.ask('GET', '/me')).status).toBe(401)
    expect((await admin.ask('DELETE', '/sessions')).status).toBe(200)
    expect((await admin.ask('GET', '/me')).status).toBe(401)
  })

  test('the wallet of an operator has at most 20 sessions, and one more ends the oldest', async () => {
    const { wallet, token } = await newOperator(service, 'viewer')
    for (let i = 0; i < 19; i++) await signInOperator(service, wallet)
    expect((await me(token)).status).toBe(200)
    const last = await signInOperator(service, wallet)
    expect((await me(token)).status).toBe(401)
    expect((await service.request('GET', '/operator/sessions', { token: last })).body.data).toHaveLength(20)
  })
})

describe('the cookie of the console', () => {
  const cookieOf = (setCookie: string | null) => setCookie?.split(';')[0] ?? ''
  const signInWithCookie = async (headers: Record<string, string> = fromConsole) =>
    open(testOperator, {}, { via: 'cookie' }, headers)

  test('the cookie of the console is HttpOnly and SameSite=Strict, and the body of the sign-in response has no token', async () => {
    const { status, headers, body } = await signInWithCookie()
    expect([status, body.token]).toEqual([200, null])
    expect(headers.get('set-cookie')).toMatch(
      /^purser-operator=pso_[\w-]{43}; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict$/,
    )
  })

  test('a console with https gets a Secure cookie with the prefix __Host-', async () => {
    const here = await startService({ env: { CONSOLE_URL: 'https://console.example' }, worker: false })
    const message = await operatorMessage(here, testOperator, {
      domain: 'console.example',
      uri: 'https://console.example/operator/session',
    })
    const headers = { ...fromConsole, origin: 'https://console.example' }
    const response = await here.request('POST', '/operator/session', { body: { ...message, via: 'cookie' }, headers })
    expect(response.headers.get('set-cookie')).toMatch(
      /^__Host-purser-operator=pso_.*; Path=\/; .*; SameSite=Strict; Secure$/,
    )
    await here.stop()
  })

  test("a change with the console's cookie needs the console's header and origin", async () => {
    const cookie = cookieOf((await signInWithCookie()).headers.get('set-cookie'))
    const remove = (headers: Record<string, string>) =>
      service.request('DELETE', `/operator/sessions/${randomUUID()}`, { headers: { cookie, ...headers } })
    const { origin, ...withoutOrigin } = fromConsole
    const rejected: Record<string, string>[] = [
      {},
      { 'x-purser-console': '1' },
      { origin, 'sec-fetch-site': 'same-origin' },
      { ...fromConsole, origin: 'http://localhost:3000' },
      { ...fromConsole, origin: 'null' },
      { ...fromConsole, 'sec-fetch-site': 'same-site' },
      { ...fromConsole, 'sec-fetch-site': 'cross-site' },
      { ...fromConsole, 'sec-fetch-site': 'none' },
    ]
    for (const headers of rejected)
      expect(short(await remove(headers)), JSON.stringify(headers)).toEqual([403, 'ORIGIN_NOT_ALLOWED'])
    for (const headers of [fromConsole, withoutOrigin, { origin, 'x-purser-console': '1' }])
      expect(short(await remove(headers)), JSON.stringify(headers)).toEqual([404, 'SESSION_NOT_FOUND'])
  })

  test("a read with the console's cookie is rejected when a page of another origin sends it", async () => {
    const cookie = cookieOf((await signInWithCookie()).headers.get('set-cookie'))
    const read = (headers: Record<string, string>) =>
      service.request('GET', '/operator/me', { headers: { cookie, ...headers } })
    expect((await read({})).status).toBe(200)
    expect((await read({ 'sec-fetch-site': 'none' })).status).toBe(200)
    expect(short(await read({ 'sec-fetch-site': 'same-site' }))).toEqual([403, 'ORIGIN_NOT_ALLOWED'])
    expect(short(await read({ origin: 'https://evil.example' }))).toEqual([403, 'ORIGIN_NOT_ALLOWED'])
  })

  test('a session begins with a cookie only for a page of the console', async () => {
    expect(short(await signInWithCookie({}))).toEqual([403, 'ORIGIN_NOT_ALLOWED'])
    expect(short(await signInWithCookie({ ...fromConsole, origin: 'https://evil.example' }))).toEqual([
      403,
      'ORIGIN_NOT_ALLOWED',
    ])
  })

  test('the token of a cookie is not accepted as a bearer token, nor the other way round', async () => {
    const cookie = cookieOf((await signInWithCookie()).headers.get('set-cookie'))
    expect((await me(cookie.split('=')[1] ?? '')).status).toBe(401)
    const token = await signInOperator(service)
    const asCookie = { cookie: `purser-operator=${token}`, ...fromConsole }
    expect((await service.request('GET', '/operator/me', { headers: asCookie })).status).toBe(401)
  })

  test('two cookies of the same name are rejected', async () => {
    const cookie = cookieOf((await signInWithCookie()).headers.get('set-cookie'))
    const headers = { cookie: `${cookie}; purser-operator=pso_${'a'.repeat(43)}` }
    expect((await service.request('GET', '/operator/me', { headers })).status).toBe(401)
  })

  test('the end of the current session deletes its cookie', async () => {
    const opened = await signInWithCookie()
    const cookie = cookieOf(opened.headers.get('set-cookie'))
    const path = `/operator/sessions/${opened.body.operator.sessionId}`
    const ended = await service.request('DELETE', path, { headers: { cookie, ...fromConsole } })
    expect(ended.headers.get('set-cookie')).toContain('purser-operator=; Path=/; Max-Age=0')
  })
})

test('a removed operator and a changed role take effect with the next request, in all processes', async () => {
  const other = await startService({ connection: service.connection, worker: false })
  const { wallet, token } = await newOperator(service, 'support')
  const there = () => other.request('GET', '/operator/me', { token })
  expect((await there()).body.role).toBe('support')
  await service.ctx.db.query(`update operator set role = 'viewer' where address = $1`, [wallet.address])
  expect((await there()).body.role).toBe('viewer')
  await service.ctx.db.query('update operator set removed_at = $2 where address = $1', [wallet.address, new Date()])
  expect((await there()).status).toBe(401)
  expect(short(await open(wallet))).toEqual([401, 'NOT_AN_OPERATOR'])
  await other.stop()
})

test('the operator API is absent unless it is on', async () => {
  const here = await startService({ env: { OPERATOR_API: 'off' }, worker: false })
  for (const [method, path] of [
    ['GET', '/operator/me'],
    ['GET', '/operator/openapi.json'],
    ['POST', '/operator/session'],
  ] as const) {
    const response = await here.request(method, path, method === 'POST' ? { body: {} } : {})
    expect([response.status, response.body]).toEqual(plainError(404, 'NOT_FOUND'))
  }
  await here.stop()
})

test('a sandbox that other machines can reach has no test operator', async () => {
  const env = { HOST: '0.0.0.0', SANDBOX_PASSWORD: 'a-password-of-my-own' }
  const here = await startService({ env, worker: false })
  const body = await operatorMessage(here, testOperator)
  expect(short(await here.request('POST', '/operator/session', { body }))).toEqual([401, 'NOT_AN_OPERATOR'])
  await here.stop()
})

test('an operator whose key is public opens no session for a request under a foreign host', async () => {
  const statusOf = async (wallet: Wallet, host: string) => {
    const body = JSON.stringify(await operatorMessage(service, wallet))
    const headers = { host, 'content-type': 'application/json' }
    // fetch does not send a Host header of the caller's choice.
    const sent = httpRequest(new URL('/operator/session', service.url), { method: 'POST', headers }).end(body)
    const [response] = await once(sent, 'response')
    return [response.statusCode, response.headers['x-error-code']]
  }
  const { wallet } = await newOperator(service)
  expect(await statusOf(wallet, 'quick.tunnel.example')).toEqual([200, undefined])
  expect(await statusOf(testOperator, 'purser.localhost')).toEqual([200, undefined])
  for (const host of ['quick.tunnel.example', 'localhost.evil.example', '10.0.0.7:8080'])
    expect(await statusOf(testOperator, host), host).toEqual([401, 'NOT_AN_OPERATOR'])
})

test('production rejects the wallets whose keys are public, at sign-in and when they are added', async () => {
  const config = { ...service.ctx.config, ...modeValues.production, testOperator: null }
  const ctx = { ...service.ctx, config }
  await signInOperator(service)
  expect(await findActiveOperator(ctx, service.ctx.db, testOperator.address)).toBeNull()
  const added = {
    wallet: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
    role: 'viewer',
    person: 'Eve',
    by: 'ada',
  } as const
  await expect(service.ctx.db.transaction((tx) => addOperator(ctx, tx, added))).rejects.toThrow('whose key is public')
})

test('the permission matrix gives every role exactly the permissions in the list of this test', () => {
  const viewer = ['session', 'overview', 'users', 'ledger', 'work', 'partners', 'operators', 'decisions']
  const reads = viewer.map((name) => (name === 'session' ? name : `${name}:read`))
  const support = [...reads, 'users:reveal', 'users:block', 'reviews:write', 'webhooks:resend', 'proposals:write']
  const money = [...support, 'payouts:write', 'users:unblock', 'switches:write']
  const admin = ['users:erase', 'partners:write', 'domains:write', 'keys:write', 'operators:write', 'sessions:end']
  const inspector = ['users:reveal', 'reconciliation:run', 'reads:read', 'evidence:read', 'sessions:read']
  // Written out, so that this test fails if a change of the matrix gives a role more permissions.
  const stated: Readonly<Record<OperatorRole, readonly string[]>> = {
    viewer: reads,
    support: [...support, 'reconciliation:run'],
    money: [...money, 'reconciliation:run'],
    admin: [...new Set([...money, ...admin, ...inspector])],
    auditor: [...reads, ...inspector],
  }
  for (const role of operatorRoles)
    expect(permissionsOfRole(role).toSorted(), role).toEqual([...stated[role]].toSorted())
})

test('every role has exactly the permissions of the matrix on every route', async () => {
  const { paths } = (await service.request('GET', '/operator/openapi.json')).body
  const operations = Object.entries<Record<string, any>>(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      'x-permission' in operation
        ? [{ method: method.toUpperCase(), path, may: operation['x-permission'] as OperatorPermission }]
        : [],
    ),
  )
  expect(operations.length).toBeGreaterThan(3)
  for (const role of operatorRoles) {
    for (const { method, path, may } of operations) {
      const { token } = await newOperator(service, role)
      const url = path.replace(/\{address\}/g, newWallet().address).replace(/\{[^}]+\}/g, randomUUID())
      const roles: readonly string[] = operatorPermissions[may]
      const { body } = await service.request(method, url, { token, ...(method === 'GET' ? {} : { body: {} }) })
      expect(body?.error === 'ROLE_NOT_PERMITTED', `${role}: ${method} ${path}`).toBe(!roles.includes(role))
    }
  }
})
