import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import { afterAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
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
writeFileSync(join(root, 'assets/main-abc.js.br'), 'compressed')

async function serverOf(folder: string, env: Record<string, string> = {}) {
  const app = Fastify()
  renderErrors(app)
  await serveWeb(app, readConfig({ ...env, PORT: '8080' }), folder)
  return app
}

test('a browser starts at the console of a sandbox, and every other client at the reference', async () => {
  const app = await serverOf(root)
  const fromBrowser = await app.inject({ url: '/', headers: { accept: 'text/html,*/*' } })
  expect(fromBrowser.headers.location).toBe('/console/')
  expect((await app.inject({ url: '/', headers: { accept: '*/*' } })).headers.location).toBe('/docs/')
  const unbuilt = await serverOf(join(root, 'nothing'))
  expect((await unbuilt.inject({ url: '/', headers: { accept: 'text/html' } })).headers.location).toBe('/docs/')
  expect((await unbuilt.inject('/app/')).statusCode).toBe(404)
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

test('only the host of the console has the screens of operators', async () => {
  const has = async (env: Record<string, string>, host: string) => {
    const app = await serverOf(root, env)
    const { body } = await app.inject({ url: '/console/', headers: { host } })
    return body.includes('&quot;hasOperators&quot;:true')
  }
  const production = {
    ...productionEnv,
    DATABASE_URL: 'postgres://purser@127.0.0.1/purser',
    OPERATOR_API: 'on',
    CONSOLE_URL: 'https://console.example',
  }
  expect(await has(production, 'console.example')).toBe(true)
  expect(await has(production, 'purser.example')).toBe(false)
  expect(await has({}, 'localhost:8080')).toBe(true)
  expect(await has({ OPERATOR_API: 'off' }, 'localhost:8080')).toBe(false)
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
