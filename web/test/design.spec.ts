import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, expectAccessibleInBoth, test } from './fixtures.ts'

const source = join(import.meta.dirname, '../src')

test('the design page is accessible in light and dark colors', async ({ page }) => {
  await page.goto('/console/design')
  await expect(page.getByRole('heading', { name: 'Design system' })).toBeVisible()
  await expectAccessibleInBoth(page)
})

/** Components without a look of their own, and those that every page has. A `PageError` is an `ErrorNote`. */
const unseen: readonly string[] = ['Account', 'NearEnd', 'PageError', 'Shell']

test('the design page has an example of each component', async () => {
  const read = async (folder: string, isPart: (file: string) => boolean) => {
    const files = (await readdir(join(source, folder))).filter(isPart)
    return (await Promise.all(files.map((file) => readFile(join(source, folder, file), 'utf8')))).join('\n')
  }
  const ui = await read('ui', (file) => file.endsWith('.tsx'))
  const page = await read('console', (file) => file.startsWith('design'))
  const components = [...ui.matchAll(/^export function ([A-Z]\w*)/gm)].map(([, name = '']) => name)
  expect(components.length).toBeGreaterThan(30)
  const missing = components.filter((name) => !new RegExp(`<${name}[\\s>]`).test(page))
  expect(missing.toSorted()).toEqual(unseen.toSorted())
})

test('the design page shows stale, rate-limited and forbidden states, and its dialogs open and close', async ({
  page,
}) => {
  await page.goto('/console/design')
  const main = page.getByRole('main')
  await expect(main.getByText(/^As of .+ The latest state could not be loaded\.$/)).toBeVisible()
  await expect(main.getByRole('button', { name: /^Try again in \d+ s$/ })).toBeDisabled()
  await expect(main.getByText('webhooks:write')).toBeVisible()
  await expect(main.getByText('Delivered · 204')).toBeVisible()
  await main.getByRole('button', { name: 'Show more' }).last().click()
  await expect(main.getByText('3 entries')).toBeVisible()
  for (const [name, leave] of [
    ['Open a dialog', 'Close'],
    ['Open a form', 'Cancel'],
  ] as const) {
    await main.getByRole('button', { name, exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: leave }).last().click()
    await expect(page.getByRole('dialog')).toHaveCount(0)
  }
  await page.setViewportSize({ width: 320, height: 800 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
})

test('a reader who prefers reduced motion sees no animation and no transition', async ({ page }) => {
  await page.goto('/console/design')
  const skeleton = page.locator('.skeleton').first()
  const button = page.getByRole('button', { name: 'Open a dialog' })
  const spinner = page.getByRole('main').locator('[aria-busy="true"] svg').first()
  const bar = page.getByRole('main').locator('svg[preserveAspectRatio="none"] rect.transition-all').first()
  const motions = async () => [
    await skeleton.evaluate((element) => getComputedStyle(element).animationName),
    await button.evaluate((element) => getComputedStyle(element).transitionProperty),
    await spinner.evaluate((element) => getComputedStyle(element).animationName),
    await bar.evaluate((element) => getComputedStyle(element).transitionProperty),
  ]
  await expect(skeleton).toBeVisible()
  // The first skeleton may belong to a list that still loads. Once removed, the skeleton has no style.
  await expect.poll(motions).toEqual(['none', 'none', 'none', 'none'])
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  expect(await motions()).not.toContain('none')
})
