import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, normalize } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, test } from 'vitest'
import product from '../../../package.json' with { type: 'json' }
import { majorOf, oldestNode, programs } from '../support/programs.ts'
import { newWallet, useService } from '../support/service.ts'

const service = useService()
const run = promisify(execFile)
const root = join(import.meta.dirname, '../../..')
/** The entries are measured alone, because a page rarely receives webhooks. */
const maxGzipBytes = { index: 10_000, webhooks: 2200 }

const [chromium] = programs('chromium')

/** An app that uses the package, in Node.js and in a browser. `origin` signs as the wallet. */
const app = `
import { createPurser, eip1193Wallet, formatAmount, moneyOf, PurserError, simulator, walletSession } from '@purser/client'
import * as webhooks from '@purser/client/webhooks'

const sign = async (text) => (await fetch(origin + '/sign', { method: 'POST', body: text })).text()
const provider = {
  request: async ({ method, params }) =>
    method === 'eth_requestAccounts' ? [address.toLowerCase()] : method === 'eth_chainId' ? '0x1' : sign(params[0]),
}
export async function main() {
  const session = walletSession(eip1193Wallet(provider), { domain: 'localhost', uri: 'http://localhost' })
  const purser = createPurser({ baseUrl, auth: [session, simulator()] })
  const { cardId } = await purser.cards.create({ cardName: 'Packed', phone: '+4915123456789' })
  const items = await purser.statement.list().toArray({ limit: 10 })
  const error = await purser.cards.get('wrong').catch((thrown) => thrown)
  const secret = webhooks.newTestSecret()
  const { body, headers } = await webhooks.signForTest({ id: 'evt_1' }, secret)
  return {
    cards: (await purser.cards.list()).data.map((card) => card.cardId === cardId),
    amounts: items.map((item) => formatAmount(moneyOf(item))),
    error: [error instanceof PurserError, error.code, error.requestId !== null, error.fields.length],
    missing: await purser.cards.get('01a1fc4e-f39c-748a-b04f-9ca8209a4d4a').catch(({ code }) => code),
    event: (await webhooks.unwrap(body, headers, [secret])).id,
  }
}
`
const result = {
  cards: [true],
  amounts: ['7.000000000000000000'],
  error: [true, 'VALIDATION', true, 1],
  missing: 'CARD_NOT_FOUND',
  event: 'evt_1',
}

let folder: string
let installed: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'purser-package-'))
  installed = join(folder, 'app/node_modules/@purser/client')
  await mkdir(join(folder, 'app'))
  await run('npm', ['pack', '-w', 'client', '--pack-destination', folder], { cwd: root })
  const [tarball = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
  await writeFile(join(folder, 'app/package.json'), '{"private":true,"type":"module"}')
  const flags = ['--offline', '--no-audit', '--ignore-scripts', `--cache=${join(folder, 'cache')}`]
  await run('npm', ['install', ...flags, join(folder, tarball)], { cwd: join(folder, 'app') })
})
// Parts of the browser write for a moment after it has ended.
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))

/** Serves the installed package and a wallet that signs. `reported` is what the page sends back. */
async function startSite(): Promise<{
  origin: string
  address: string
  reported: Promise<unknown>
  close: () => void
}> {
  const wallet = newWallet()
  const { userId } = (await service.sandbox('POST', '/users', { address: wallet.address })).body
  await service.deposit({ userId }, 7n * 10n ** 18n)
  let report: (value: unknown) => void = () => {}
  const reported = new Promise((resolve) => {
    report = resolve
  })
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    if (request.url === '/sign') {
      const raw = body.startsWith('0x') ? (body as `0x${string}`) : (`0x${Buffer.from(body).toString('hex')}` as const)
      return response.end(await wallet.signMessage({ message: { raw } }))
    }
    if (request.url === '/report') {
      report(JSON.parse(body))
      return response.end()
    }
    const path = normalize(request.url ?? '/')
    const content = path === '/' ? page : await readFile(join(folder, 'app', path), 'utf8').catch(() => null)
    const type = path.endsWith('.js') ? 'text/javascript' : 'text/html'
    response.writeHead(content === null ? 404 : 200, { 'content-type': type }).end(content)
  }).listen(0, 'localhost')
  await once(server, 'listening')
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  const names = `const [baseUrl, origin, address] = ${JSON.stringify([service.url, origin, wallet.address])}\n`
  await writeFile(join(folder, 'app/app.js'), names + app)
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { origin, address: wallet.address, reported, close }
}

const page = `<!doctype html><meta charset="utf-8">
<script type="importmap">{"imports":{"@purser/client":"/node_modules/@purser/client/dist/index.js","@purser/client/webhooks":"/node_modules/@purser/client/dist/webhooks.js"}}</script>
<script type="module">
const report = (value) => fetch('/report', { method: 'POST', body: JSON.stringify(value) })
import('/app.js').then(({ main }) => main()).then(report, (error) => report(String(error)))
</script>`

test('the package contains its code, types, README and license and nothing else, and has no dependencies', async () => {
  expect((await readdir(installed)).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  expect(manifest).not.toHaveProperty('dependencies')
  expect(manifest).toMatchObject({
    name: '@purser/client',
    version: product.version,
    license: 'Apache-2.0',
    type: 'module',
    engines: { node: '>=20' },
    sideEffects: false,
    exports: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './webhooks': { types: './dist/webhooks.d.ts', default: './dist/webhooks.js' },
    },
    files: ['dist'],
  })
  const targets = Object.values(manifest.exports).flatMap((targets) => Object.values(Object(targets)))
  for (const target of targets) expect(existsSync(join(installed, String(target)))).toBe(true)
  const sources = (await readdir(join(root, 'client/src'))).map((name) => name.replace(/\.ts$/, '')).sort()
  const built = (await readdir(join(installed, 'dist'))).filter((name) => name.endsWith('.d.ts'))
  expect(built.map((name) => name.replace(/\.d\.ts$/, '')).sort()).toEqual(sources)
  expect(await readdir(join(folder, 'app/node_modules'))).toEqual(['.package-lock.json', '@purser'])
})

test.each(Object.entries(maxGzipBytes))(
  'the entry "%s" has at most %i bytes, minified and compressed',
  async (entry, max) => {
    const bundle = await rolldown({ input: join(installed, `dist/${entry}.js`) })
    const { output } = await bundle.generate({ minify: true })
    const bytes = gzipSync(output[0].code).length
    process.stdout.write(`@purser/client, ${entry}: ${bytes} bytes compressed\n`)
    expect(bytes).toBeLessThanOrEqual(max)
  },
)

test.skipIf(process.env['REQUIRE_NODE_20'] === undefined)('a run that requires Node.js 20 has it', () => {
  expect(majorOf(oldestNode)).toBe(20)
})

test(`the package works in the oldest Node.js of this machine, version ${majorOf(oldestNode)}`, async () => {
  const site = await startSite()
  try {
    const script = "import('./app.js').then(({ main }) => main()).then((value) => console.log(JSON.stringify(value)))"
    const { stdout, stderr } = await run(oldestNode, ['-e', script], { cwd: join(folder, 'app') })
    expect(JSON.parse(stdout)).toEqual(result)
    expect(stderr).toBe('')
  } finally {
    site.close()
  }
})

const runtimes = join(import.meta.dirname, 'runtimes/node_modules')

/** These runtimes are installed on Linux x64 only. Deno may connect to this machine alone. */
const otherRuntimes = [
  {
    name: 'Deno',
    program: join(runtimes, '@deno/linux-x64-glibc/deno'),
    words: ['run', '--no-prompt', '--allow-net=localhost,127.0.0.1'],
  },
  { name: 'Bun', program: join(runtimes, '@oven/bun-linux-x64/bin/bun'), words: ['run'] },
].filter(({ program }) => existsSync(program) || `${process.platform} ${process.arch}` === 'linux x64')

test.each(otherRuntimes)('the package works in $name', async ({ program, words }) => {
  const site = await startSite()
  try {
    await writeFile(
      join(folder, 'app/main.js'),
      "import { main } from './app.js'\nconsole.log(JSON.stringify(await main()))\n",
    )
    const env = { PATH: process.env['PATH'], HOME: folder, NO_COLOR: '1' }
    const { stdout } = await run(program, [...words, 'main.js'], { cwd: join(folder, 'app'), env })
    expect(JSON.parse(stdout)).toEqual(result)
  } finally {
    site.close()
  }
})

test.skipIf(chromium === undefined && process.env['REQUIRE_BROWSER'] === undefined)(
  'the package works in a page of Chromium with a browser wallet',
  async () => {
    const site = await startSite()
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${join(folder, 'profile')}`]
    const browser = spawn(chromium ?? 'chromium', [...flags, site.origin], { stdio: 'ignore' })
    const ended = once(browser, 'exit').then(() => 'the browser has ended')
    try {
      expect(await Promise.race([site.reported, ended])).toEqual(result)
    } finally {
      browser.kill()
      await ended
      site.close()
    }
  },
)
