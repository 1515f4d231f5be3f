import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { generatePrivateKey } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defaultDomain } from '../../../cli/src/context.ts'
import { useCli } from '../support/cli.ts'
import { withSeparateHosts } from '../support/console.ts'
import { useService } from '../support/service.ts'

/** A server of each kind that a person may name by mistake, and a Purser of another version. */
const paths = ['/health', '/sandbox/users']
const document = (shown: readonly string[]) =>
  JSON.stringify({ info: { title: 'Purser' }, paths: Object.fromEntries(shown.map((path) => [path, {}])) })
const strangers = {
  ...{ website: '<html></html>', other: document(paths), production: document(['/user/statement']) },
  ...{ proxy: document(paths), closed: '' },
}
const urls: Record<string, string> = {}
/** The requests that these servers have received. */
const seen: string[] = []
const servers = Object.entries(strangers).map(([name, text]) => ({
  name,
  server: createServer((request, response) => {
    seen.push(`${name} ${request.method} ${request.url}`)
    if (name === 'website') return response.end(text)
    if (name === 'closed') return response.writeHead(403).end('<html></html>')
    if (request.url === '/openapi.json') return response.setHeader('content-type', 'application/json').end(text)
    if (name === 'proxy') return response.writeHead(404).end('<html></html>')
    return response
      .writeHead(404, { 'content-type': 'application/json', 'x-request-id': 'none' })
      .end('{"success":false,"error":"NOT_FOUND"}')
  }),
}))

const service = useService(() => withSeparateHosts())
const cli = useCli(() => ({ PURSER_URL: service.url }))
beforeAll(async () => {
  for (const { name, server } of servers) {
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    urls[name] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
})
afterAll(() => {
  for (const { server } of servers) server.close().closeAllConnections()
})

/** The key of the sandbox's test operator. */
const operatorKey = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'
const publicKey = `whpk_${Buffer.alloc(32).toString('base64')}`

test.each<[string, string, Readonly<Record<string, string>>, 1 | 2, RegExp]>([
  ['an unknown command', 'sandbocks user', {}, 2, /^error: unknown command 'sandbocks'/],
  ['an unknown command of a group', 'operator users destroy', {}, 2, /Run "purser operator users --help" for help\.$/m],
  ['an unknown option', 'sandbox pay 1 --currancy EUR', {}, 2, /Did you mean --currency\?/],
  ['a body that is not JSON', "api POST /sandbox/clock --data '{x'", {}, 2, /^--data must be JSON, @file or -\.$/],
  [
    'a URL where no service responds',
    'sandbox user',
    { PURSER_URL: 'http://127.0.0.1:1' },
    1,
    /^No service responds at http:\/\/127\.0\.0\.1:1: .+\. Start one with "purser up", or set PURSER_URL\.$/,
  ],
  [
    'a server that is not Purser',
    'sandbox user',
    { PURSER_URL: 'website' },
    1,
    /is not a Purser service\. Check PURSER_URL\.$/,
  ],
  [
    'a service of another version',
    'api GET /user/statement',
    { PURSER_URL: 'other', PURSER_TOKEN: 'x' },
    1,
    /has no GET \/user\/statement\. It runs a different version from this command line, \d+\.\d+\.\d+\.$/,
  ],
  [
    'a service without operators',
    'api GET /operator/me',
    { PURSER_URL: 'other', PURSER_TOKEN: 'x' },
    1,
    /^The service at \S+ has no API of operators\. Set PURSER_CONSOLE_URL to the URL of its console\.$/,
  ],
  [
    'a proxy without the paths of operators',
    'api GET /operator/me',
    { PURSER_URL: 'proxy', PURSER_TOKEN: 'x' },
    1,
    /^The service at \S+ has no API of operators\. Set PURSER_CONSOLE_URL to the URL of its console\.$/,
  ],
  [
    'a proxy without a path of the service',
    'sandbox user',
    { PURSER_URL: 'proxy' },
    1,
    /^A proxy at \S+ rejects the request with 404, before it reaches Purser\. Check PURSER_URL, and .+ admits\.$/,
  ],
  [
    'a proxy that does not admit this network',
    'operator me',
    { PURSER_CONSOLE_URL: 'closed', PURSER_WALLET_KEY: generatePrivateKey() },
    1,
    /^A proxy at \S+ rejects the request with 403, .+ Check PURSER_CONSOLE_URL, and .+ admits\.$/,
  ],
  [
    'a service that is not a sandbox',
    'sandbox user',
    { PURSER_URL: 'production' },
    1,
    /is not a sandbox, so nothing can be simulated there\.$/,
  ],
  [
    'an invalid access token',
    'api GET /user',
    { PURSER_TOKEN: 'old' },
    1,
    /^The service rejects your access token \(INVALID_TOKEN\)\. Set PURSER_TOKEN/,
  ],
  [
    'an API key with a non-ASCII character',
    'events list',
    { PURSER_API_KEY: 'psk_ключ' },
    1,
    /^PURSER_API_KEY has a character that is not printable ASCII\. Copy the credential again\.$/,
  ],
  [
    'an access token with a non-ASCII character',
    'api GET /user',
    { PURSER_TOKEN: 'ключ' },
    1,
    /^PURSER_TOKEN has a character that is not printable ASCII\. Copy the credential again\.$/,
  ],
  [
    'an invalid private key',
    'token',
    { PURSER_WALLET_KEY: '0'.repeat(64) },
    1,
    /^PURSER_WALLET_KEY must be a private key of 64 hex digits\.$/,
  ],
  ['a path with two slashes', 'api GET //health', {}, 2, /^The path must begin with one slash, such as \/health\.$/],
  [
    'a configuration path that cannot be written',
    'config set url http://localhost',
    { PURSER_CONFIG: '/dev/null/config.json' },
    1,
    /^\/dev\/null.* cannot be used \(\w+\)\. Check the path and its permissions\.$/,
  ],
  ['a chain that the sandbox does not have', 'trigger reorganization', {}, 1, /404 NO_CHAIN: .+\. \(request \S+\)$/],
  [
    'a wallet of another service or chain',
    'operator me',
    { PURSER_WALLET_KEY: generatePrivateKey(), PURSER_CHAIN_ID: '5' },
    1,
    /^The wallet is not an operator of this service, or signs for another chain\. Check .+ PURSER_CHAIN_ID\./,
  ],
  [
    'a chain id that is not a number',
    'operator me',
    { PURSER_WALLET_KEY: operatorKey, PURSER_CHAIN_ID: 'gnosis' },
    1,
    /^PURSER_CHAIN_ID must be a number such as 100, not "gnosis"\.$/,
  ],
  ['an empty id of an event', "events get ''", { PURSER_API_KEY: 'x' }, 2, /^event must be an id, not ""\.$/],
  ['an id that would lead to another path', 'webhooks test ..', { PURSER_API_KEY: 'x' }, 2, /^endpoint must be an id/],
  [
    'an operator command with an id that would lead to another path',
    'operator users get .',
    { PURSER_WALLET_KEY: generatePrivateKey() },
    2,
    /^user-id must be an id, not "\."\.$/,
  ],
  ['a key that is not base64', "verify webhook /dev/null --key 'whpk_!!'", {}, 2, /^--key must be a public key of the/],
  ['a key that is too short', 'verify webhook /dev/null --key whpk_abcd', {}, 2, /^--key must be a public key of the/],
  [
    'a header from an example',
    `verify webhook /dev/null --key ${publicKey} --header 'webhook-timestamp: …'`,
    {},
    2,
    /^"webhook-timestamp: …" is not a header of a delivery\. Copy the value that your server received\.$/,
  ],
  ['a missing credential', 'api GET /user', {}, 1, /^The command needs a credential\. Set PURSER_TOKEN/],
  [
    'a wrong password of the simulator',
    'sandbox user',
    { PURSER_SANDBOX_PASSWORD: 'x' },
    1,
    /^The password of the simulator is wrong\./,
  ],
  [
    'an invalid URL',
    'api GET /user',
    { PURSER_URL: 'localhost:8080' },
    1,
    /^PURSER_URL must be a URL such as https:\/\/purser\.example, not "localhost:8080"\.$/,
  ],
  [
    'a credential over plain http',
    'api GET /partner',
    { PURSER_URL: 'http://purser.example', PURSER_API_KEY: 'psk_secret' },
    1,
    /^PURSER_URL must begin with https, not "http:\/\/purser\.example": requests carry credentials\.$/,
  ],
])('%s gives a clear message without a stack trace', async (_what, words, env, code, sentence) => {
  const named = Object.entries(env).map(([name, value]) => [name, urls[value] ?? value])
  const result = await cli(words, { env: Object.fromEntries(named) })
  expect([result.code, result.stdout]).toEqual([code, ''])
  expect(result.stderr.trim()).toMatch(sentence)
  expect(result.stderr).not.toContain('    at ')
})

describe('a service of another version', () => {
  /** The response to every request but the one for the document of the service. */
  const reply = { status: 200, text: '' }
  const requests: string[] = []
  const newer = createServer((request, response) => {
    const isDocument = request.url === '/openapi.json'
    if (!isDocument) requests.push(`${request.method} ${request.url}`)
    response.writeHead(isDocument ? 200 : reply.status, { 'content-type': 'application/json', 'x-request-id': 'r1' })
    response.end(isDocument ? document(paths) : reply.text)
  })
  const env = { PURSER_URL: '', PURSER_API_KEY: 'psk_x', PURSER_WALLET_KEY: operatorKey }
  beforeAll(async () => {
    await new Promise<void>((resolve) => void newer.listen(0, '127.0.0.1', resolve))
    env.PURSER_URL = `http://127.0.0.1:${(newer.address() as AddressInfo).port}`
  })
  afterAll(() => newer.close().closeAllConnections())

  const commands = ['events list', 'events tail', 'sandbox user', 'sandbox clock 1d', 'operator me']
  test.each(commands.flatMap((words) => ['{}', 'null', '[]'].map((text) => ({ words, text }))))(
    '"$words" reports a service of another version when the response is $text',
    async ({ words, text }) => {
      Object.assign(reply, { status: 200, text })
      requests.splice(0)
      const { code, stdout, stderr } = await cli(words, { env })
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(
        /^The service at \S+ responds in a form that this command line, \d+\.\d+\.\d+, does not know\. It /,
      )
      expect(stderr).toContain(' It runs a different version.')
      expect(stderr).not.toContain('    at ')
      expect(requests.length).toBeLessThanOrEqual(2)
    },
  )

  test.each([400, 409, 422])('an error code with status %i that this version lacks is shown', async (status) => {
    Object.assign(reply, { status, text: '{"success":false,"error":"MOON_IS_FULL"}' })
    const { code, stderr } = await cli('sandbox user', { env })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        new RegExp(
          `: ${status} MOON_IS_FULL \\(request r1\\)\\. This command line, .+ The service runs a different version\\.\n$`,
        ),
      ),
    ])
  })
})

describe('a response that is lost', () => {
  /** The status of every response; null: the connection ends without one. */
  const reply: { status: number | null } = { status: null }
  const lossy = createServer((request, response) => {
    if (reply.status === null) request.socket.destroy()
    else response.writeHead(reply.status, { 'content-type': 'text/html' }).end('<html>')
  })
  const env = { PURSER_URL: '', PURSER_TOKEN: 'x', PURSER_WALLET_KEY: operatorKey }
  beforeAll(async () => {
    await new Promise<void>((resolve) => void lossy.listen(0, '127.0.0.1', resolve))
    env.PURSER_URL = `http://127.0.0.1:${(lossy.address() as AddressInfo).port}`
  })
  afterAll(() => lossy.close().closeAllConnections())

  const withdrawal = `api POST /user/withdrawal --data '{}'`
  test.each<[string, number | null, RegExp]>([
    [withdrawal, null, /^The connection .+\. The outcome is unknown\. Repeat the request with --key [0-9a-f]{32}\.$/m],
    [withdrawal, 502, / 502 UNKNOWN\. The outcome is unknown\. Repeat the request with --key [0-9a-f]{32}\.$/m],
    [`${withdrawal} --key mine`, null, / The outcome is unknown\. Repeat the request with --key mine\.$/m],
    [`api POST /partner --data '{}'`, null, / The outcome is unknown\. Check it before you repeat the command\.$/m],
    ['sandbox clock 1d', null, / The outcome is unknown\. Check it before you repeat the command\.$/m],
    ['sandbox clock 1d', 524, / 524 UNKNOWN\. The outcome is unknown\. Check it before you repeat the command\.$/m],
    ['sandbox clock 1d', 504, / 504 UNKNOWN\. The outcome is unknown\. Check it before you repeat the command\.$/m],
  ])(
    '"%s" with response status %s (null: no response) has an unknown outcome, and the message tells how to continue',
    async (words, status, text) => {
      reply.status = status
      const { code, stderr } = await cli(words, { env })
      expect([code, stderr]).toEqual([1, expect.stringMatching(text)])
      expect(stderr).not.toMatch(/No service responds|Start one|Try again|different version/)
    },
  )

  test.each([null, 502])(
    'a sign-in with response status %s (null: no response) changes nothing, so its outcome does not matter',
    async (status) => {
      reply.status = status
      const { code, stderr } = await cli('operator me', { env })
      expect([code, stderr]).toEqual([1, expect.not.stringContaining('outcome')])
    },
  )

  test('with --json, the error for a request without a response contains its idempotency key', async () => {
    reply.status = null
    const { stderr } = await cli(`${withdrawal} --json`, { env })
    const { error, idempotencyKey } = JSON.parse(stderr)
    expect(idempotencyKey).toMatch(/^[0-9a-f]{32}$/)
    expect(error).toContain(idempotencyKey)
  })

  test('the error for a read without a response does not call its outcome unknown', async () => {
    reply.status = null
    expect((await cli('api GET /user', { env })).stderr).not.toContain('unknown')
  })

  test('the error for a request that never reached a service names the idempotency key for the next attempt', async () => {
    const { stderr } = await cli(withdrawal, { env: { ...env, PURSER_URL: 'http://127.0.0.1:1' } })
    expect(stderr).toMatch(/^No service responds at .+ or set PURSER_URL\. Repeat .+ --key [0-9a-f]{32}\.$/m)
  })
})

test('a server that is not Purser gets each request once', async () => {
  seen.splice(0)
  expect((await cli('sandbox user', { env: { PURSER_URL: urls['website'] ?? '' } })).code).toBe(1)
  expect(seen).toEqual([...new Set(seen)])
  expect(seen).not.toEqual([])
})

test.each(['no json', 'null', '{"settings":{"url":5}}', '{"operators":[], "settings":""}'])(
  'a configuration file with %j gives a clear message',
  async (content) => {
    const path = join(cli.home(), 'config.json')
    await writeFile(path, content, { mode: 0o600 })
    expect(await cli('config show', { env: { PURSER_CONFIG: path } })).toEqual({
      code: 1,
      stdout: '',
      stderr: `${path} is not a configuration file. Correct or delete it.\n`,
    })
  },
)

test.each([{ kty: 'EC' }, { kty: 'OKP', crv: 'Ed25519', x: Buffer.alloc(32).toString('base64url') }, null, 5])(
  'evidence is not verified with the key %j',
  async (publicJwk) => {
    const [bundle, keys] = ['evidence.ndjson', 'keys.json'].map((name) => join(cli.home(), name))
    await writeFile(bundle ?? '', '{"kind":"evidence"}\n{"kid":"k","jws":"a.b.c"}\n')
    await writeFile(keys ?? '', JSON.stringify([{ kid: 'k', publicJwk }, null]))
    expect(await cli(`verify evidence ${bundle} --keys ${keys}`)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^The file of --keys has a key that is not a public key of a service\. .+\n$/),
    })
  },
)

const scenario = { title: 'Mine', balance: '1.00', steps: [], expected: { balances: {}, statement: [] } }
const withSteps = (...steps: object[]) => ({ ...scenario, steps })
const withMessage = (message: object, more: object = {}) =>
  withSteps({ message: { transaction_type: 'clearing', amount: '1.00', ...message }, ...more })
const withExpected = (expected: object) => ({ ...scenario, expected: { ...scenario.expected, ...expected } })

test.each<[object, RegExp]>([
  [{ ...scenario, expected: {} }, /^The file is not a scenario\./],
  [{ ...scenario, balance: 'much' }, /^balance: "much" is not a decimal number\./],
  [{ ...scenario, balance: '-1.00' }, /^balance: "-1\.00" is not an amount\. Write it like "9\.99"\.$/m],
  [withSteps({ mine: 1 }, { jump: 1 }), /^step 2 has no action\. Use one of message, deposit, /],
  [withSteps({ withdraw: {} }), /^step 1, withdraw: "undefined" is not a decimal number\./],
  [withSteps({ withdraw: { amount: '0.00' } }), /^step 1, withdraw: the amount must be above zero\.$/m],
  [withSteps({ deposit: { amount: 5 } }), /^step 1, deposit: 5 is not an amount\. Write it like "9\.99"\.$/m],
  [withSteps({ advance: 'soon' }), /^"soon" is not a duration\./],
  [withSteps({ advance: '367d' }), /^step 1, advance: write a duration of at most 366d\.$/m],
  [
    withSteps({ withdraw: { amount: '1.00' } }, { settle: 'later' }),
    /^step 2, settle: use one of completed, failed\.$/m,
  ],
  [
    withSteps({ settle: 'failed' }, { withdraw: { amount: '1.00' } }),
    /^step 1, settle: add a withdraw step before it\.$/m,
  ],
  [{ ...withSteps({ screen: 'approved' }), balance: '0.00' }, /^step 1, screen: add a deposit step before it\.$/m],
  [withSteps({ reorganize: 0 }), /^step 1, reorganize: write a number of blocks from 1 to 100\.$/m],
  [withSteps({ mine: 101 }), /^step 1, mine: write a number of blocks from 1 to 100\.$/m],
  [withSteps({ message: {} }), /^step 1, message, transaction_type: use one of authorization, /],
  [withMessage({ transaction_type: 'payment' }), /^step 1, message, transaction_type: use one of authorization, /],
  [withMessage({ amount: undefined }), /^step 1, message: amount is missing\.$/m],
  [withMessage({ transaction_type: 'reversal' }), /^step 1, message: authorization_code is missing\.$/m],
  [withMessage({ amount: '1.005' }), /^step 1, message, amount: "1\.005" has too many decimals\. Write at most 2\.$/m],
  [withMessage({ amount: '1.500' }), /^step 1, message, amount: "1\.500" is not an amount\./],
  [
    withMessage({ amount: '1.50', currency: 'JPY' }),
    /^step 1, message, amount: "1\.50" has too many decimals\. Write at most 0\.$/m,
  ],
  [
    withMessage({ transaction_type: 'replacement', authorization_code: 'HOTEL1', replacement_amount: 'x' }),
    /^step 1, message, replacement_amount: "x" is not a decimal number\./,
  ],
  [
    withMessage({ replacement_amount: '5.00' }),
    /^step 1, message: only a replacement has a replacement_amount\. Write amount\.$/m,
  ],
  [withMessage({ currency: 'euro' }), /^step 1, message, currency: write three capital letters\.$/m],
  [
    withMessage({ authorization_code: 'TIP-1' }),
    /^step 1, message, authorization_code: write six letters or digits\.$/m,
  ],
  [withMessage({ merchant_name: 5 }), /^step 1, message, merchant_name: write at most 200 characters\.$/m],
  [withMessage({ final: 'yes' }), /^step 1, message, final: write true or false\.$/m],
  [withMessage({}, { times: 0 }), /^step 1, message, times: write a number from 1 to 100\.$/m],
  [withMessage({}, { times: '2' }), /^step 1, message, times: write a number from 1 to 100\.$/m],
  [withMessage({}, { status: 'declined' }), /^step 1, message, status: use one of approved, denied\.$/m],
  [
    withExpected({ balances: { EUR: '1.00' } }),
    /^expected\.balances\.EUR: write an object whose values are strings, such as \{"spendable": /,
  ],
  [
    withExpected({ balances: { EUR: { spendable: 1 } } }),
    /^expected\.balances\.EUR: write an object whose values are strings, such as /,
  ],
  [withExpected({ statement: [{ kind: 'Payment' }] }), /^expected\.statement: write a list of strings\.$/m],
])('a scenario with a fault in its file runs no step: %j', async (content, sentence) => {
  const file = join(cli.home(), 'scenario.json')
  await writeFile(file, JSON.stringify(content))
  // Without a service, a step would be the first problem.
  const result = await cli(`scenario run ${file}`, { env: { PURSER_URL: 'http://127.0.0.1:1' } })
  expect(result).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(sentence) })
})

test('a configuration file that cannot be written is reported before "sandbox user" creates a user', async () => {
  seen.splice(0)
  const env = { PURSER_URL: urls['production'] ?? '', PURSER_CONFIG: '/dev/null/config.json' }
  const { code, stderr } = await cli('sandbox user', { env })
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^\/dev\/null.* cannot be used \(\w+\)\. Check the path and its permissions\.$/m),
  ])
  expect(seen).toEqual([])
})

test('a sample with a missing tarball of the client creates no folder', async () => {
  const folder = join(cli.home(), 'app')
  expect(await cli(`samples create ${folder} --client nowhere.tgz`)).toEqual({
    code: 1,
    stdout: '',
    stderr: 'nowhere.tgz does not exist. Name the tarball that "npm pack -w client" wrote.\n',
  })
  expect(existsSync(folder)).toBe(false)
})

test.each(['unknown', 'sandbox pay', 'sandbox pay 1 --wrong', 'sandbox', 'api FETCH /'])(
  'with --json, the problem of the words "%s" is JSON',
  async (words) => {
    const { code, stdout, stderr } = await cli(`${words} --json`)
    expect([code, stdout, JSON.parse(stderr)]).toEqual([2, '', { error: expect.stringMatching(/^[^\n]+$/) }])
  },
)

test('the command line signs in for the host of the service, or for localhost if the service is on this machine', () => {
  expect(['http://localhost:8080', 'http://127.0.0.1:9', 'http://[::1]:9'].map(defaultDomain)).toEqual([
    ...['localhost', 'localhost', 'localhost'],
  ])
  expect(
    ['https://api.example', 'https://api.example:8443', 'https://localhost.evil.example'].map(defaultDomain),
  ).toEqual(['api.example', 'api.example:8443', 'localhost.evil.example'])
})
