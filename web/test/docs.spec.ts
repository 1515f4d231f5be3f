import type { Page } from '@playwright/test'
import { expect, expectAccessible, expectAccessibleInBoth, test } from './fixtures.ts'

/** A page of each kind. */
const kinds = [
  ...['', 'quickstart', 'concepts/ledger', 'decisions/0001-sql-by-hand'],
  ...['errors/CARD_NOT_FOUND', 'declines/810', 'events/card.transaction.settled', 'recipes/partial-reversal'],
]

async function expectReadable(page: Page, path: string): Promise<void> {
  await page.goto(path === '' ? '/docs/' : `/docs/${path}/`)
  await expect(page.locator('h1')).toBeVisible()
  await expectAccessibleInBoth(page)
  await expectFits(page, path)
}

/** Expects neither the page nor a table to be wider than the window. */
async function expectFits(page: Page, path: string): Promise<void> {
  const wide = await page.evaluate(() => {
    const all = [document.documentElement, ...document.querySelectorAll('.table, .markdown table')]
    return all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent)
  })
  expect(wide, path).toEqual([])
}

test('the documentation is accessible in light and dark colors and fits a desktop', async ({ page }) => {
  for (const path of kinds) await expectReadable(page, path)
})

/** Several browsers share the documents, which are many. */
const shares = 4
for (let share = 1; share <= shares; share++) {
  const title = `share ${share} of ${shares} of the documentation is accessible in light and dark and fits a phone`
  test(title, async ({ page, request }) => {
    await page.setViewportSize({ width: 390, height: 844 })
    const index = await (await request.get('/docs/llms.txt')).text()
    const documents = [...index.matchAll(/^- \[.*\]\((.*)\.md\)$/gm)].map(([, path = '']) => path)
    expect(documents.length).toBeGreaterThan(30)
    const paths = [...new Set([...kinds, ...documents.filter((path) => path !== 'index' && path !== 'reference')])]
    for (const path of paths.filter((_, i) => i % shares === share - 1)) await expectReadable(page, path)
  })
}

test('the API reference is accessible in light and dark colors', async ({ page }) => {
  await page.goto('/docs/reference/')
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expect(page.locator(`.${colorScheme}-mode`).first()).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Authentication' }).first()).toBeVisible()
    await page.waitForLoadState('networkidle')
    await expectAccessible(page)
  }
})

test('a link to an operation shows it in the API reference, which fits a phone', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/docs/errors/CARD_NOT_FOUND/')
  await page.getByRole('link', { name: 'POST /cards/{cardId}/block', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Block a card', exact: true }).first()).toBeInViewport()
  await expectFits(page, 'reference')
})

test('the search finds a page from the keyboard', async ({ page }) => {
  await page.goto('/docs/quickstart/')
  await page.keyboard.press('/')
  await page.keyboard.type('insufficient balance')
  await expect(page.getByRole('link', { name: 'Decline 810: Insufficient balance' }).first()).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/docs\/declines\/810\/$/)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Decline 810: Insufficient balance')
})

test('a page without https copies a block of code', async ({ page }) => {
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined }))
  await page.goto('/docs/quickstart/')
  await page.getByRole('button', { name: 'Copy' }).first().click()
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible()
  await page.keyboard.press('/')
  await page.keyboard.press('Control+V')
  await expect(page.getByRole('searchbox')).toHaveValue(/^npm ci && npm start/)
})

test('the chosen colors stay on the next page', async ({ page }) => {
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto('/docs/')
  const light = await background()
  await page.getByRole('button', { name: 'Switch between light and dark' }).click()
  await expect.poll(background).not.toBe(light)
  const dark = await background()
  await page.goto('/docs/quickstart/')
  await expect.poll(background).toBe(dark)
})

/** Opens the form of an operation, sends it, and returns the status of the response. */
async function sendFromReference(page: Page, operation: string): Promise<number> {
  const [method = '', path = ''] = operation.split(' ')
  const section = page.locator(`section[id$="${method}${path}"], [id$="${method}${path}"]`).first()
  await page.evaluate(
    (hash) => {
      location.hash = hash
    },
    `users/tag/${tagOf(path)}/${method}${path}`,
  )
  await section.getByRole('button', { name: /Test Request/ }).click()
  const answered = page.waitForResponse((response) => {
    return new URL(response.url()).pathname === path && response.request().method() === method
  })
  await page.getByRole('button', { name: /^Send/ }).first().click()
  const response = await answered
  // The form reads the whole response. A form that is closed earlier aborts the request.
  await response.finished()
  await expect(page.getByText(`${response.status()}`).last()).toBeVisible()
  await page.keyboard.press('Escape')
  return response.status()
}

const tagOf = (path: string) => {
  const [, first = ''] = path.split('/')
  return { cards: 'cards', partner: 'partners', sandbox: 'sandbox' }[first] ?? first
}

test('after one click, the API reference sends requests as a user, a partner and the simulator', async ({ page }) => {
  await page.goto('/docs/reference/')
  await page.getByRole('button', { name: 'Sign in with a test wallet' }).click()
  await expect(page.locator('#sign-in-state')).toContainText('Signed in')
  for (const operation of ['GET /cards', 'GET /partner', 'GET /sandbox/tokens']) {
    expect(await sendFromReference(page, operation), operation).toBe(200)
  }
})

test('the API reference loads at most 1.3 MB, and nearly nothing after a reload', async ({ page }) => {
  const client = await page.context().newCDPSession(page)
  await client.send('Network.enable')
  const urls = new Map<string, string>()
  /** The sizes of the responses in the order of their arrival, each with its URL. A cached response has 0 bytes. */
  const loaded: { readonly url: string; readonly bytes: number }[] = []
  client.on('Network.requestWillBeSent', ({ requestId, request }) => urls.set(requestId, request.url))
  client.on('Network.loadingFinished', ({ requestId, encodedDataLength: bytes }) => {
    loaded.push({ url: urls.get(requestId) ?? '', bytes })
  })
  const sum = (responses: typeof loaded) => responses.reduce((total, { bytes }) => total + bytes, 0)
  await page.goto('/docs/reference/')
  await expect(page.getByRole('heading', { name: 'Authentication' }).first()).toBeVisible()
  await page.waitForLoadState('networkidle')
  expect(sum(loaded)).toBeGreaterThan(500_000)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Authentication' }).first()).toBeVisible()
  await page.waitForLoadState('networkidle')
  // On a slow machine, the page may request its last resources only after the reload.
  const repeated = loaded.filter(({ url }, at) => loaded.findIndex((each) => each.url === url) < at)
  expect(sum(loaded) - sum(repeated)).toBeLessThanOrEqual(1_300_000)
  expect(repeated.length).toBeGreaterThan(0)
  expect(sum(repeated)).toBeLessThanOrEqual(10_000)
})

test('the API reference shows the operations of operators at their own address', async ({ page }) => {
  const title = page.getByRole('heading', { name: 'Purser for operators' })
  await page.goto('/docs/reference/#operators')
  await expect(title).toBeVisible()
  await page.waitForLoadState('networkidle')
  await expectAccessible(page)
  await page.goto('/docs/reference/#operators/tag/operator/GET/operator/me')
  await page.reload()
  await expect(title).toBeVisible()
  await expect(page.locator('[id$="GET/operator/me"]')).toBeInViewport()
})
