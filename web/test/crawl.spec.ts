import { crawl } from './crawl.ts'
import { expect, test } from './fixtures.ts'
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
