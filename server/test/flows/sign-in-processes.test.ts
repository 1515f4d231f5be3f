import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundled } from '../support/bundle.ts'
import { databaseUrl } from '../support/database-url.ts'
import { freePort } from '../support/free-port.ts'
import { processEnv } from '../support/process-env.ts'
import { createTestDatabase, httpClient, newWallet } from '../support/service.ts'
import { message } from '../support/vectors/eip-4361.ts'

const processes: ChildProcess[] = []
let env: NodeJS.ProcessEnv = {}
let urls: string[] = []

async function startProcess(): Promise<string> {
  const port = await freePort()
  const child = spawn(process.execPath, [bundled('main')], {
    env: { ...env, PORT: String(port), HOST: '127.0.0.1', BASE_URL: 'http://localhost:8080', LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  processes.push(child)
  let output = ''
  for await (const chunk of child.stdout) {
    output += chunk
    if (output.includes('Purser is ready')) break
  }
  return `http://127.0.0.1:${port}`
}

beforeAll(async () => {
  env = { ...processEnv, DATABASE_URL: databaseUrl(await createTestDatabase()) }
  urls = await Promise.all([startProcess(), startProcess()])
})

afterAll(async () => {
  for (const child of processes) {
    if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit')
  }
})

const operator = (...words: string[]) =>
  promisify(execFile)(process.execPath, [bundled('operator'), ...words], { env }).then(({ stdout }) => stdout)

async function signed(domain = 'localhost') {
  const wallet = newWallet()
  const nonce = (await httpClient(urls[0] ?? '').request('GET', '/api/v1/auth/nonce')).text
  const text = message({
    header: `${domain} wants you to sign in with your Ethereum account:`,
    address: wallet.address,
    nonce: `Nonce: ${nonce}`,
    issuedAt: `Issued At: ${new Date().toISOString()}`,
    expirationTime: null,
    notBefore: null,
  })
  return { message: text, signature: await wallet.signMessage({ message: text }) }
}

const challenge = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  httpClient(url).request('POST', '/api/v1/auth/challenge', { body, headers })

test('exactly one of 50 concurrent challenges with one message over two processes gets an access token', async () => {
  const body = await signed()
  const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => challenge(urls[i % 2] ?? '', body)))
  const codes = answers.map(({ status, body }) => (status === 200 ? 'token' : body.error)).sort()
  expect(codes).toEqual([...Array(49).fill('NONCE_USED'), 'token'])
})

test("two processes accept each other's access tokens and publish the same keys", async () => {
  const { body } = await challenge(urls[0] ?? '', await signed())
  const known = await httpClient(urls[1] ?? '').request('GET', '/user/balances/v2', { token: body.token })
  expect(known.body).toEqual({ success: false, error: 'NOT_REGISTERED' })
  const [here, there] = await Promise.all(urls.map((url) => httpClient(url).request('GET', '/.well-known/jwks.json')))
  expect(here?.body.keys).toHaveLength(1)
  expect(there?.text).toBe(here?.text)
})

test('an operator can register and remove a sign-in domain while the processes run', async () => {
  const domain = 'cards.example.com'
  expect((await challenge(urls[1] ?? '', await signed(domain))).body.error).toBe('DOMAIN_NOT_ALLOWED')
  expect(await operator('domain', 'add', domain, 'a new app')).toBe('cards.example.com is registered.\n')
  expect(await operator('domain', 'add', domain, 'a new app')).toBe('cards.example.com is already registered.\n')
  expect(await operator('domain', 'list')).toBe('cards.example.com\n')
  const status = async () => (await challenge(urls[1] ?? '', await signed(domain))).status
  await expect.poll(status).toBe(200)
  expect(await operator('domain', 'remove', domain, 'the app has ended')).toBe('cards.example.com is removed.\n')
  await expect.poll(status).toBe(401)
})

test('an operator can rotate and retire signing keys while the processes run', async () => {
  const token = (await challenge(urls[0] ?? '', await signed())).body.token
  const kids = async () =>
    (await httpClient(urls[1] ?? '').request('GET', '/.well-known/jwks.json')).body.keys.map(({ kid }: any) => kid)
  const [kid] = await kids()
  expect(await operator('keys', 'rotate', 'yearly')).toMatch(/^\S{43} {2}signs from \d{4}-/)
  await expect.poll(kids).toHaveLength(2)
  expect(await operator('keys', 'retire', kid, 'leaked')).toBe(`${kid} is retired.\n`)
  const refused = async () =>
    (await httpClient(urls[1] ?? '').request('GET', '/user/balances/v2', { token })).body.error
  await expect.poll(refused).toBe('INVALID_TOKEN')
  expect(await operator('keys', 'list')).toContain(`${kid}  signs from`)
  expect((await challenge(urls[0] ?? '', await signed())).status).toBe(200)
})

test.each([
  [['domain', 'add', 'https://cards.example.com', 'a new app'], 1, 'must be host or host:port'],
  [['domain', 'add'], 2, 'Usage:'],
  [['domain'], 2, 'Usage:'],
  [['keys', 'list', 'now'], 2, 'Usage:'],
  [['__proto__'], 2, 'Usage:'],
])('the operator command rejects the arguments %j with exit code %i', async (words, code, message) => {
  await expect(operator(...words)).rejects.toMatchObject({ code, stderr: expect.stringContaining(message) })
})
