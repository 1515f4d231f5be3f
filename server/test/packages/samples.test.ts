import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import sample from '../../../cli/samples/web-app/package.json' with { type: 'json' }
import client from '../../../client/package.json' with { type: 'json' }
import web from '../../../web/package.json' with { type: 'json' }
import { useCli } from '../support/cli.ts'
import { programs } from '../support/programs.ts'
import { newWallet, useService } from '../support/service.ts'

const service = useService()
const cli = useCli(() => ({ PURSER_URL: service.url }))
const run = promisify(execFile)
const root = join(import.meta.dirname, '../../..')
const [chromium] = programs('chromium')
const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }

/** A browser wallet in the page, and a person who signs in, creates a card and blocks it. */
const visit = (address: string) => `<script>
window.ethereum = { request: async ({ method, params }) =>
  method === 'eth_requestAccounts' ? ['${address.toLowerCase()}'] : method === 'eth_chainId' ? '0x1'
    : (await fetch('/sign', { method: 'POST', body: params[0] })).text() }
const until = async (found) => { for (;;) { const it = found(); if (it) return it; await new Promise((r) => setTimeout(r, 50)) } }
const text = (id) => document.getElementById(id)?.innerText ?? ''
addEventListener('load', async () => {
  document.getElementById('sign-in').click()
  await until(() => !document.getElementById('new-card').hidden && text('balances'))
  document.querySelector('[name=phone]').value = '+4915123456789'
  document.querySelector('#new-card button').click()
  ;(await until(() => document.querySelector('#card button'))).click()
  await until(() => text('card').includes('(blocked)'))
  const seen = { balances: text('balances'), card: text('card'), statement: text('statement'), message: text('message') }
  await fetch('/report', { method: 'POST', body: JSON.stringify(seen) })
})
</script>`

test('the sample names the versions of the client and of Vite in this repository', () => {
  expect(sample.dependencies['@purser/client']).toBe(client.version)
  expect(sample.devDependencies.vite).toBe(web.devDependencies.vite)
})

test.skipIf(chromium === undefined && process.env['REQUIRE_BROWSER'] === undefined)(
  'the sample web app is built, and a person signs in, creates a card and blocks it',
  async () => {
    const home = cli.home()
    await run('npm', ['pack', '-w', 'client', '--pack-destination', home], { cwd: root })
    const tarball = (await readdir(home)).find((name) => name.endsWith('.tgz')) ?? ''
    const app = join(home, 'app')
    expect((await cli(`samples create ${app} --client ${join(home, tarball)}`)).code).toBe(0)
    expect(await cli(`samples create ${app}`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not empty'),
    })
    await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-package-lock'], { cwd: app })
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', app])
    await run('npm', ['run', 'build'], { cwd: app })

    const wallet = newWallet()
    const { promise: seen, resolve: report } = Promise.withResolvers<any>()
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const body = Buffer.concat(chunks).toString()
      if (request.url === '/sign') {
        return response.end(await wallet.signMessage({ message: { raw: body as `0x${string}` } }))
      }
      if (request.url === '/report') {
        report(JSON.parse(body))
        return response.end()
      }
      const path = request.url === '/' ? '/index.html' : (request.url ?? '')
      const content = await readFile(join(app, 'dist', path), 'utf8').catch(() => null)
      response.writeHead(content === null ? 404 : 200, { 'content-type': types[extname(path)] ?? 'text/plain' })
      response.end(path === '/index.html' ? content?.replace('<head>', `<head>${visit(wallet.address)}`) : content)
    }).listen(0, 'localhost')
    await once(server, 'listening')
    const url = `http://localhost:${(server.address() as AddressInfo).port}`
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${join(home, 'profile')}`]
    const browser = spawn(chromium ?? 'chromium', [...flags, url], { stdio: 'ignore' })
    const ended = once(browser, 'exit').then(() => 'the browser has ended')
    try {
      const page = await Promise.race([seen, ended])
      expect(page).toMatchObject({ message: '', balances: expect.stringContaining('25.00') })
      expect(page.card).toMatch(/^Groceries •••• \d{4} \(blocked\)\s+Unblock$/)
      expect(page.statement).toContain('+25.00')
    } finally {
      browser.kill()
      await ended
      server.closeAllConnections()
      server.close()
    }
  },
)
