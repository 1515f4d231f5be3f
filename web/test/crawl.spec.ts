import { crawl } from './crawl.ts'
import { expect, expectAccessibleInBoth, test } from './fixtures.ts'
import { newCardholder, newPartner } from './operator-world.ts'
import { installWallet } from './wallet.ts'

/** Stories of people who click on everything. The console of partners has its own in `partner.spec.ts`. */

test('every link of the app of owners leads to a screen without an error', async ({ page, service }) => {
  const account = await installWallet(page.context())
  const owner = await newCardholder(service, { account })
  await owner.send('authorization', '10.00', 'CRAWL1')
  await owner.send('clearing', '12.00', 'CRAWL1')
  await owner.withdraw(5)
  await page.goto('/app/')
  await page.getByRole('button', { name: 'Story Wallet' }).click()
  await expect(page.getByText('Latest movements')).toBeVisible()
  const screens = await crawl(page, { within: '/app/' })
  for (const screen of ['/app/deposit', '/app/statement/*', '/app/cards/*', '/app/withdraw', '/app/settings'])
    expect(screens).toContain(screen)
})

test('every screen of the app of owners fits 320 pixels, and an id is copied with the keyboard', async ({
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

test.describe('a reader in another time zone', () => {
  test.use({ timezoneId: 'Asia/Tokyo' })

  test('times are local, and their tooltips are in UTC', async ({ page, service }) => {
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

test('every link of the console of operators leads to a screen without an error', async ({ page, service }) => {
  test.setTimeout(300_000)
  const partner = await newPartner(service)
  const user = await newCardholder(service, { partnerId: partner.partnerId })
  await user.send('authorization', '10.00', 'CRAWL2')
  await user.send('clearing', '40.00', 'CRAWL2')
  await user.deposit(7, 'rejected')
  await user.withdraw(5)
  await page.goto('/console/operator')
  await page.getByRole('button', { name: 'Sandbox operator' }).click()
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible()
  const screens = await crawl(page, { within: '/console/operator' })
  expect(screens.length).toBeGreaterThan(25)
})
