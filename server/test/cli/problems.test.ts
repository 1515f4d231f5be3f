import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useCli } from '../support/cli.ts'
import { useService } from '../support/service.ts'

/** A server of each kind that a person may name by mistake, and a Purser of another version. */
const paths = ['/health', '/sandbox/users']
const document = (shown: readonly string[]) =>
  JSON.stringify({ info: { title: 'Purser' }, paths: Object.fromEntries(shown.map((path) => [path, {}])) })
const strangers = { website: '<html></html>', other: document(paths), production: document(['/user/statement']) }
const urls: Record<string, string> = {}
const servers = Object.entries(strangers).map(([name, text]) => ({
  name,
  server: createServer((request, response) => {
    if (name === 'website') return response.end(text)
    if (request.url === '/openapi.json') return response.setHeader('content-type', 'application/json').end(text)
    return response
      .writeHead(404, { 'content-type': 'application/json', 'x-request-id': 'none' })
      .end('{"success":false,"error":"NOT_FOUND"}')
  }),
}))

const service = useService()
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

test.each<[string, string, Readonly<Record<string, string>>, 1 | 2, RegExp]>([
  ['an unknown command', 'sandbocks user', {}, 2, /^error: unknown command 'sandbocks'/],
  ['an unknown command of a group', 'operator users destroy', {}, 2, /Run "purser operator users --help" for help\.$/m],
  ['an unknown option', 'sandbox pay 1 --currancy EUR', {}, 2, /Did you mean --currency\?/],
  ['a body that is no JSON', "api POST /sandbox/clock --data '{x'", {}, 2, /^--data must be JSON, @file or -\.$/],
  [
    'no service',
    'sandbox user',
    { PURSER_URL: 'http://127.0.0.1:1' },
    1,
    /^No service responds at http:\/\/127\.0\.0\.1:1: .+\. Start one with "purser up", or set PURSER_URL\.$/,
  ],
  [
    'a server that is no Purser',
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
    /has no GET \/user\/statement\. It is of another version than this command line, \d+\.\d+\.\d+\.$/,
  ],
  [
    'a service that is no sandbox',
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
  ['no credential', 'api GET /user', {}, 1, /^The command needs a credential\. Set PURSER_TOKEN/],
  [
    'a wrong password of the simulator',
    'sandbox user',
    { PURSER_SANDBOX_PASSWORD: 'x' },
    1,
    /^The password of the simulator is wrong\./,
  ],
  [
    'a URL that is none',
    'api GET /user',
    { PURSER_URL: 'localhost:8080' },
    1,
    /^PURSER_URL must be a URL such as https:\/\/purser\.example, not "localhost:8080"\.$/,
  ],
])('%s gives one clear sentence', async (_what, words, env, code, sentence) => {
  const url = urls[env['PURSER_URL'] ?? ''] ?? env['PURSER_URL']
  const result = await cli(words, { env: { ...env, ...(url === undefined ? {} : { PURSER_URL: url }) } })
  expect([result.code, result.stdout]).toEqual([code, ''])
  expect(result.stderr.trim()).toMatch(sentence)
  expect(result.stderr).not.toContain('    at ')
})
