import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { crawl, watchLayout } from './crawl.ts'
import { expect, expectAccessibleInBoth, test } from './fixtures.ts'
import { newCardholder, newPartner } from './operator-world.ts'
import { addOperator, operatorAt } from './operators.ts'
import { startReceiver } from './partner-world.ts'
import { expectGoodWhenSmall, smallest } from './small.ts'
import { installWallet } from './wallet.ts'

/** Stories of people who click on everything. The console of partners has its own in `partner.spec.ts`. */

const phone = { width: 390, height: 844 }

// Two tests of this file are the longest of all stories, so no worker should run both.
test.describe.configure({ mode: 'parallel' })

test('every link of the app of owners leads to a screen without an error, which is accessible and fits a small page', async ({
  page,
  service,
}) => {
  test.setTimeout(300_000)
  const account = await installWallet(page.context())
  const owner = await newCardholder(service, { account })
  await owner.send('authorization', '10.00', 'CRAWL1')
  await owner.send('clearing', '12.00', 'CRAWL1')
  await owner.withdraw(5)
  await page.setViewportSize(smallest)
  await page.goto('/app/')
  await page.getByRole('button', { name: 'Story Wallet' }).click()
  await expect(page.getByText('Latest movements')).toBeVisible()
  const screens = await crawl(page, { within: '/app/', onScreen: () => expectGoodWhenSmall(page) })
  for (const screen of ['/app/deposit', '/app/statement/*', '/app/cards/*', '/app/withdraw', '/app/settings'])
    expect(screens).toContain(screen)
})

test('each page of the navigation and a payment fit 320 pixels in the app of owners, and the keyboard copies an id', async ({
  page,
  service,
}) => {
  const owner = await newCardholder(service, { account: await installWallet(page.context()) })
  await owner.send('authorization', '10.00', 'SMALL1')
  const payment = (await owner.purser.statement.list({ type: 'card_transaction' })).data[0]?.id ?? ''
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.setViewportSize({ width: 320, height: 800 })
  await page.goto('/app/')
  await page.getByRole('button', { name: 'Story Wallet' }).click()
  await expect(page.getByText('Latest movements')).toBeVisible()
  const nav = page.getByRole('navigation')
  const expectFits = async () => {
    await expect(page.locator('[aria-busy="true"], .skeleton')).toHaveCount(0)
    expect([page.url(), await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([page.url(), 320])
    await expectAccessibleInBoth(page)
  }
  await expectFits()
  for (const name of ['Statement', 'Cards', 'Deposit', 'Withdraw', 'Settings']) {
    await nav.getByRole('link', { name, exact: true }).click()
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
    await expectFits()
  }
  await nav.getByRole('link', { name: 'Statement' }).click()
  await page.getByRole('link', { name: /Trattoria Sole/ }).click()
  await expect(page.getByText('Message 1 of 1')).toBeVisible()
  await expectFits()
  const copy = page.getByRole('button', { name: payment.slice(0, 4) }).first()
  await copy.focus()
  await page.keyboard.press('Enter')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(payment)
})

test('on a phone, the current page is in view in the navigation of owners', async ({ page, service }) => {
  await newCardholder(service, { account: await installWallet(page.context()) })
  await page.setViewportSize(phone)
  await page.goto('/app/settings')
  await page.getByRole('button', { name: 'Story Wallet' }).click()
  await expect(page.getByRole('link', { name: 'Settings' })).toBeInViewport({ ratio: 1 })
  // Choosing the language scrolls to the end of the page.
  await page.getByText('Deutsch').click()
  await page.evaluate(() => scrollTo(0, 0))
  await expect(page.getByRole('link', { name: 'Einstellungen' })).toBeInViewport({ ratio: 1 })
  await page.getByRole('link', { name: 'Start' }).click()
  await expect(page.getByRole('link', { name: 'Start' })).toBeInViewport({ ratio: 1 })
})

test('on a phone, the menu of the operator console lists every screen, keeps the current one in view, and shifts no content', async ({
  page,
}) => {
  await page.setViewportSize(phone)
  await page.goto('/console/operator/domains')
  await page.getByRole('button', { name: 'Sandbox operator' }).click()
  await expect(page.getByRole('heading', { name: 'Sign-in domains' })).toBeVisible()
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  const button = page.getByRole('button', { name: 'Screens: Domains' })
  const menu = page.getByRole('navigation', { name: 'Screens' })
  await watchLayout(page)
  for (const leave of [
    () => page.keyboard.press('Escape'),
    () => page.getByRole('heading', { level: 1 }).click({ force: true, position: { x: 350, y: 5 } }),
    () => button.click(),
  ]) {
    await button.click()
    await expect(menu.getByRole('link', { name: 'Domains' })).toBeInViewport({ ratio: 1 })
    for (const link of await menu.getByRole('link').all()) {
      await link.scrollIntoViewIfNeeded()
      await expect(link).toBeInViewport({ ratio: 1 })
    }
    await expectAccessibleInBoth(page)
    await leave()
    await expect(menu).toHaveCount(0)
  }
  expect(await page.evaluate(() => globalThis.layoutShift)).toBe(0)
})

test.describe('a reader in another time zone', () => {
  test.use({ timezoneId: 'Asia/Tokyo' })

  test('a reader in another time zone sees local times, with UTC in the tooltips', async ({ page, service }) => {
    const owner = await newCardholder(service, { account: await installWallet(page.context()) })
    await owner.send('authorization', '10.00', 'TOKYO1')
    const at = (await owner.purser.statement.list({ type: 'card_transaction' })).data[0]?.createdAt ?? ''
    await page.goto('/app/statement')
    await page.getByRole('button', { name: 'Story Wallet' }).click()
    const time = page.getByRole('link', { name: /Trattoria Sole/ }).locator('time')
    await expect(time).toHaveAttribute('title', `${at.slice(0, 19).replace('T', ' ')} UTC`)
    const hour = (new Date(at).getUTCHours() + 9) % 24
    await expect(time).toContainText(`${String(hour).padStart(2, '0')}${at.slice(13, 16)}`)
  })
})

test('every screen of the console of operators is reached by its links or its address, is accessible, and fits a small page', async ({
  page,
  service,
}) => {
  // Several checks of each screen take minutes on a busy machine.
  test.setTimeout(600_000)
  const receiver = await startReceiver()
  const partner = await newPartner(service)
  const user = await newCardholder(service, { partnerId: partner.partnerId })
  await user.send('authorization', '10.00', 'CRAWL2')
  await user.send('clearing', '40.00', 'CRAWL2')
  await user.deposit(7, 'rejected')
  const { withdrawalId } = await user.withdraw(5)
  await addOperator(
    service,
    '0x00000000000000000000000000000000000000C1',
    'viewer',
    'Wilhelmine Freifrau von Schwarzenberg',
  )
  const { operator } = operatorAt(service).purser
  const proposal = (await operator.proposals.list({ status: 'executed' })).data[0]?.proposalId
  // The receiver does not know the secret, so it rejects each event.
  await partner.purser.partner.webhooks.create({ url: receiver.url })
  await user.send('authorization', '1.00', 'CRAWL3')
  await expect.poll(() => receiver.statuses.length).toBeGreaterThan(0)
  await expect.poll(async () => (await operator.webhooks.listDead()).data.length).toBeGreaterThan(0)
  await receiver.close()

  const large = page.viewportSize() ?? smallest
  const onScreen = async () => {
    await page.setViewportSize(smallest)
    await expectGoodWhenSmall(page)
    await page.setViewportSize(large)
  }
  await page.goto('/console/operator')
  await page.getByRole('button', { name: 'Sandbox operator' }).click()
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible()
  const screens = await crawl(page, { within: '/console/operator', onScreen })
  expect(screens.length).toBeGreaterThan(25)
  // By default, the lists leave out ended payouts and executed proposals.
  for (const path of [`/payouts/${withdrawalId}`, `/proposals/${proposal}`]) {
    await page.goto(`/console/operator${path}`)
    screens.push(...(await crawl(page, { within: `/console/operator${path}`, onScreen })))
  }
  const folder = join(import.meta.dirname, '../src/console/operator')
  const routes = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\w\/routes\.ts$/.test(file),
  )
  const paths = routes.flatMap((file) => [
    ...readFileSync(join(folder, file), 'utf8').matchAll(/^ {4}path: '\/([^']*)'/gm),
  ])
  const names = paths.map(([, path = '']) => path.replace(/\$\w+/g, '*'))
  const visited = new Set(screens.map((screen) => screen.replace(/^\/console\/operator\/?|[? ].*/g, '')))
  expect(names.length).toBeGreaterThan(20)
  // Only a form opens the search, and the crawl submits no form. Another story covers the search.
  expect(names.filter((path) => path !== 'search' && !visited.has(path))).toEqual([])
})

test('the pages before the sign-in, and those without one, are accessible and fit a small page', async ({
  page,
  expectedMessages,
}) => {
  // The wallet of a new person has no user.
  expectedMessages.push(/403|404/)
  await installWallet(page.context())
  await page.setViewportSize(smallest)
  for (const [path, text] of [
    ['/app/', 'Sign in'],
    ['/console/partner', 'Sign in as a partner'],
    ['/console/operator', 'Sign in as an operator'],
    ['/console/design', 'Design system'],
    ['/console/playground', 'is ready, with €100.00 and a card'],
    ['/console/playground?tab=scenarios', 'Screening rejects a deposit'],
    ['/console/nowhere', 'This page does not exist'],
  ] as const) {
    await page.goto(path)
    await expect(page.getByRole('main').getByText(text).first()).toBeVisible()
    await expectGoodWhenSmall(page)
  }
})
