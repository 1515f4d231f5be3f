import { createSecretKey, randomBytes } from 'node:crypto'
import { decodeJwt } from 'jose'
import type { Hex } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { deleteOldNonces } from '../../src/identity/auth/auth.ts'
import { makeNonce } from '../../src/identity/auth/nonce.ts'
import { refusals, UpstreamError } from '../../src/lib/errors.ts'
import { newId } from '../../src/lib/id.ts'
import { registerDomain, removeDomain } from '../../src/partners/domains.ts'
import { directoryKey } from '../../src/platform/db/directory.ts'
import type { ContractSignature } from '../../src/providers/signatures/signatures.ts'
import { newWallet, type Reply, useService, type Wallet } from '../support/service.ts'
import { message } from '../support/vectors/eip-4361.ts'

const challengePath = '/api/v1/auth/challenge'
const validationBody = (text: unknown) => ({
  kind: 'validation',
  success: false,
  error: { name: 'ValidationError', message: text },
})

/** The chain of the contract wallets in these tests, and its next result. */
const contractChain = 100
const asked: ContractSignature[] = []
let answerOfChain: () => boolean = () => false

/** The number of seconds that the service's clock is ahead. */
let ahead = 0
const service = useService({
  alter: (ctx) => ({
    ...ctx,
    clock: { now: () => new Date(Date.now() + ahead * 1000) },
    signatures: {
      supports: (chainId) => chainId === contractChain,
      async verify(claim) {
        asked.push(claim)
        return answerOfChain()
      },
    },
  }),
})
let wallet: Wallet
let nonce: string

beforeEach(async () => {
  ahead = 0
  asked.length = 0
  wallet = newWallet()
  nonce = await newNonce()
})

async function newNonce(): Promise<string> {
  return (await service.request('GET', '/api/v1/auth/nonce')).text
}

type Changes = Parameters<typeof message>[0] & { domain?: string }

/** Returns a valid message of this wallet with this nonce, with the given changes. */
function compose({ domain = 'localhost', ...changes }: Changes = {}): string {
  return message({
    header: `${domain} wants you to sign in with your Ethereum account:`,
    address: wallet.address,
    chainId: 'Chain ID: 1',
    nonce: `Nonce: ${nonce}`,
    issuedAt: `Issued At: ${new Date(Date.now() + ahead * 1000).toISOString()}`,
    expirationTime: null,
    notBefore: null,
    ...changes,
  })
}

async function challenge(text: string, more: object = {}, signer = wallet): Promise<Reply> {
  const signature = await signer.signMessage({ message: text })
  return service.request('POST', challengePath, { body: { message: text, signature, ...more } })
}

function expectRefused(answer: Reply, code: keyof typeof refusals): void {
  expect(answer.text).toBe(JSON.stringify({ success: false, error: code, message: refusals[code][1] }))
  expect(answer.status).toBe(401)
}

async function expectNonceUnused(): Promise<void> {
  expect((await challenge(compose())).status).toBe(200)
}

async function rowsOf(table: 'used_nonce' | 'contract_check'): Promise<number> {
  return (await service.ctx.db.query(`-- by a test\nselect nonce from ${table}`)).length
}

describe('GET /api/v1/auth/nonce', () => {
  test.each(['*/*', 'application/json', 'text/html'])(
    'the sign-in nonce is plain text for the header Accept: %s',
    async (accept) => {
      const before = await rowsOf('used_nonce')
      const answer = await service.request('GET', '/api/v1/auth/nonce', { headers: { accept } })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.text).toMatch(/^[A-Za-z][A-Za-z0-9]{16,}$/)
      expect(await rowsOf('used_nonce')).toBe(before)
    },
  )

  test('every request for a sign-in nonce returns a new one', async () => {
    expect(await newNonce()).not.toBe(await newNonce())
  })
})

describe('access tokens from a challenge', () => {
  test('the challenge response contains only the access token, and its claims name the signer', async () => {
    const answer = await challenge(compose())
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.body)).toEqual(['token'])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const claims = decodeJwt(answer.body.token)
    expect(claims).toEqual({
      signerAddress: wallet.address,
      chainId: '1',
      hasSignedUp: false,
      iss: service.ctx.config.tokenIssuer,
      aud: service.ctx.config.tokenAudience,
      iat: expect.any(Number),
      exp: expect.any(Number),
      jti: expect.any(String),
    })
  })

  test('the access token of a registered wallet names its user', async () => {
    const userId = newId(new Date())
    const accessId = newId(new Date())
    const values = [directoryKey(`wallet:${wallet.address}`), userId, accessId]
    await service.ctx.db.query('insert into directory (lookup_key, user_id, ref_id) values ($1, $2, $3)', values)
    const claims = decodeJwt((await challenge(compose())).body.token)
    expect(claims).toMatchObject({ sub: userId, userId, accessId, hasSignedUp: true, signerAddress: wallet.address })
  })

  test.each([
    [undefined, 3600],
    [3600, 3600],
    [3601, 3601],
    [86_400, 86_400],
  ])('an access token requested with ttlInSeconds %s is valid for %i seconds', async (ttlInSeconds, validity) => {
    const { iat = 0, exp = 0 } = decodeJwt((await challenge(compose(), { ttlInSeconds })).body.token)
    expect(exp - iat).toBe(validity)
    expect(Math.abs(iat - Date.now() / 1000)).toBeLessThan(30)
  })

  test('an externally owned account can sign in with any chain id', async () => {
    for (const chainId of [1, contractChain, 999_999_999_999_999]) {
      nonce = await newNonce()
      const answer = await challenge(compose({ chainId: `Chain ID: ${chainId}` }))
      expect(decodeJwt(answer.body.token)['chainId']).toBe(String(chainId))
    }
    expect(asked).toEqual([])
  })

  test('a sign-in signature with v counted from 0 is accepted', async () => {
    const text = compose()
    const signature = await wallet.signMessage({ message: text })
    const v = signature.endsWith('1b') ? '00' : '01'
    const body = { message: text, signature: signature.slice(0, -2) + v }
    expect((await service.request('POST', challengePath, { body })).status).toBe(200)
  })

  test('a challenge ignores unknown fields and Idempotency-Key, because an access token is never stored', async () => {
    const text = compose()
    const body = { message: text, signature: await wallet.signMessage({ message: text }), extra: { deep: [1] } }
    const headers = { 'idempotency-key': 'sign-in-1' }
    expect((await service.request('POST', challengePath, { body, headers })).status).toBe(200)
    expectRefused(await service.request('POST', challengePath, { body, headers }), 'NONCE_USED')
  })
})

describe('invalid bodies of a challenge', () => {
  test.each([
    ['no message', { message: undefined }],
    ['a message that is a number', { message: 1 }],
    ['a message that is null', { message: null }],
    ['an empty message', { message: '' }],
    ['a message over 4 KB', { message: 'a'.repeat(4097) }],
    ['no signature', { signature: undefined }],
    ['a signature that is a list', { signature: [] }],
    ['a signature without 0x', { signature: 'ab'.repeat(65) }],
    ['a signature of half a byte', { signature: '0xabc' }],
    ['a signature that is not hex', { signature: `0x${'zz'.repeat(65)}` }],
    ['a signature with a line break', { signature: `0x${'ab'.repeat(65)}\n` }],
    ['a ttl below an hour', { ttlInSeconds: 3599 }],
    ['a ttl above a day', { ttlInSeconds: 86_401 }],
    ['a ttl with a fraction', { ttlInSeconds: 3600.5 }],
    ['a ttl in quotes', { ttlInSeconds: '3600' }],
    ['a ttl that is null', { ttlInSeconds: null }],
  ])('a challenge with %s gets 400 and keeps the nonce', async (_name, change) => {
    const text = compose()
    const body = { message: text, signature: await wallet.signMessage({ message: text }), ...change }
    const answer = await service.request('POST', challengePath, { body })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(validationBody(expect.stringMatching(/^body/)))
    await expectNonceUnused()
  })

  test.each(['[]', '"text"', 'null', '1'])('a challenge with the JSON body %s gets 400', async (body) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await service.request('POST', challengePath, { body, headers })
    expect([answer.status, answer.body]).toEqual([400, validationBody(expect.any(String))])
  })

  test('a challenge without a body gets 400', async () => {
    const answer = await service.request('POST', challengePath)
    expect([answer.status, answer.body]).toEqual([400, validationBody(expect.any(String))])
  })

  test.each([
    ['another version', { version: 'Version: 2' }],
    ['a trailing line', { resource: '- https://app.example.com\n' }],
    ['a carriage return', { version: 'Version: 1\r' }],
    ['a repeated line', { version: 'Version: 1\nVersion: 1' }],
    ['a time that does not exist', { issuedAt: 'Issued At: 2026-02-30T00:00:00Z' }],
    ['chain 0', { chainId: 'Chain ID: 0' }],
    ['a missing nonce', { nonce: null }],
  ])('a sign-in message with %s gets 400 and keeps the nonce', async (_name, change) => {
    const answer = await challenge(compose(change))
    expect([answer.status, answer.body]).toEqual([
      400,
      validationBody(expect.stringMatching(/^body\/message line \d+ must be /)),
    ])
    await expectNonceUnused()
  })
})

test('a challenge with a body over 32 KB gets 413, and one with another content type gets 415', async () => {
  const large = await service.request('POST', challengePath, { body: { message: 'a', padding: 'a'.repeat(32 * 1024) } })
  expect([large.status, large.text]).toEqual([413, '{"success":false,"error":"PAYLOAD_TOO_LARGE"}'])
  const text = await service.request('POST', challengePath, { body: '{}', headers: { 'content-type': 'text/plain' } })
  expect([text.status, text.text]).toEqual([415, '{"success":false,"error":"UNSUPPORTED_MEDIA_TYPE"}'])
})

describe('sign-in nonces', () => {
  test('a sign-in nonce works only once', async () => {
    const text = compose()
    expect((await challenge(text)).status).toBe(200)
    expectRefused(await challenge(text), 'NONCE_USED')
    expectRefused(await challenge(compose({ statement: 'Another message' })), 'NONCE_USED')
  })

  test('a nonce that the service did not make is rejected without a write', async () => {
    const before = await rowsOf('used_nonce')
    const foreign = makeNonce([createSecretKey(randomBytes(32))], new Date(Date.now() + 600_000))
    for (const other of ['32891757', 'n0123456789abcdef', foreign, nonce.toUpperCase(), `${nonce}0`]) {
      expectRefused(await challenge(compose({ nonce: `Nonce: ${other}` })), 'INVALID_NONCE')
    }
    expect(await rowsOf('used_nonce')).toBe(before)
  })

  test('a sign-in nonce expires after ten minutes and is then rejected without a write', async () => {
    ahead = 595
    expect((await challenge(compose())).status).toBe(200)
    nonce = await newNonce()
    const before = await rowsOf('used_nonce')
    ahead = 595 + 601
    expectRefused(await challenge(compose()), 'NONCE_EXPIRED')
    expect(await rowsOf('used_nonce')).toBe(before)
  })

  test('a used sign-in nonce is deleted only after its expiry', async () => {
    const isStored = async () =>
      (await service.ctx.db.query('select nonce from used_nonce where nonce = $1', [nonce])).length > 0
    expectRefused(await challenge(compose(), {}, newWallet()), 'INVALID_SIGNATURE')
    ahead = 590
    await deleteOldNonces(service.ctx)
    expectRefused(await challenge(compose()), 'NONCE_USED')
    expect(await isStored()).toBe(true)
    ahead = 1300
    await deleteOldNonces(service.ctx)
    expectRefused(await challenge(compose()), 'NONCE_EXPIRED')
    expect(await isStored()).toBe(false)
  })

  test('of twenty concurrent challenges with one nonce, exactly one succeeds', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => challenge(compose({ requestId: `Request ID: ${i}` }))),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const answer of answers.filter(({ status }) => status !== 200)) expectRefused(answer, 'NONCE_USED')
  })
})

describe('sign-in domains', () => {
  test.each(['localhost', 'localhost:3000', 'localhost:65535', 'https://localhost:3000', 'http://localhost'])(
    'the sign-in domain %s is always accepted',
    async (domain) => {
      expect((await challenge(compose({ domain }))).status).toBe(200)
    },
  )

  test.each([
    'app.example.com',
    '127.0.0.1',
    '127.0.0.1:3000',
    '[::1]',
    '0.0.0.0',
    '2130706433',
    'app.localhost',
    'localhost.',
    'LOCALHOST',
    'localhost:',
    'localhost:99999',
    'localhost.example.com',
    'me@localhost',
    'localhost@evil.example',
    'localhost%2eexample.com',
    'xn--localhost',
  ])('the sign-in domain %s is rejected and uses up the nonce', async (domain) => {
    expectRefused(await challenge(compose({ domain })), 'DOMAIN_NOT_ALLOWED')
    expectRefused(await challenge(compose()), 'NONCE_USED')
  })

  test('a registered sign-in domain is accepted only in its exact spelling', async () => {
    await registerDomain(service.ctx, 'wallet.example.com')
    await registerDomain(service.ctx, '127.0.0.1')
    expect((await challenge(compose({ domain: 'wallet.example.com' }))).status).toBe(200)
    nonce = await newNonce()
    expect((await challenge(compose({ domain: '127.0.0.1' }))).status).toBe(200)
    for (const domain of [
      'Wallet.example.com',
      'wallet.example.com:443',
      'wallet.example.com.',
      'a.wallet.example.com',
      'example.com',
      'me@wallet.example.com',
      '127.0.0.1:80',
      '127.1',
      '[::ffff:127.0.0.1]',
    ]) {
      nonce = await newNonce()
      expectRefused(await challenge(compose({ domain })), 'DOMAIN_NOT_ALLOWED')
    }
    await removeDomain(service.ctx, 'wallet.example.com')
    nonce = await newNonce()
    expectRefused(await challenge(compose({ domain: 'wallet.example.com' })), 'DOMAIN_NOT_ALLOWED')
  })

  test('a sign-in depends only on the domain of the message, not on its URI or the Origin and forwarding headers', async () => {
    const headers = {
      origin: 'https://evil.example',
      'x-forwarded-host': 'evil.example',
      forwarded: 'host=evil.example',
      referer: 'https://evil.example/',
    }
    const allowed = compose({ uri: 'URI: https://elsewhere.example/' })
    const signature = await wallet.signMessage({ message: allowed })
    const passed = await service.request('POST', challengePath, { body: { message: allowed, signature }, headers })
    expect(passed.status).toBe(200)

    nonce = await newNonce()
    const denied = compose({ domain: 'evil.example', uri: 'URI: http://localhost/' })
    const body = { message: denied, signature: await wallet.signMessage({ message: denied }) }
    const local = { origin: 'http://localhost', 'x-forwarded-host': 'localhost', forwarded: 'host=localhost' }
    expectRefused(await service.request('POST', challengePath, { body, headers: local }), 'DOMAIN_NOT_ALLOWED')
  })
})

describe('times of sign-in messages', () => {
  const from = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()

  test('a sign-in message is accepted between its Not Before and Expiration Time', async () => {
    const answer = await challenge(
      compose({ expirationTime: `Expiration Time: ${from(30)}`, notBefore: `Not Before: ${from(-30)}` }),
    )
    expect(answer.status).toBe(200)
  })

  test.each([
    [
      'expired',
      () => ({ issuedAt: `Issued At: ${from(-60)}`, expirationTime: `Expiration Time: ${from(-1)}` }),
      'MESSAGE_EXPIRED',
    ],
    [
      'never valid',
      () => ({ expirationTime: `Expiration Time: ${from(20)}`, notBefore: `Not Before: ${from(30)}` }),
      'MESSAGE_EXPIRED',
    ],
    ['issued two minutes ahead', () => ({ issuedAt: `Issued At: ${from(120)}` }), 'MESSAGE_NOT_YET_VALID'],
    [
      'not valid until two minutes from now',
      () => ({ notBefore: `Not Before: ${from(120)}` }),
      'MESSAGE_NOT_YET_VALID',
    ],
  ] as const)('a sign-in message that is %s is rejected and uses up the nonce', async (_name, times, code) => {
    expectRefused(await challenge(compose(times())), code)
    expectRefused(await challenge(compose()), 'NONCE_USED')
  })

  test('the times of a sign-in message are compared with the clock of the service', async () => {
    const text = compose({ expirationTime: `Expiration Time: ${from(60)}` })
    ahead = 61
    expectRefused(await challenge(text), 'MESSAGE_EXPIRED')
  })
})

describe('signatures by a key', () => {
  test('a sign-in signature of another wallet is rejected and uses up the nonce', async () => {
    expectRefused(await challenge(compose(), {}, newWallet()), 'INVALID_SIGNATURE')
    expectRefused(await challenge(compose()), 'NONCE_USED')
  })

  test('a sign-in signature of another message is rejected', async () => {
    const signature = await wallet.signMessage({ message: compose() })
    const body = { message: compose({ statement: 'Something else' }), signature }
    expectRefused(await service.request('POST', challengePath, { body }), 'INVALID_SIGNATURE')
  })

  test('a sign-in signature with a high s is rejected as a second encoding of the same signature', async () => {
    const text = compose()
    const signature = await wallet.signMessage({ message: text })
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const mirrored = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0')
    const body = {
      message: text,
      signature: signature.slice(0, 66) + mirrored + (signature.endsWith('1b') ? '1c' : '1b'),
    }
    expectRefused(await service.request('POST', challengePath, { body }), 'INVALID_SIGNATURE')
  })

  test.each([
    ['65 bytes that no wallet produced', `0x${'11'.repeat(65)}`, 'INVALID_SIGNATURE'],
    ['no bytes', '0x', 'CHAIN_NOT_SUPPORTED'],
    ['64 bytes', `0x${'11'.repeat(64)}`, 'CHAIN_NOT_SUPPORTED'],
    ['1,000 bytes', `0x${'11'.repeat(1000)}`, 'CHAIN_NOT_SUPPORTED'],
  ] as const)('a sign-in signature of %s is rejected on a chain without RPC', async (_name, signature, code) => {
    expectRefused(await service.request('POST', challengePath, { body: { message: compose(), signature } }), code)
    expectRefused(await challenge(compose()), 'NONCE_USED')
    expect(asked).toEqual([])
  })
})

describe('contract signatures', () => {
  const onChain = (changes: Changes = {}) => compose({ chainId: `Chain ID: ${contractChain}`, ...changes })
  const signedAs = (text: string, signature: Hex = '0x1234') =>
    service.request('POST', challengePath, { body: { message: text, signature } })

  test('a contract signature that the contract accepts signs in', async () => {
    answerOfChain = () => true
    const answer = await signedAs(onChain())
    expect(answer.status).toBe(200)
    expect(decodeJwt(answer.body.token)).toMatchObject({ signerAddress: wallet.address, chainId: '100' })
    expect(asked).toEqual([
      {
        client: '127.0.0.1',
        isKnown: false,
        chainId: contractChain,
        address: wallet.address,
        signature: '0x1234',
        hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      },
    ])
  })

  test('a 65-byte contract signature that the contract accepts signs in', async () => {
    answerOfChain = () => true
    expect((await signedAs(onChain(), `0x${'11'.repeat(65)}`)).status).toBe(200)
  })

  test('a contract signature that the contract rejects uses up the nonce', async () => {
    answerOfChain = () => false
    expectRefused(await signedAs(onChain()), 'INVALID_SIGNATURE')
    expectRefused(await challenge(onChain()), 'NONCE_USED')
  })

  test('an unreachable chain causes a 502, and the same contract signature works afterwards', async () => {
    answerOfChain = () => {
      throw new UpstreamError('signatures', 'unavailable', new Error('rate limited'))
    }
    const answer = await signedAs(onChain())
    expect([answer.status, answer.text]).toEqual([502, '{"success":false,"error":"UPSTREAM_FAILURE"}'])
    answerOfChain = () => true
    expect((await signedAs(onChain())).status).toBe(200)
  })

  test('a sign-in nonce allows three contract checks, even with parallel attempts', async () => {
    answerOfChain = () => {
      throw new UpstreamError('signatures', 'unavailable', new Error('timeout'))
    }
    const answers = await Promise.all(Array.from({ length: 10 }, () => signedAs(onChain())))
    expect(asked).toHaveLength(3)
    expect(answers.filter(({ status }) => status === 502)).toHaveLength(3)
    for (const answer of answers.filter(({ status }) => status !== 502)) expectRefused(answer, 'NONCE_USED')
  })

  test('a used sign-in nonce is rejected before the chain is called', async () => {
    await challenge(onChain())
    expectRefused(await signedAs(onChain()), 'NONCE_USED')
    expect(asked).toEqual([])
  })

  test('a message with a rejected domain is rejected before the chain is called', async () => {
    expectRefused(await signedAs(onChain({ domain: 'evil.example' })), 'DOMAIN_NOT_ALLOWED')
    expect(asked).toEqual([])
  })
})

test('the checks of a challenge run in this order: grammar, nonce, domain, times, signature', async () => {
  const wrong: [keyof typeof refusals, Changes][] = [
    ['INVALID_SIGNATURE', {}],
    ['MESSAGE_NOT_YET_VALID', { notBefore: `Not Before: ${new Date(Date.now() + 900_000).toISOString()}` }],
    ['MESSAGE_EXPIRED', { expirationTime: 'Expiration Time: 2020-01-01T00:00:00Z' }],
    ['DOMAIN_NOT_ALLOWED', { domain: 'evil.example' }],
    ['INVALID_NONCE', { nonce: 'Nonce: 12345678' }],
  ]
  let changes: Changes = {}
  for (const [code, change] of wrong) {
    nonce = await newNonce()
    changes = { ...changes, ...change }
    expectRefused(await challenge(compose(changes), {}, newWallet()), code)
  }
  const answer = await challenge(compose({ ...changes, version: 'Version: 2' }), {}, newWallet())
  expect(answer.status).toBe(400)
})
