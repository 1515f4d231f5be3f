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

function expectRefused(answer: { status: number; body: any }, code: string) {
  expect(answer).toMatchObject({ status: 401, body: { success: false, error: code, message: expect.any(String) } })
}

describe('the nonce', () => {
  test('is a bare text that no client mistakes for a number, whatever it accepts', async () => {
    for (const accept of ['*/*', 'application/json', 'text/html']) {
      const answer = await client.request('GET', '/api/v1/auth/nonce', { headers: { accept } })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.text).toMatch(/^[A-Za-z][A-Za-z0-9]{16,}$/)
    }
  })

  test('is new each time', async () => {
    const nonces = await Promise.all(Array.from({ length: 50 }, client.nonce))
    expect(new Set(nonces).size).toBe(50)
  })

  test('is for one sign-in: of twenty simultaneous ones a single one succeeds', async () => {
    const wallet = newWallet()
    const message = signInMessage({ address: wallet.address, nonce: await client.nonce() })
    const signature = await wallet.signMessage({ message })
    const answers = await Promise.all(Array.from({ length: 20 }, () => challenge(message, signature)))
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused).toHaveLength(19)
    for (const answer of refused) expectRefused(answer, 'NONCE_USED')
  })

  test('of our own making is refused, and so is one with a single character changed', async () => {
    const nonce = await client.nonce()
    expectRefused(await signed(newWallet(), { nonce: 'abcdefghijklmnopqrst' }), 'INVALID_NONCE')
    const last = nonce.endsWith('0') ? '1' : '0'
    expectRefused(await signed(newWallet(), { nonce: nonce.slice(0, -1) + last }), 'INVALID_NONCE')
    expect((await signed(newWallet(), { nonce })).status).toBe(200)
  })

  test('is used up by a refusal, but not by a malformed request', async () => {
    const [refused, malformed] = [await client.nonce(), await client.nonce()]
    expectRefused(await signed(newWallet(), { nonce: refused, domain: 'evil.example' }), 'DOMAIN_NOT_ALLOWED')
    expectRefused(await signed(newWallet(), { nonce: refused }), 'NONCE_USED')
    expectValidation(await signed(newWallet(), { nonce: malformed, version: '2' }))
    expectValidation(await signed(newWallet(), { nonce: malformed }, { ttlInSeconds: 1 }))
    expect((await signed(newWallet(), { nonce: malformed })).status).toBe(200)
  })
})

describe('the access token', () => {
  test('of a user says who signed, for how long, and is verified with the published keys', async () => {
    const user = await client.newUser()
    const answer = await signed(user.wallet, { chainId: '137' }, { ttlInSeconds: 86_400 })
    expect(Object.keys(answer.body)).toEqual(['token'])
    const keys = createRemoteJWKSet(new URL(`${client.url}/.well-known/jwks.json`))
    const { payload } = await jwtVerify(answer.body.token, keys, { algorithms: ['EdDSA', 'ES256'] })
    expect(payload).toEqual({
      sub: user.userId,
      userId: user.userId,
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

  test('lives an hour unless asked otherwise, between one hour and a day', async () => {
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

  test('of a wallet that belongs to no user opens registration only', async () => {
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

  test('is refused when it is missing, of another scheme, cut, changed, unsigned or signed by another key', async () => {
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

describe('the message', () => {
  test('may name localhost with or without a port, and no other domain that nobody registered', async () => {
    for (const domain of ['localhost', 'localhost:3000', 'https://localhost:8443']) {
      expect((await signed(newWallet(), { domain })).status, domain).toBe(200)
    }
    for (const domain of ['127.0.0.1', '127.0.0.1:3000', 'app.localhost', 'localhost.example', 'example.com']) {
      expectRefused(await signed(newWallet(), { domain }), 'DOMAIN_NOT_ALLOWED')
    }
  })

  test('is not helped by an Origin, and its URI may name another host', async () => {
    const wallet = newWallet()
    const message = signInMessage({ address: wallet.address, nonce: await client.nonce(), domain: 'evil.example' })
    const refused = await client.request('POST', '/api/v1/auth/challenge', {
      body: { message, signature: await wallet.signMessage({ message }) },
      headers: { origin: 'http://localhost' },
    })
    expectRefused(refused, 'DOMAIN_NOT_ALLOWED')
    expect((await signed(wallet, { uri: 'https://elsewhere.example/path' })).status).toBe(200)
  })

  test('has its times kept: expired without grace, not before and issued at with a minute', async () => {
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
      else expectRefused(answer, code)
    }
  })

  test('is judged in order: nonce, domain, times, signature', async () => {
    const late = { issuedAt: inSeconds(-60), expirationTime: inSeconds(-1) }
    const everything = { nonce: 'abcdefghijklmnopqrst', domain: 'evil.example', ...late, address: newWallet().address }
    expectRefused(await signed(newWallet(), everything), 'INVALID_NONCE')
    const nonce = () => client.nonce()
    expectRefused(await signed(newWallet(), { ...everything, nonce: await nonce() }), 'DOMAIN_NOT_ALLOWED')
    const { domain: _domain, ...known } = everything
    expectRefused(await signed(newWallet(), { ...known, nonce: await nonce() }), 'MESSAGE_EXPIRED')
    expectRefused(await signed(newWallet(), { address: newWallet().address }), 'INVALID_SIGNATURE')
  })

  test.each<[string, (message: string) => string]>([
    ['CRLF line ends', (message) => message.replaceAll('\n', '\r\n')],
    ['a line end at the end', (message) => `${message}\n`],
    ['trailing text', (message) => `${message}\nI agree`],
    ['another version', (message) => message.replace('Version: 1', 'Version: 2')],
    ['no version', (message) => message.replace('Version: 1\n', '')],
    ['an address in lower case', (message) => message.replace(/0x[0-9a-fA-F]{40}/, (text) => text.toLowerCase())],
    ['a chain id with a leading zero', (message) => message.replace('Chain ID: 1', 'Chain ID: 01')],
    ['a chain id of zero', (message) => message.replace('Chain ID: 1', 'Chain ID: 0')],
    ['a day that does not exist', (message) => message.replace(/Issued At: .*/, 'Issued At: 2026-02-30T00:00:00Z')],
    ['a time in words', (message) => message.replace(/Issued At: .*/, 'Issued At: yesterday')],
    ['no issued-at', (message) => message.replace(/\nIssued At: .*/, '')],
    ['a line twice', (message) => message.replace('Version: 1', 'Version: 1\nVersion: 1')],
    ['lines in another order', (message) => message.replace('Version: 1\nChain ID: 1', 'Chain ID: 1\nVersion: 1')],
    ['an unknown line', (message) => message.replace('Version: 1', 'Version: 1\nColour: red')],
    ['a short nonce', (message) => message.replace(/Nonce: .*/, 'Nonce: abc')],
  ])('with %s is malformed', async (_what, alter) => {
    const wallet = newWallet()
    const message = alter(signInMessage({ address: wallet.address, nonce: await client.nonce() }))
    expectValidation(await challenge(message, await wallet.signMessage({ message })))
  })

  test('may carry all of the optional lines', async () => {
    const wallet = newWallet()
    const message = signInMessage({ address: wallet.address, nonce: await client.nonce() })
      .replace('\n\n\n', '\n\nI accept the terms: https://example.com/terms\n\n')
      .concat('\nRequest ID: some-request-1\nResources:\n- https://example.com/one\n- ipfs://two')
    expect((await challenge(message, await wallet.signMessage({ message }))).status).toBe(200)
  })
})

describe('the signature', () => {
  test('may end in 0 or 1 as well as 27 or 28', async () => {
    const wallet = newWallet()
    const message = signInMessage({ address: wallet.address, nonce: await client.nonce() })
    const signature = await wallet.signMessage({ message })
    const parity = signature.endsWith('1b') ? '00' : '01'
    expect((await challenge(message, signature.slice(0, -2) + parity)).status).toBe(200)
  })

  test('with a high s is another form of the same signature and is refused', async () => {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const wallet = newWallet()
    const message = signInMessage({ address: wallet.address, nonce: await client.nonce() })
    const signature = await wallet.signMessage({ message })
    const high = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0')
    const flipped = signature.endsWith('1b') ? '1c' : '1b'
    expectRefused(await challenge(message, signature.slice(0, 66) + high + flipped), 'INVALID_SIGNATURE')
  })

  test('of a contract cannot be checked on a chain without a node', async () => {
    const wallet = newWallet()
    const message = signInMessage({ address: wallet.address, nonce: await client.nonce(), chainId: '987654321' })
    expectRefused(await challenge(message, `0x${'ab'.repeat(97)}`), 'CHAIN_NOT_SUPPORTED')
  })

  test('that is no hex is malformed', async () => {
    const message = signInMessage({ address: newWallet().address, nonce: await client.nonce() })
    for (const signature of ['', 'ab', '0xabc', '0xzz', ` 0x${'ab'.repeat(65)}`]) {
      expectValidation(await challenge(message, signature))
    }
  })
})

test('a challenge without its fields, too long or too large is told so', async () => {
  for (const body of [{}, { message: 'x' }, { signature: '0x' }, { message: 1, signature: '0x' }, [], 'null', '"x"']) {
    expectValidation(await client.request('POST', '/api/v1/auth/challenge', { body }))
  }
  expectValidation(await challenge('x'.repeat(4097), '0x00'))
  expect((await challenge('x'.repeat(33 * 1024), '0x00')).status).toBe(413)
})
