import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import { launchOptions } from '../playwright.config.ts'
import { test as base, expect } from './fixtures.ts'
import { euros, eurToken } from './operators.ts'
import { type Service, startService } from './service.ts'
import { installWallet } from './wallet.ts'

/** A proxy of this machine that terminates TLS for the hosts of its sample. */
type Proxy = { readonly port: number; stop(): Promise<void> }

type Sample = {
  readonly program: string
  readonly debianPackage: string
  start(options: { readonly upstream: number }): Promise<Proxy>
}

const [api, cards] = ['https://api.example.com', 'https://cards.example.com']
const password = 'password-of-this-story-alone'

const isInstalled = (program: string): boolean =>
  [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'].some((folder) => existsSync(join(folder, program)))

async function startBehind({ start }: Sample): Promise<{ service: Service; proxy: Proxy }> {
  const urls = { BASE_URL: api, PCI_URL: cards }
  const settings = { ...urls, HOST: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1', SANDBOX_PASSWORD: password }
  const service = await startService(settings)
  try {
    // The operator lets wallets sign in at the owner's app.
    const words = ['run', '-s', 'operator', '--', 'domain', 'add', new URL(api).host, 'the app of our owners']
    await promisify(execFile)('npm', words, { env: { ...process.env, ...settings, DATA_DIR: service.folder } })
    const proxy = await start({ upstream: Number(new URL(service.url).port) })
    return { service: { ...service, url: api, frameOrigin: cards }, proxy }
  } catch (error) {
    await service.stop()
    throw error
  }
}

/** Returns the status that the browser gets for a page. Chromium shows no page for a 404 without a body. */
async function statusOf(page: Page, url: string): Promise<number> {
  const response = page.waitForResponse(url)
  await page.goto(url).catch(() => null)
  return (await response).status()
}

/** Tells a story through a proxy with its sample configuration, over TLS and under the names of the sample. */
export function tellStoryBehind(sample: Sample): void {
  const test = base.extend<object, { readonly installation: { readonly service: Service; readonly proxy: Proxy } }>({
    installation: [
      // biome-ignore lint/correctness/noEmptyPattern: Playwright requires the pattern
      async ({}, use) => {
        const installation = await startBehind(sample)
        await use(installation)
        await installation.proxy.stop()
        await installation.service.stop()
      },
      { scope: 'worker', timeout: 180_000 },
    ],
    service: [({ installation }, use) => use(installation.service), { scope: 'worker' }],
    launchOptions: [
      // The browser finds the hosts of the sample at the proxy, and no other host.
      ({ installation: { proxy } }, use) => {
        const rules = [api, cards].map((url) => `MAP ${new URL(url).host}:443 127.0.0.1:${proxy.port}`)
        return use({ ...launchOptions, args: [`--host-resolver-rules=${[...rules, 'MAP * ~NOTFOUND'].join(', ')}`] })
      },
      { scope: 'worker' },
    ],
  })
  test.use({ ignoreHTTPSErrors: true })
  const isMissing = !isInstalled(sample.program) && process.env['REQUIRE_DEPLOY'] === undefined
  test.skip(isMissing, `install the Debian package ${sample.debianPackage}`)

  test(`through ${sample.program}, an owner signs in, pays, and sees the card number in a frame whose host serves nothing else`, async ({
    page,
    service,
    expectedMessages,
  }) => {
    const { address } = await installWallet(page.context())
    const { userId } = await service.sandbox<{ userId: string }>('POST', '/users', { address, country: 'DE' })
    const token = await eurToken(service)
    const amount = euros(token, 100)
    await service.sandbox('POST', '/deposits', { userId, token: token.address, amount, result: 'approved' })
    await page.goto('/app/')
    await page.getByRole('button', { name: 'Story Wallet' }).click()
    const spendable = page.getByRole('region', { name: 'Spendable' })
    await expect(spendable.getByText('€100.00')).toBeVisible()

    await page.getByRole('link', { name: 'Cards', exact: true }).click()
    await page.getByRole('button', { name: 'New card' }).click()
    await page.getByLabel('Name of the card').fill('Groceries')
    await page.getByLabel('Phone number').fill('+49 1512 3456789')
    await page.getByRole('dialog').getByRole('button', { name: 'New card' }).click()
    await expect(page.getByRole('heading', { name: 'Groceries' })).toBeVisible()
    await page.getByRole('button', { name: 'Show number' }).click()
    const frame = page.frameLocator('iframe')
    await expect(frame.getByText('Card number')).toBeVisible()
    await expect(frame.getByText(/4000/).first()).toBeVisible()
    expect(await page.locator('iframe').getAttribute('src')).toMatch(new RegExp(`^${cards}/pci/frame`))
    await page.keyboard.press('Escape')

    const card_id = new URL(page.url()).pathname.split('/').at(-1)
    const payment = {
      transaction_type: 'authorization',
      amount: '12.34',
      currency: 'EUR',
      authorization_code: 'PROXY1',
    }
    await service.sandbox('POST', '/transactions', { ...payment, card_id, merchant_name: 'Trattoria Sole' })
    await page.getByRole('link', { name: 'Statement', exact: true }).click()
    await expect(page.getByRole('link', { name: /Trattoria Sole/ })).toContainText('€12.34')
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    await expect(spendable.getByText('€87.66')).toBeVisible()

    expectedMessages.push(/the server responded with a status of 404/)
    const others = [
      '/',
      '/health',
      '/app/',
      '/console/',
      '/docs/',
      '/openapi.json',
      '/user',
      '/operator/me',
      '/metrics',
    ]
    for (const path of others) expect(await statusOf(page, `${cards}${path}`), path).toBe(404)
    for (const path of ['/pci/frame', '/console/operator/', '/operator/me', '/metrics'])
      expect(await statusOf(page, `${api}${path}`), path).toBe(404)
  })
}
