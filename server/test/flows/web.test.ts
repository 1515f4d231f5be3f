import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import { afterAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { renderErrors } from '../../src/platform/http/errors.ts'
import { serveWeb } from '../../src/platform/http/web-routes.ts'
import { productionEnv } from '../support/production-env.ts'

const root = mkdtempSync(join(tmpdir(), 'purser-web-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

for (const folder of ['app', 'console', 'assets']) mkdirSync(join(root, folder))
for (const name of ['app', 'console']) {
  writeFileSync(join(root, name, 'index.html'), `<meta name="purser" content="{}" /><title>${name}</title>`)
}
writeFileSync(join(root, 'assets/main-abc.js'), 'plain')
for (const folder of ['docs/reference', 'docs/quickstart', 'docs/assets'])
  mkdirSync(join(root, folder), { recursive: true })
for (const path of ['', 'quickstart/', 'reference/']) {
  writeFileSync(join(root, `docs/${path}index.html`), `<meta name="purser" content="{}"><title>page ${path}</title>`)
}
writeFileSync(join(root, 'docs/quickstart.md'), '# Quickstart')
writeFileSync(join(root, 'docs/llms.txt'), '# Purser')
writeFileSync(join(root, 'docs/assets/scalar-abc.js'), 'plain')
writeFileSync(join(root, 'docs/assets/scalar-abc.js.br'), 'compressed')
writeFileSync(join(root, 'assets/main-abc.js.br'), 'compressed')

const production = {
  ...productionEnv,
  DATABASE_URL: 'postgres://purser@127.0.0.1/purser',
  OPERATOR_API: 'on',
  CONSOLE_URL: 'https://console.example',
}

async function serverOf(folder: string, env: Record<string, string> = {}) {
  const app = Fastify()
  renderErrors(app)
  await serveWeb(app, { config: readConfig({ ...env, PORT: '8080' }), clock: systemClock }, folder)
  return app
}

test('a browser starts at the console of a sandbox, and every other client at the documentation', async () => {
  const app = await serverOf(root)
  const fromBrowser = await app.inject({ url: '/', headers: { accept: 'text/html,*/*' } })
  expect(fromBrowser.headers.location).toBe('/console/')
  expect((await app.inject({ url: '/', headers: { accept: '*/*' } })).headers.location).toBe('/docs/')
  const unbuilt = await serverOf(join(root, 'nothing'))
  expect((await unbuilt.inject({ url: '/', headers: { accept: 'text/html' } })).headers.location).toBe('/openapi.json')
  expect((await unbuilt.inject('/app/')).statusCode).toBe(404)
})

test('in production the host of the secure frame serves no other page', async () => {
  const paths = ['/', '/app', '/app/', '/app/cards', '/console/', '/assets/main-abc.js', '/docs/', '/docs/reference/']
  const app = await serverOf(root, production)
  const sandbox = await serverOf(root)
  for (const url of paths) {
    for (const host of ['cards.purser.test', 'CARDS.purser.test', 'cards.purser.test:443'])
      expect((await app.inject({ url, headers: { host } })).statusCode, `${host}${url}`).toBe(404)
    for (const host of ['purser.test', '10.0.0.7:8080'])
      expect((await app.inject({ url, headers: { host } })).statusCode, `${host}${url}`).toBeLessThan(400)
    expect((await sandbox.inject({ url, headers: { host: 'localhost:8080' } })).statusCode).toBeLessThan(400)
  }
})

test('in production the host of the console has the documentation, and no page of the owners', async () => {
  const app = await serverOf(root, production)
  for (const host of ['console.example', 'CONSOLE.example', 'console.example:443']) {
    const statusOf = async (url: string) => (await app.inject({ url, headers: { host } })).statusCode
    for (const url of ['/app', '/app/', '/app/cards', '/%61pp/']) expect(await statusOf(url), `${host}${url}`).toBe(404)
    for (const url of ['/', '/console/', '/assets/main-abc.js', '/docs/', '/docs/reference/'])
      expect(await statusOf(url), `${host}${url}`).toBeLessThan(400)
  }
})

test('an incomplete build, such as that of an older version, serves no pages', async () => {
  const partial = mkdtempSync(join(root, 'partial-'))
  for (const name of ['app', 'console', 'assets']) cpSync(join(root, name), join(partial, name), { recursive: true })
  const app = await serverOf(partial)
  expect((await app.inject('/app/')).statusCode).toBe(404)
})

test('a browser starts at the documentation of a service in production', async () => {
  const app = await serverOf(root, production)
  expect((await app.inject({ url: '/', headers: { accept: 'text/html' } })).headers.location).toBe('/docs/')
})

test('the documentation is revalidated, and its files with a hash are immutable and compressed in advance', async () => {
  const app = await serverOf(root)
  for (const path of ['/docs', '/docs/quickstart']) {
    const { statusCode, headers } = await app.inject(path)
    expect([statusCode, headers.location], path).toEqual([301, `${path}/`])
  }
  for (const [path, type, text] of [
    ['/docs/', 'text/html', 'page '],
    ['/docs/quickstart/', 'text/html', 'page quickstart/'],
    ['/docs/quickstart.md', 'text/markdown', '# Quickstart'],
    ['/docs/llms.txt', 'text/plain', '# Purser'],
  ] as const) {
    const page = await app.inject(path)
    expect([page.statusCode, page.headers['cache-control']], path).toEqual([200, 'no-cache'])
    expect(page.headers['content-type']).toContain(type)
    expect(page.body).toContain(text)
    expect(page.headers['content-security-policy']).toContain("require-trusted-types-for 'script'")
    const again = await app.inject({ url: path, headers: { 'if-none-match': String(page.headers.etag) } })
    expect([again.statusCode, again.body], path).toEqual([304, ''])
  }
  expect((await app.inject('/llms.txt')).headers.location).toBe('/docs/llms.txt')
  const file = await app.inject({ url: '/docs/assets/scalar-abc.js', headers: { 'accept-encoding': 'br' } })
  expect([file.body, file.headers['cache-control']]).toEqual(['compressed', 'public, max-age=31536000, immutable'])
  for (const name of ['nothing/', 'assets', 'assets/', 'reference', '..%2Fapp%2Findex.html', 'quickstart.md/']) {
    expect((await app.inject(`/docs/${name}`)).statusCode, name).toBe(name === 'reference' ? 301 : 404)
  }
})

test('the API reference fills in the password of the sandbox only if it is the documented one', async () => {
  const page = async (env: Record<string, string>) =>
    (await (await serverOf(root, env)).inject('/docs/reference/')).body
  expect(await page({})).toContain('&quot;simulatorPassword&quot;:&quot;sandbox&quot;')
  const other = await page({ SANDBOX_PASSWORD: 'password-of-this-sandbox' })
  expect(other).toContain('&quot;simulatorPassword&quot;:null')
  expect(other).not.toContain('password-of-this-sandbox')
  expect(await page(production)).toContain('&quot;mode&quot;:&quot;production&quot;,&quot;simulatorPassword&quot;:null')
})

test('the API reference may call only the servers that the API document names', async () => {
  const [base, api, module] = ['https://user.example', 'https://api.example:8443/v', 'https://auth.example']
  const connectsOf = async (env: Record<string, string>) => {
    const app = await serverOf(root, { SANDBOX_PASSWORD: 'of my own', BASE_URL: base, ...env })
    const policy = String((await app.inject('/docs/reference/')).headers['content-security-policy'])
    expect(policy).toContain("script-src 'self';")
    return /connect-src ([^;]*);/.exec(policy)?.[1]
  }
  expect(await connectsOf({})).toBe("'self'")
  expect(await connectsOf({ API_URL: api })).toBe("'self' https://api.example:8443")
  // The page may be opened under another name, such as a tunnel or localhost.
  expect(await connectsOf({ API_URL: `${base}/v`, AUTH_MODULE_URL: module })).toBe(`'self' ${base} ${module}`)
})

test('a page is revalidated, knows its servers, and may run only its own files', async () => {
  const app = await serverOf(root, { API_URL: 'https://api.example', PCI_URL: 'https://cards.example' })
  const page = await app.inject('/app/cards/any')
  expect(page.statusCode).toBe(200)
  expect(page.headers['cache-control']).toBe('no-cache')
  expect(page.body).toContain('&quot;apiUrl&quot;:&quot;https://api.example&quot;')
  const policy = String(page.headers['content-security-policy'])
  for (const part of ["default-src 'none'", "script-src 'self'", "connect-src 'self' https://api.example"]) {
    expect(policy).toContain(part)
  }
  expect(policy).toContain('frame-src https://cards.example')
  expect(policy).toContain("require-trusted-types-for 'script'")
  expect(policy).not.toContain('unsafe')
})

test('only the host of the console has the screens and the API reference of operators', async () => {
  const has = async (env: Record<string, string>, host: string) => {
    const app = await serverOf(root, env)
    const pages = ['/console/', '/docs/reference/'].map((url) => app.inject({ url, headers: { host } }))
    return (await Promise.all(pages)).map(({ body }) => body.includes('&quot;hasOperators&quot;:true'))
  }
  expect(await has(production, 'console.example')).toEqual([true, true])
  expect(await has(production, 'purser.example')).toEqual([false, false])
  expect(await has({}, 'localhost:8080')).toEqual([true, true])
  expect(await has({ OPERATOR_API: 'off' }, 'localhost:8080')).toEqual([false, false])
})

test('a hashed file is immutable and compressed in advance, and an unknown one is not found', async () => {
  const app = await serverOf(root)
  const file = await app.inject({ url: '/assets/main-abc.js', headers: { 'accept-encoding': 'br' } })
  expect([file.statusCode, file.body, file.headers['content-encoding']]).toEqual([200, 'compressed', 'br'])
  expect(file.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  for (const name of ['other.js', '..%2Fapp%2Findex.html']) {
    expect((await app.inject(`/assets/${name}`)).statusCode, name).toBe(404)
  }
})
