import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { falsify } from './database.ts'
import { expect, expectAccessible, test } from './fixtures.ts'
import { newCardholder } from './operator-world.ts'
import type { Service } from './service.ts'
import { installWallet } from './wallet.ts'

/** The statement with more rows than a page can render at once. */

/**
 * Opens the app as an owner with a long statement. It has a deposit, the payment A, copies of A in the minutes after
 * it, and the payment B.
 */
async function newOwner(page: Page, service: Service, copies: number) {
  const owner = await newCardholder(service, { account: await installWallet(page.context()) })
  await owner.send('single_message', '1.11', 'LONG0A')
  await falsify(
    service,
    `with copy as (
       insert into statement_item (user_id, created_at, item_id, item)
       select user_id, at, id, replace(replace(item, item_id::text, id::text), item::json->>'createdAt',
         to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
       from statement_item
       cross join generate_series(1, $2::int) number,
       lateral (select created_at + number * interval '1 minute' as at, overlay(overlay(gen_random_uuid()::text placing '7' from 15) placing '8' from 20)::uuid as id) made
       where user_id = $1 and item::json->>'type' = 'card_transaction'
       returning 1)
     select 1 from copy limit 1`,
    [owner.userId, copies],
  )
  await service.sandbox('POST', '/clock', { advanceSeconds: copies * 60 + 60 })
  await owner.send('single_message', '2.22', 'LONG0B')
  await page.goto('/app/statement')
  await page.getByRole('button', { name: 'Story Wallet' }).click()
  await expect(page.getByRole('main').getByRole('listitem').first()).toContainText('€2.22')
  return owner
}

const end = (page: Page) => page.getByText('This is the beginning of your account.')

async function scrollToEnd(page: Page): Promise<void> {
  await expect(async () => {
    await page.keyboard.press('End')
    await expect(end(page)).toBeInViewport({ timeout: 100 })
  }).toPass()
}

test('a statement of 1,000 rows loads by scrolling, renders only rows near the visible ones, and comes back to its place', async ({
  page,
  service,
}) => {
  const copies = 1_000
  const owner = await newOwner(page, service, copies)
  const rows = page.getByRole('main').getByRole('listitem')
  await expect(rows.first()).toHaveAttribute('aria-setsize', '-1')
  await expectAccessible(page)
  await scrollToEnd(page)
  const total = copies + 3
  await expect(rows.last()).toContainText('Deposit')
  await expect(rows.last()).toHaveAttribute('aria-posinset', String(total))
  await expect(rows.last()).toHaveAttribute('aria-setsize', String(total))
  expect(await rows.count()).toBeLessThan(350)

  await rows.last().getByRole('button').click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(rows.last().getByRole('button')).toBeFocused()

  await owner.send('single_message', '3.33', 'LONG0C')
  const before = await rows.last().boundingBox()
  const requests: string[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/user/statement') requests.push(request.url())
  })
  await rows.nth(-2).getByRole('link').click()
  await expect(page.getByRole('heading', { name: 'Trattoria Sole' })).toBeInViewport()
  await page.getByRole('main').getByRole('link', { name: 'Statement' }).click()
  await expect(rows.last()).toHaveAttribute('aria-setsize', String(total + 1))
  expect(requests.length).toBeLessThanOrEqual(3)
  expect((await rows.last().boundingBox())?.y).toBeCloseTo(before?.y ?? 0, -1)

  await page.keyboard.press('Home')
  await expect(rows.first()).toContainText('€3.33')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ])
  const lines = (await readFile(await download.path(), 'utf8')).trim().split(/\r?\n/)
  const items = await owner.purser.statement.list().toArray({ limit: 2 * copies })
  const [head = '', ...exportedLines] = lines
  const columns = head.split(',')
  const compared = ['type', 'id', 'status', 'createdAt', 'isCredit', 'amount', 'currency', 'decimals'] as const
  const exported = exportedLines.map((line) => compared.map((column) => line.split(',')[columns.indexOf(column)]))
  expect(exported).toEqual(items.map((item) => compared.map((column) => String(item[column]))))
})

test('a page of the statement that cannot be loaded says so once, and the button loads it', async ({
  page,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/ERR_FAILED|Failed to load/)
  await newOwner(page, service, 150)
  await page.route(/\/user\/statement\?.*cursor=/, (route) => route.abort('failed'))
  await page.keyboard.press('End')
  const alert = page.getByRole('main').getByRole('alert')
  await expect(alert).toContainText('The service cannot be reached.')
  await expect(alert).toHaveCount(1)
  await page.unroute(/\/user\/statement\?.*cursor=/)
  await alert.getByRole('button', { name: 'Try again' }).click()
  await expect(alert).toBeHidden()
  await scrollToEnd(page)
})
