import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, connect, type MessageFields, newWallet, signInMessage, type Wallet } from './client.ts'
import { expectValidation, plain } from './shapes.ts'

let client: Client
beforeAll(async () => {
  client = await connect()
})
afterAll(() => client.stop())

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()

async function challenge(message: string, signature: string, more: Record<string, unknown> = {}) {
  return client.request('POST', '/api/v1/auth/challenge', { body: { message, signature, ...more } })
}

async function signed(wallet: Wallet, fields: Partial<MessageFields> = {}, more: Record<string, unknown> = {}) {
  const message = signInMessage({ address: wallet.address, nonce: fields.nonce ?? (await client.nonce()), ...fields })
  return challenge(message, await wallet.signMessage({ message }), more)
}

function expectRejected(answer: { status: number; body: any }, code: string) {
  expect(answer).toMatchObject({ status: 401, body: { success: false, error: code, message: expect.any(String) } })
}

describe('a nonce is valid for one sign-in', () => {
  test('a nonce is plain text that begins with a letter, for every Accept header', async () => {
    for (const accept of ['*/*', 'application/json', 'text/html']) {
      const answer = await client.request('GET', '/api/v1/auth/nonce', { headers: { accept } })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.text).toMatch(/^[A-Za-z][A-Za-z0-9]{16,}$/)
    }
  })

  test('fifty requests return fifty different nonces', async () => {
    const nonces = await Promise.all(Array.from({ length: 50 }, client.nonce))
    expect(new Set(nonces).size).toBe(50)
  })

  test('of twenty parallel sign-ins with one nonce, one succeeds', async () => {
    const wallet = newWallet()
    const message = signInMessage({ address: wallet.address, nonce: await client.nonce() })
    const signature = await wallet.signMessage({ message })
    const answers = await Promise.all(Array.from({ length: 20 }, () => challenge(message, signature)))
    const rejected = answers.filter(({ status }) => status !== 200)
    expect(rejected).toHaveLength(19)
    for (const answer of rejected) expectRejected(answer, 'NONCE_USED')
  })

  test('an invented nonce and an altered nonce are rejected', async () => {
    const nonce = await client.nonce()
    expectRejected(await signed(newWallet(), { nonce: 'abcdefghijklmnopqrst' }), 'INVALID_NONCE')
    const last = nonce.endsWith('0') ? '1' : '0'
    expectRejected(await signed(newWallet(), { nonce: nonce.slice(0, -1) + last }), 'INVALID_NONCE')
    expect((await signed(newWallet(), { nonce })).status).toBe(200)
  })

  test('a rejected sign-in uses up its nonce, and a malformed request does not', async () => {
    const [rejected, malformed] = [await client.nonce(), await client.nonce()]
    expectRejected(await signed(newWallet(), { nonce: rejected, domain: 'evil.example' }), 'DOMAIN_NOT_ALLOWED')
    expectRejected(await signed(newWallet(), { nonce: rejected }), 'NONCE_USED')
    expectValidation(await signed(newWallet(), { nonce: malformed, version: '2' }))
    expectValidation(await signed(newWallet(), { nonce: malformed }, { ttlInSeconds: 1 }))
    expect((await signed(newWallet(), { nonce: malformed })).status).toBe(200)
  })
})

describe('an access token authenticates the wallet that signed in', () => {
  test('a user’s access token contains the signer and the lifetime, and verifies with the published keys', async () => {
    const user = await client.newUser()
    const answer = await signed(user.wallet, { chainId: '137' }, { ttlInSeconds: 86_400 })
    expect(Object.keys(answer.body)).toEqual(['token'])
    const keys = createRemoteJWKSet(new URL(`${client.url}/.well-known/jwks.json`))
    const { payload } = await jwtVerify(answer.body.token, keys, { algorithms: ['EdDSA', 'ES256'] })
    expect(payload).toEqual({
      sub: user.userId,
      userId: user.userId,
      accessId: expect.any(String),
      signerAddress: user.wallet.address,
      chainId: '137',
      hasSignedUp: true,
      iss: expect.any(String),
      aud: expect.toBeOneOf([expect.any(String), expect.any(Array)]),
      iat: expect.any(Number),
      exp: Number(payload.iat) + 86_400,
      jti: expect.any(String),
    })
    expect(decodeProtectedHeader(answer.body.token).kid).toEqual(expect.any(String))
  })

  test('an access token lives one hour by default, and between one hour and a day on request', async () => {
    const lifetime = async (more: Record<string, unknown>) => {
      const { body } = await signed(newWallet(), {}, more)
      const { exp, iat } = JSON.parse(Buffer.from(body.token.split('.')[1], 'base64url').toString())
      return exp - iat
    }
    expect(await lifetime({})).toBe(3600)
    expect(await lifetime({ ttlInSeconds: 3600 })).toBe(3600)
    for (const ttlInSeconds of [3599, 86_401, 3600.5, '3600', null, -1, 1e21]) {
      expectValidation(await signed(newWallet(), {}, { ttlInSeconds }))
    }
  })

  test('the access token of a wallet without a user is rejected by the user’s routes', async () => {
    const wallet = newWallet()
    const token = await client.signIn(wallet)
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    expect(claims).toMatchObject({ signerAddress: wallet.address, hasSignedUp: false })
    expect(claims).not.toHaveProperty('userId')
    expect(claims).not.toHaveProperty('sub')
    for (const path of ['/user/statement', '/user/balances/v2', '/user/deposits', '/user/withdrawals', '/phone']) {
      const answer = await client.request('GET', path, { token })
      expect([answer.status, answer.body]).toEqual([401, plain('NOT_REGISTERED')])
    }
    const iban = await client.request('GET', '/api/v1/ibans/available', { token })
    expect([iban.status, Object.keys(iban.body)]).toEqual([401, ['message']])
  })

  test('a missing, truncated, altered or unsigned access token gets 401, as does another scheme', async () => {
    const { token } = await client.newUser()
    const [header = '', payload = '', signature = ''] = token.split('.')
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const bad = [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      `Basic ${token}`,
      `Bearer ${token} ${token}`,
      `Bearer ${header}.${payload}.`,
      `Bearer ${header}.${encode({ ...claims, exp: claims.exp + 1 })}.${signature}`,
      `Bearer ${encode({ alg: 'none' })}.${payload}.`,
      `Bearer ${encode({ alg: 'HS256' })}.${payload}.${signature}`,
      `Bearer ${'a'.repeat(7000)}`,
    ]
    for (const authorization of bad) {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
      expect((await client.request('GET', '/cards', { headers })).status, authorization).toBe(401)
    }
    expect((await client.request('GET', '/cards', { headers: { authorization: `Bearer ${token}` } })).status).toBe(200)
  })
})

describe('the sign-in message is checked completely', () => {
  test('a sign-in message may name localhost with any port, but no unregistered domain', async () => {
    for (const domain of ['localhost', 'localhost:3000', 'https://localhost:8443']) {
      expect((await signed(newWallet(), { domain })).status, domain).toBe(200)
    }
    for (const domain of ['127.0.0.1', '127.0.0.1:3000', 'app.localhost', 'localhost.example', 'example.com']) {
      expectRejected(await signed(newWallet(), { domain }), 'DOMAIN_NOT_ALLOWED')
    }
  })

  test('an allowed Origin header does not make the domain of a sign-in message valid, and the URI may name another host', async () => {
    const wallet = newWallet()
    const message = signInMessage({ address: wallet.address, nonce: await client.nonce(), domain: 'evil.example' })
    const rejected = await client.request('POST', '/api/v1/auth/challenge', {
      body: { message, signature: await wallet.signMessage({ message }) },
      headers: { origin: 'http://localhost' },
    })
    expectRejected(rejected, 'DOMAIN_NOT_ALLOWED')
    expect((await signed(wallet, { uri: 'https://elsewhere.example/path' })).status).toBe(200)
  })

  test('the expiry of a sign-in message has no tolerance, and its other times have one minute', async () => {
    const cases: [Partial<MessageFields>, string | null][] = [
      [{ issuedAt: inSeconds(-60), expirationTime: inSeconds(-1) }, 'MESSAGE_EXPIRED'],
      [{ expirationTime: inSeconds(60) }, null],
      [{ notBefore: inSeconds(120) }, 'MESSAGE_NOT_YET_VALID'],
      [{ notBefore: inSeconds(30) }, null],
      [{ issuedAt: inSeconds(120) }, 'MESSAGE_NOT_YET_VALID'],
      [{ issuedAt: inSeconds(30) }, null],
    ]
    for (const [fields, code] of cases) {
      const answer = await signed(newWallet(), fields)
      if (code === null) expect(answer.status, JSON.stringify(fields)).toBe(200)
      else expectRejected(answer, code)
    }
  })

  test('a sign-in message is checked in the order nonce, domain, times, signature', async () => {
    const late = { issuedAt: inSeconds(-60), expirationTime: inSeconds(-1) }
    const everything = { nonce: 'abcdefghijklmnopqrst', domain: 'evil.example', ...late, address: newWallet().address }
    expectRejected(await signed(newWallet(), everything), 'INVALID_NONCE')
    const nonce = () => client.nonce()
    expectRejected(await signed(newWallet(), { ...everything, nonce: await nonce() }), 'DOMAIN_NOT_ALLOWED')
    const { domain: _domain, ...known } = everything
    expectRejected(await signed(newWallet(), { ...known, nonce: await nonce() }), 'MESSAGE_EXPIRED')
    expectRejected(await signed(newWallet(), { address: newWallet().address }), 'INVALID_SIGNATURE')
  })

  test.each<[string, (message: string) => string]>([
    ['CRLF line endings', (message) => message.replaceAll('\n', '\r\n')],
    ['a newline at the end', (message) => `${message}\n`],
    ['trailing text', (message) => `${message}\nI agree`],
    ['another version', (message) => message.replace('Version: 1', 'Version: 2')],
    ['no version', (message) => message.replace('Version: 1\n', '')],
    ['an address in lower case', (message) => message.replace(/0x[0-9a-fA-F]{40}/, (text) => text.toLowerCase())],
    ['a chain id with a leading zero', (message) => message.replace('Chain ID: 1', 'Chain ID: 01')],
    ['a chain id of zero', (message) => message.replace('Chain ID: 1', 'Chain ID: 0')],
    ['a day that does not exist', (message) => message.replace(/Issued At: .*/, 'Issued At: 2026-02-30T00:00:00Z')],
    ['a time in words', (message) => message.replace(/Issued At: .*/, 'Issued At: yesterday')],
    ['no issued-at', (message) => message.replace(/\nIssued At: .*/, '')],
    ['a duplicate line', (message) => message.replace('Version: 1', 'Version: 1\nVersion: 1')],
    ['lines in another order', (message) => message.replace('Version: 1\nChain ID: 1', 'Chain ID: 1\nVersion: 1')],
    ['an unknown line', (message) => message.replace('Version: 1', 'Version: 1\nColour: red')],
    ['a short nonce', (message) => message.replace(/Nonce: .*/, 'Nonce: abc')],
  ])('a sign-in message with %s gets a validation error', async (_what, alter) => {
    const wallet = newWallet()
    const message = alter(signInMessage({ address: wallet.address, nonce: await client.nonce() }))
    expectValidation(await challenge(message, await wallet.signMessage({ message })))
  })

  test('a sign-in message may contain all optional lines', async () => {
    const wallet = newWallet()
    const message = signInMessage({ address: wallet.address, nonce: await client.nonce() })
      .replace('\n\n\n', '\n\nI accept the terms: https://example.com/terms\n\n')
      .concat('\nRequest ID: some-request-1\nResources:\n- https://example.com/one\n- ipfs://two')
    expect((await challenge(message, await wallet.signMessage({ message }))).status).toBe(200)
  })
})

describe('the signature of a sign-in message is checked strictly', () => {
  test('the recovery byte of a signature may be 0 or 1 as well as 27 or 28', async () => {
    const wallet = newWallet()
    const message = signInMessage({ address: wallet.address, nonce: await client.nonce() })
    const signature = await wallet.signMessage({ message })
    const parity = signature.endsWith('1b') ? '00' : '01'
    expect((await challenge(message, signature.slice(0, -2) + parity)).status).toBe(200)
  })

  test('a signature with a high s value is rejected as malleable', async () => {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const wallet = newWallet()
    const message = signInMessage({ address: wallet.address, nonce: await client.nonce() })
    const signature = await wallet.signMessage({ message })
    const high = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0')
    const flipped = signature.endsWith('1b') ? '1c' : '1b'
    expectRejected(await challenge(message, signature.slice(0, 66) + high + flipped), 'INVALID_SIGNATURE')
  })

  test('a contract signature for a chain without a node is rejected', async () => {
    const wallet = newWallet()
    const message = signInMessage({ address: wallet.address, nonce: await client.nonce(), chainId: '987654321' })
    expectRejected(await challenge(message, `0x${'ab'.repeat(97)}`), 'CHAIN_NOT_SUPPORTED')
  })

  test('a signature that is not hexadecimal gets a validation error', async () => {
    const message = signInMessage({ address: newWallet().address, nonce: await client.nonce() })
    for (const signature of ['', 'ab', '0xabc', '0xzz', ` 0x${'ab'.repeat(65)}`]) {
      expectValidation(await challenge(message, signature))
    }
  })
})

test('a challenge with missing fields or a long message gets a validation error, and a large one gets 413', async () => {
  for (const body of [{}, { message: 'x' }, { signature: '0x' }, { message: 1, signature: '0x' }, [], 'null', '"x"']) {
    expectValidation(await client.request('POST', '/api/v1/auth/challenge', { body }))
  }
  expectValidation(await challenge('x'.repeat(4097), '0x00'))
  expect((await challenge('x'.repeat(33 * 1024), '0x00')).status).toBe(413)
})
