import { setTimeout } from 'node:timers/promises'
import { type ElementHandle, expect, type Locator, type Page } from '@playwright/test'
import { isOperation } from './fixtures.ts'

/**
 * Uses an app as a curious person does. `crawl` follows every link by clicking it, and presses only buttons that open
 * menus. `pressEverything` presses the controls of a page.
 */

const maxScreens = 80
const responseMilliseconds = 100
const clickMilliseconds = 20_000

type Options = {
  /** The address of the pages to visit. Links to other pages of the service are only requested. */
  readonly within: string
  /** Called on each screen, once it has loaded. */
  readonly onScreen?: (screen: string) => Promise<void>
}

/** Returns an address with a star in place of each id. Screens with the same shape are visited once. */
const shapeOf = ({ pathname, search }: URL): string =>
  `${pathname}${decodeURIComponent(search)}`.replace(
    /[0-9a-f]{8}-[0-9a-f-]{27}|(evt|whe)_\w+|0x[0-9a-f]{40,}|(?<=[/=])\d+(?=$|[/&])/gi,
    '*',
  )

/** Waits until the screen shows its content, and fails if it shows an error. */
async function expectLoaded(page: Page): Promise<void> {
  await expect(page.locator('h1')).toBeVisible()
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  await expect(page.getByRole('main').getByRole('alert'), page.url()).toHaveCount(0)
  // The old screen stays until the new one can be shown.
  let before = ''
  const linksAreStable = async () => {
    const now = (
      await page.locator('a[href]').evaluateAll((all) => all.map((each) => each.getAttribute('href')))
    ).join()
    const isSame = now === before
    before = now
    return isSame
  }
  await expect.poll(linksAreStable, { intervals: [200] }).toBe(true)
}

/** The limit on the sum of layout shifts of a screen. "Core Web Vitals" rates a sum up to this limit as good. */
const maxLayoutShift = 0.1

declare global {
  var layoutShift: number
}

/**
 * Sums the layout shifts of the main area from now on, including those right after a click. The footer may move: it
 * comes after all content that loads.
 */
export async function watchLayout(page: Page): Promise<void> {
  await page.evaluate(async () => {
    type LayoutShift = PerformanceEntry & { readonly value: number; readonly sources: readonly { node: Node | null }[] }
    // A change of the page's size moves everything in the next frame.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    globalThis.layoutShift ??= (() => {
      const isContent = ({ node }: { node: Node | null }) => document.querySelector('main')?.contains(node)
      new PerformanceObserver((list) => {
        for (const { value, sources } of list.getEntries() as LayoutShift[]) {
          if (sources.some(isContent)) globalThis.layoutShift += value
        }
      }).observe({ type: 'layout-shift' })
      return 0
    })()
    globalThis.layoutShift = 0
  })
}

/** Returns the first visible link to an address. It opens the menu that hides the link. */
async function revealed(page: Page, href: string): Promise<Locator> {
  const link = page.locator(`a[href="${href}"]`)
  const visible = link.filter({ visible: true }).first()
  const details = page.locator('details:not([open])').filter({ has: link }).first().locator('> summary')
  const menu = details.or(page.locator('button[aria-expanded="false"]')).filter({ visible: true }).first()
  await visible.or(menu).first().waitFor({ timeout: clickMilliseconds })
  if (!(await visible.isVisible())) await menu.click({ timeout: clickMilliseconds })
  return visible
}

/** Starts at the open page. Returns the shapes of the visited screens. */
export async function crawl(page: Page, { within, onScreen }: Options): Promise<string[]> {
  const seen = new Set<string>([shapeOf(new URL(page.url()))])
  const views = new Set<string>()
  const screens: string[] = []

  async function look(screen: string, isMeasured = false): Promise<void> {
    await expectLoaded(page)
    if (isMeasured) {
      const shift = await page.evaluate(() => globalThis.layoutShift)
      expect.soft(shift, `content of ${screen} jumps while it loads`).toBeLessThan(maxLayoutShift)
    }
    screens.push(screen)
    expect(screens.length, `the crawl visits ${maxScreens} screens or more`).toBeLessThan(maxScreens)
    await onScreen?.(screen)
  }

  async function links(): Promise<{ href: string; url: URL }[]> {
    const hrefs = await page.locator('a[href]').evaluateAll((all) => all.map((each) => each.getAttribute('href') ?? ''))
    return hrefs.filter((href) => !href.startsWith('#')).map((href) => ({ href, url: new URL(href, page.url()) }))
  }

  async function followAll(): Promise<void> {
    const here = page.url()
    for (const { href, url } of await links()) {
      const shape = shapeOf(url)
      if (url.origin !== new URL(here).origin || seen.has(shape)) continue
      // Skips a link of the previous screen, which was still shown when this screen began to load.
      if ((await page.locator(`a[href="${href}"]`).count()) === 0) continue
      seen.add(shape)
      if (!url.pathname.startsWith(within)) {
        expect((await page.request.get(url.href)).status(), `${url} on ${here}`).toBe(200)
        continue
      }
      const link = await revealed(page, href)
      await watchLayout(page)
      await link.click({ timeout: clickMilliseconds })
      await page.waitForURL(url.href)
      await look(shape, true)
      await followAll()
      await page.goBack()
      await page.waitForURL(here)
      await expectLoaded(page)
    }
    await pickViews()
  }

  /** Picks each view of the screen, such as a tab. */
  async function pickViews(): Promise<void> {
    const here = shapeOf(new URL(page.url()))
    const names = await page
      .getByRole('main')
      .locator('label:has(input[type=radio])')
      .evaluateAll((all) => all.map((each) => each.textContent ?? ''))
    for (const name of names) {
      const view = `${here.replace(/\?.*/, '')} › ${name}`
      if (views.has(view)) continue
      views.add(view)
      const radio = page.getByRole('main').getByRole('radio', { name, exact: true }).first()
      if (!(await radio.isEnabled()) || (await radio.isChecked())) continue
      await radio.check({ force: true })
      await look(view)
    }
  }

  // The service of a test responds before the browser has painted a placeholder.
  await page.route(isOperation, async (route) => {
    await setTimeout(responseMilliseconds)
    await route.fallback()
  })
  await look(shapeOf(new URL(page.url())))
  await followAll()
  await page.unroute(isOperation)
  return screens
}

/**
 * Presses every button, switch, choice and slider of the main area once, as a curious person does. It leaves out those
 * whose name matches `except`. Returns what it pressed, such as `button: New user`.
 */
export async function pressEverything(page: Page, { except }: { except: RegExp }): Promise<string[]> {
  const pressed: string[] = []
  for (;;) {
    const control = await page.evaluateHandle(nextControl, { pressed, except: except.source })
    const element = control.asElement()
    if (element === null) return pressed
    const name = await element.evaluate((each) => each.getAttribute('data-control') ?? '')
    pressed.push(name)
    expect(pressed.length, pressed.join('\n')).toBeLessThan(maxControls)
    await press(element as ElementHandle<HTMLElement>)
    await expect(page.locator('[aria-busy="true"]'), name).toHaveCount(0)
    await expect(page.getByRole('main').getByRole('alert'), name).toHaveCount(0)
  }
}

const maxControls = 120

/** Runs in the page. Returns the first control that was not pressed yet. Choices of a list come last, one by one. */
function nextControl({ pressed, except }: { pressed: readonly string[]; except: string }): HTMLElement | null {
  const main = document.querySelector('main')
  const nameOf = (element: HTMLElement) => {
    const kind = element instanceof HTMLInputElement ? element.type : element.tagName.toLowerCase()
    const label = element instanceof HTMLInputElement ? element.labels?.[0]?.innerText : element.innerText
    const text = element.getAttribute('aria-label') ?? label ?? ''
    // Controls that differ only in an id or a number of a card do the same.
    const shape = text.replaceAll(/[0-9a-fx]+…[0-9a-f]+|(?<=·· )\d+|Copied/gi, '').replaceAll(/\s+/g, ' ')
    return `${kind}: ${shape.trim()}`
  }
  const all = (selector: string) => [...(main?.querySelectorAll<HTMLElement>(selector) ?? [])]
  for (const element of [
    ...all('button, summary, input:is([type=radio], [type=checkbox], [type=range])'),
    ...all('option'),
  ]) {
    const name = nameOf(element)
    const place = element.closest('select') ?? element.closest('label') ?? element
    const isIdle = element.matches(':disabled, [type=radio]:checked')
    if (!place.checkVisibility() || isIdle || pressed.includes(name)) continue
    if (new RegExp(except).test(name)) continue
    element.setAttribute('data-control', name)
    return element
  }
  return null
}

async function press(element: ElementHandle<HTMLElement>): Promise<void> {
  const kind = await element.evaluate((each) => (each instanceof HTMLInputElement ? each.type : each.tagName))
  if (kind === 'range') return element.press('ArrowLeft')
  if (kind === 'radio') return element.check({ force: true })
  if (kind === 'OPTION') {
    const value = await element.evaluate((each) => (each instanceof HTMLOptionElement ? each.value : ''))
    const list = (await element.evaluateHandle((each) => each.closest('select'))).asElement()
    await list?.selectOption(value)
    return
  }
  const isSwitch = kind === 'checkbox' || (await element.getAttribute('aria-pressed')) !== null
  await element.click()
  // A switch goes back, so that the next press meets the page as it was.
  if (isSwitch) await element.click()
}
