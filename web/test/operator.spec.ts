import type { Page } from '@playwright/test'
import { expect, expectAccessible, test } from './fixtures.ts'

/** The stories of operators, in the sandbox's console. */

/** Opens a screen as the built-in test operator, who is an admin. */
async function open(page: Page, path = '') {
  await page.goto(`/console/operator${path}`)
  await page.getByRole('button', { name: 'Sandbox operator' }).click()
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible()
}

test('an operator signs in with a cookie, sees the work list, and signs out', async ({ page }) => {
  await page.goto('/console/operator')
  await expect(page.getByRole('heading', { name: 'Sign in as an operator' })).toBeVisible()
  await expectAccessible(page)
  await open(page)
  await expect(page.getByRole('heading', { name: 'Work list' })).toBeVisible()
  await expect(page.getByText('Admin', { exact: true })).toBeVisible()
  await expectAccessible(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectAccessible(page)
  const stored = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
  )
  expect(stored).not.toContain('pso_')
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Work list' })).toBeVisible()
  await page.getByRole('link', { name: 'Sessions' }).click()
  await expect(page.getByText('This session')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in as an operator' })).toBeVisible()
})
