import { expect, test } from './fixtures.ts'
import { newCardholder } from './operator-world.ts'
import { installWallet } from './wallet.ts'

test('a script of the page can read neither the document nor the storage of the card frame, nor the keys pressed in the frame', async ({
  page,
  service,
}) => {
  const { cardId } = await newCardholder(service, { account: await installWallet(page.context()) })
  await page.goto(`/app/cards/${cardId}`)
  await page.getByRole('button', { name: 'Story Wallet' }).click()
  await page.evaluate(() => {
    const seen: string[] = []
    Object.assign(globalThis, { seen })
    for (const type of ['keydown', 'keyup', 'input', 'copy', 'selectionchange'])
      addEventListener(type, ({ target }) => seen.push(`${type} ${target}`), true)
    addEventListener('message', ({ data }) => seen.push(JSON.stringify(data)))
  })
  await page.getByRole('button', { name: 'Show number' }).click()
  const frame = page.frameLocator('iframe')
  await expect(frame.getByText('Card number')).toBeVisible()
  await expect(frame.getByText(/4000/).first()).toBeVisible()
  const [number = ''] = /4000[\s\d]{12,}/.exec(await frame.locator('body').innerText()) ?? []

  const answers = await page.evaluate(() => {
    const element = document.querySelector('iframe')
    const inside = element?.contentWindow as (Window & typeof globalThis) | null
    const attempt = (read: () => unknown) => {
      try {
        return String(read())
      } catch (error) {
        return error instanceof DOMException ? error.name : String(error)
      }
    }
    return {
      document: attempt(() => element?.contentDocument),
      throughWindow: attempt(() => inside?.document.body.innerText),
      address: attempt(() => inside?.location.href),
      local: attempt(() => inside?.localStorage.length),
      session: attempt(() => inside?.sessionStorage.length),
      name: attempt(() => inside?.name),
      code: attempt(() => inside?.eval('document.body.innerText')),
    }
  })
  const refused = 'SecurityError'
  expect(answers).toEqual({
    ...{ document: 'null', throughWindow: refused, address: refused },
    ...{ local: refused, session: refused, name: refused, code: refused },
  })

  await frame.locator('body').click()
  for (const key of ['4', '2', 'Enter']) await page.keyboard.press(key)
  const seen = await page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen)
  expect(seen.filter((each) => each.startsWith('key') || each.startsWith('input'))).toEqual([])
  const digits = number.replaceAll(/\D/g, '')
  expect(digits.length).toBeGreaterThanOrEqual(12)
  const everything = await page.evaluate(() =>
    JSON.stringify([
      (globalThis as unknown as { seen: string[] }).seen,
      { ...localStorage },
      { ...sessionStorage },
      document.cookie,
      document.documentElement.outerHTML,
      performance.getEntries(),
    ]),
  )
  expect(everything.replaceAll(/[\s-]/g, '')).not.toContain(digits)
})

test('in a browser without ancestorOrigins, the app adjusts the height of the card frame, and closes it when the view ends', async ({
  page,
  service,
}) => {
  // Chromium has the property and does not let pages delete it.
  await page.route(/\/pci\/frame/, async (route) => {
    const response = await route.fetch()
    const { 'content-security-policy': policy = '', ...headers } = response.headers()
    await route.fulfill({
      response,
      body: (await response.text()).replace('location.ancestorOrigins', 'undefined'),
      headers: {
        ...headers,
        'content-security-policy': policy.replace(/script-src [^;]+/, "script-src 'unsafe-inline'"),
      },
    })
  })
  const { cardId } = await newCardholder(service, { account: await installWallet(page.context()) })
  await page.goto(`/app/cards/${cardId}`)
  await page.getByRole('button', { name: 'Story Wallet' }).click()
  const [shown] = await Promise.all([
    page.waitForResponse((response) => response.request().method() === 'POST' && response.url().includes('/pci/frame')),
    page.getByRole('button', { name: 'Show number' }).click(),
  ])
  await expect(page.frameLocator('iframe').getByText('Card number')).toBeVisible()
  await expect(page.locator('iframe')).not.toHaveAttribute('height', '96')

  // The browser itself loads this address after two minutes.
  const [, end = ''] = shown.headers()['refresh']?.split('url=') ?? []
  await page
    .frameLocator('iframe')
    .locator('body')
    .evaluate((_, url) => location.replace(url), end)
  await expect(page.getByRole('dialog')).toBeHidden()
})
