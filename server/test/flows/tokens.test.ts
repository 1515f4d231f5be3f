import {
  createLocalJWKSet,
  decodeProtectedHeader,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  jwtVerify,
  SignJWT,
} from 'jose'
import { beforeEach, describe, expect, test } from 'vitest'
import { currentKey, listKeys, prepareKeys, retireKey, rotateKeys } from '../../src/identity/access-tokens/keys.ts'
import { maxTokenSeconds, publicationSeconds } from '../../src/identity/access-tokens/rules.ts'
import { createTestDatabase, newWallet, startService, useService } from '../support/service.ts'

/** The number of seconds that the services' clock is ahead. */
let ahead = 0
const alter: NonNullable<Parameters<typeof startService>[0]>['alter'] = (ctx) => ({
  ...ctx,
  clock: { now: () => new Date(Date.now() + ahead * 1000) },
})

const service = useService({ alter })
beforeEach(() => {
  ahead = 0
})

/**
 * Returns the error code of a route for users. The wallets here have no user, so a valid access token gives
 * NOT_REGISTERED, and an invalid one gives the reason.
 */
async function answerTo(token: string, of = service): Promise<string> {
  const answer = await of.request('GET', '/user/balances/v2', { token })
  expect(answer.status).toBe(401)
  expect(Object.keys(answer.body)).toEqual(['success', 'error'])
  return answer.body.error
}
const good = 'NOT_REGISTERED'

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const partsOf = (token: string) => {
  const [header = '', payload = '', signature = ''] = token.split('.')
  return { header, payload, signature }
}
const isSameBytes = (a: string, b: string) => Buffer.from(a, 'base64url').equals(Buffer.from(b, 'base64url'))
const readPart = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())

async function keySet(of = service): Promise<any> {
  return (await of.request('GET', '/.well-known/jwks.json')).body
}

describe('published signing keys', () => {
  test('the published keys are public keys and verify an access token without the service', async () => {
    const token = await service.signIn(newWallet())
    const answer = await service.request('GET', '/.well-known/jwks.json')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
    const { kid } = decodeProtectedHeader(token)
    expect(answer.body).toEqual({
      keys: [{ kty: 'EC', crv: 'P-256', x: expect.any(String), y: expect.any(String), kid, alg: 'ES256', use: 'sig' }],
    })
    const { tokenIssuer: issuer, tokenAudience: audience } = service.ctx.config
    const { payload } = await jwtVerify(token, createLocalJWKSet(answer.body), { issuer, audience })
    expect(payload['chainId']).toBe('1')
  })

  test('no cache may store an error in place of the published keys', async () => {
    const other = await startService({ worker: false })
    await other.ctx.db.query('alter table signing_key rename to unreadable_key')
    other.ctx.caches.signingKeys.clear()
    const { status, headers } = await other.request('GET', '/.well-known/jwks.json')
    expect([status, headers.get('cache-control')]).toEqual([500, 'no-store'])
    await other.stop()
  })

  test('private signing keys are stored encrypted', async () => {
    await keySet()
    const rows = await service.ctx.db.query<{ row: string }>('select signing_key::text as row from signing_key')
    expect(rows).toHaveLength(1)
    expect(rows[0]?.row).not.toMatch(/"d"/)
  })

  test('preparing the signing keys with another SECRET fails with an error that names SECRET', async () => {
    await keySet()
    const secret = 'another secret that is long enough to be taken'
    const other = await startService({ connection: service.connection, env: { SECRET: secret }, worker: false })
    await expect(prepareKeys(other.ctx)).rejects.toThrow('a different SECRET')
    await other.stop()
  })
})

test("processes that start concurrently on an empty database share one signing key and accept each other's access tokens", async () => {
  const connection = await createTestDatabase()
  const services = await Promise.all(Array.from({ length: 4 }, () => startService({ connection, worker: false })))
  await Promise.all(services.map(({ ctx }) => prepareKeys(ctx)))
  for (const { ctx } of services) expect(await listKeys(ctx)).toHaveLength(1)
  const tokens = await Promise.all(services.map((one) => one.signIn(newWallet())))
  for (const of of services) {
    for (const token of tokens) expect(await answerTo(token, of)).toBe(good)
  }
  await Promise.all(services.map((one) => one.stop()))
})

test('an access token remains valid after a restart', async () => {
  const connection = await createTestDatabase()
  const before = await startService({ connection })
  const token = await before.signIn(newWallet())
  await before.stop()
  const after = await startService({ connection })
  expect(await answerTo(token, after)).toBe(good)
  await after.stop()
})

describe('access tokens', () => {
  test('an access token expires at its exp, cached or not', async () => {
    const [seen, unseen] = [await service.signIn(newWallet(), 3600), await service.signIn(newWallet(), 3600)]
    expect(await answerTo(seen)).toBe(good)
    ahead = 3595
    expect(await answerTo(seen)).toBe(good)
    ahead = 3601
    expect(await answerTo(seen)).toBe('TOKEN_EXPIRED')
    expect(await answerTo(unseen)).toBe('TOKEN_EXPIRED')
  })

  test('an access token can be valid for a day', async () => {
    const token = await service.signIn(newWallet(), 86_400)
    ahead = 86_390
    expect(await answerTo(token)).toBe(good)
    ahead = 86_401
    expect(await answerTo(token)).toBe('TOKEN_EXPIRED')
  })

  test('an access token is accepted only in a Bearer header', async () => {
    const token = await service.signIn(newWallet())
    const withHeader = async (authorization: string) =>
      (await service.request('GET', '/user/balances/v2', { headers: { authorization } })).body.error
    expect(await withHeader(`bearer ${token}`)).toBe(good)
    for (const other of [token, `Basic ${token}`, 'Bearer', `Token ${token}`, `Bearer,${token}`]) {
      expect(await withHeader(other)).toBe('UNAUTHORIZED')
    }
    expect(await withHeader(`Bearer ${token} ${token}`)).toBe('INVALID_TOKEN')
    expect((await service.request('GET', '/user/balances/v2')).text).toBe('{"success":false,"error":"UNAUTHORIZED"}')
  })

  test('an access token of another issuer or audience is rejected although the right key signed it', async () => {
    for (const env of [{ TOKEN_AUDIENCE: 'https://another.example' }, { TOKEN_ISSUER: 'https://another.example' }]) {
      const other = await startService({ connection: service.connection, env, worker: false })
      const token = await other.signIn(newWallet())
      expect(await answerTo(token, other)).toBe(good)
      expect(await answerTo(token)).toBe('INVALID_TOKEN')
      await other.stop()
    }
  })
})

test('an access token is accepted in one encoding only', async () => {
  const token = await service.signIn(newWallet())
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const { header, payload, signature } = partsOf(token)
  const encodings = (part: string) =>
    [...alphabet].map((last) => part.slice(0, -1) + last).filter((other) => isSameBytes(other, part))
  const others = [
    ...encodings(signature).map((other) => `${header}.${payload}.${other}`),
    ...encodings(payload).map((other) => `${header}.${other}.${signature}`),
    ...encodings(header).map((other) => `${other}.${payload}.${signature}`),
    `${token}=`,
    `${header}.${payload}.${signature.slice(0, 9)}%${signature.slice(9)}`,
  ].filter((other) => other !== token)
  expect(others.length).toBeGreaterThan(15)
  for (const other of others) expect([other, await answerTo(other)]).toEqual([other, 'INVALID_TOKEN'])
  expect(await answerTo(token)).toBe(good)
})

test('an access token without a session, or with a user but no access id, is rejected', async () => {
  const { ctx } = service
  const claims = readPart(partsOf(await service.signIn(newWallet())).payload)
  const { kid, privateKey } = await currentKey(ctx)
  const signed = (payload: object) =>
    new SignJWT({ ...claims, ...payload }).setProtectedHeader({ alg: 'ES256', kid, typ: 'JWT' }).sign(privateKey)
  expect(await answerTo(await signed({}))).toBe(good)
  const user = await service.newUser()
  for (const payload of [
    { jti: undefined },
    { jti: 'not a UUID' },
    { sub: user.userId, userId: user.userId },
    { sub: user.userId, userId: user.userId, accessId: 'not a UUID' },
  ]) {
    expect(await answerTo(await signed(payload))).toBe('INVALID_TOKEN')
  }
})

describe('forged access tokens', () => {
  let token = ''
  beforeEach(async () => {
    token = await service.signIn(newWallet())
  })

  test('an access token with changed claims, header or signature is rejected', async () => {
    const { header, payload, signature } = partsOf(token)
    const other = base64({ ...readPart(payload), signerAddress: newWallet().address })
    const longer = base64({ ...readPart(payload), exp: readPart(payload).exp + 3600 })
    const flipped = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1)
    expect(await answerTo(token)).toBe(good)
    for (const forged of [
      `${header}.${other}.${signature}`,
      `${header}.${longer}.${signature}`,
      `${base64({ ...readPart(header), typ: 'at+jwt' })}.${payload}.${signature}`,
      `${header}.${payload}.${flipped}`,
      `${header}.${payload}.${signature.slice(0, -4)}`,
      `${header}.${payload}.`,
      `${header}.${payload}`,
      `${header}..${signature}`,
      `${token}.${signature}`,
      'a.b.c',
      '...',
      'x',
    ]) {
      expect(await answerTo(forged)).toBe('INVALID_TOKEN')
    }
  })

  test('an access token without a signature ("alg": "none") is rejected', async () => {
    const { header, payload } = partsOf(token)
    for (const alg of ['none', 'None', 'NONE', '']) {
      const unsigned = base64({ ...readPart(header), alg })
      expect(await answerTo(`${unsigned}.${payload}.`)).toBe('INVALID_TOKEN')
    }
  })

  test('an access token signed with the public key as a shared secret (HS256) is rejected', async () => {
    const { kid } = decodeProtectedHeader(token)
    const [jwk] = (await keySet()).keys
    const publicKey = await crypto.subtle.importKey('jwk', jwk, { name: 'ECDSA', namedCurve: 'P-256' }, true, [
      'verify',
    ])
    const raw = new Uint8Array(await crypto.subtle.exportKey('raw', publicKey))
    const secrets = [await exportSPKI(publicKey), JSON.stringify(jwk)].map((text) => new TextEncoder().encode(text))
    for (const secret of [...secrets, raw]) {
      const forged = new SignJWT(readPart(partsOf(token).payload)).setProtectedHeader({
        alg: 'HS256',
        typ: 'JWT',
        ...(kid ? { kid } : {}),
      })
      expect(await answerTo(await forged.sign(secret))).toBe('INVALID_TOKEN')
    }
  })

  test('an access token that names or contains the attacker’s own key is rejected', async () => {
    const { kid = '' } = decodeProtectedHeader(token)
    const forger = await generateKeyPair('ES256', { extractable: true })
    const jwk = await exportJWK(forger.publicKey)
    const headers = [
      { kid },
      { kid, jwk },
      { jwk },
      { kid: 'unknown' },
      { kid, jku: `${service.url}/.well-known/jwks.json` },
      { kid, x5u: 'https://evil.example/certificate' },
      { kid, x5c: ['MIIB'] },
      { kid: '../../etc/passwd' },
      { kid: "' or 1=1 --" },
      {},
    ]
    for (const header of headers) {
      const forged = new SignJWT(readPart(partsOf(token).payload)).setProtectedHeader({
        alg: 'ES256',
        typ: 'JWT',
        ...header,
      })
      expect(await answerTo(await forged.sign(forger.privateKey))).toBe('INVALID_TOKEN')
    }
  })

  test('an access token that names a trusted key but another algorithm (EdDSA) is rejected', async () => {
    const { kid = '' } = decodeProtectedHeader(token)
    const forger = await generateKeyPair('EdDSA')
    const forged = new SignJWT(readPart(partsOf(token).payload)).setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid })
    expect(await answerTo(await forged.sign(forger.privateKey))).toBe('INVALID_TOKEN')
  })

  test('an overlong access token is rejected', async () => {
    expect(await answerTo(`${token}${'A'.repeat(2048)}`)).toBe('INVALID_TOKEN')
    expect(await answerTo('A'.repeat(8000))).toBe('INVALID_TOKEN')
  })
})

describe('signing keys', () => {
  test('after a rotation the new signing key is published before it signs, and the old one verifies until its last access token expires', async () => {
    const old = await service.signIn(newWallet(), 86_400)
    const oldKid = decodeProtectedHeader(old).kid
    const { key, isNew } = await rotateKeys(service.ctx)
    const newKid = key.kid
    expect(isNew).toBe(true)
    expect(await rotateKeys(service.ctx)).toMatchObject({ key: { kid: newKid }, isNew: false })

    expect((await keySet()).keys.map(({ kid }: any) => kid)).toEqual([oldKid, newKid])
    expect(decodeProtectedHeader(await service.signIn(newWallet())).kid).toBe(oldKid)

    ahead = publicationSeconds + 1
    const late = await service.signIn(newWallet(), 86_400)
    expect(decodeProtectedHeader(late).kid).toBe(newKid)
    expect([await answerTo(old), await answerTo(late)]).toEqual([good, good])

    ahead = maxTokenSeconds - 60
    expect(await answerTo(old)).toBe(good)
    ahead = publicationSeconds + maxTokenSeconds + 1
    expect((await keySet()).keys.map(({ kid }: any) => kid)).toEqual([newKid])
  })

  test('access tokens of a retired key are rejected at once by the process that retires it, and soon by the others', async () => {
    const connection = await createTestDatabase()
    const [here, there] = [await startService({ connection, alter }), await startService({ connection, alter })]
    const wallet = newWallet()
    const [seen, unseen] = [await here.signIn(wallet), await here.signIn(wallet)]
    const { kid = '' } = decodeProtectedHeader(seen)
    expect([await answerTo(seen, here), await answerTo(seen, there)]).toEqual([good, good])

    expect(await retireKey(here.ctx, kid)).toBe(true)
    expect([await answerTo(seen, here), await answerTo(unseen, here)]).toEqual(['INVALID_TOKEN', 'INVALID_TOKEN'])
    await expect.poll(() => answerTo(seen, there)).toBe('INVALID_TOKEN')

    const again = await here.signIn(wallet)
    expect(decodeProtectedHeader(again).kid).not.toBe(kid)
    expect([await answerTo(again, here), await answerTo(again, there)]).toEqual([good, good])
    expect((await keySet(there)).keys.map(({ kid }: any) => kid)).not.toContain(kid)
    expect(await retireKey(here.ctx, kid)).toBe(false)
    expect(await retireKey(here.ctx, 'unknown')).toBe(false)
    await Promise.all([here.stop(), there.stop()])
  })

  test('an access token of the key that replaces a retired one is accepted by every process immediately', async () => {
    const connection = await createTestDatabase()
    const [here, there] = [await startService({ connection, alter }), await startService({ connection, alter })]
    const { kid = '' } = decodeProtectedHeader(await here.signIn(newWallet()))
    expect(await answerTo(await there.signIn(newWallet()), there)).toBe(good)
    await retireKey(here.ctx, kid)
    expect(await answerTo(await here.signIn(newWallet()), there)).toBe(good)
    await Promise.all([here.stop(), there.stop()])
  })
})
