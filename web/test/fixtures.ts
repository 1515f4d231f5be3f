import { type BrowserContext, test as base, expect, type Frame, type Page } from '@playwright/test'
import axe, { type RunOptions } from 'axe-core'
import { readOpenApi } from '../../server/scripts/openapi-files.ts'
import { type Service, startService } from './service.ts'

export { expect } from '@playwright/test'

type Shared = { readonly service: Service }
type Own = {
  /** Messages that the test expects the browser to print, such as those of failed requests. */
  readonly expectedMessages: RegExp[]
  /** Opens the browser of another person. It is watched like the first one. */
  readonly newPerson: () => Promise<Page>
}

const document = JSON.parse(readOpenApi())
const documented = Object.keys(document.paths).map((path) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`))
/** Pages and their files. All other requests are operations of the API. */
const pages = /^\/(app|console|docs|assets)(\/|$)|^(\/operator)?\/openapi\.json$|^\/pci\/frame|^\/sandbox\/kyc\//

/** Returns whether a request is an operation of the API, not a page or one of its files. */
export const isOperation = ({ pathname }: URL): boolean => pathname !== '/' && !pages.test(pathname)

/** Watches a browser. Returns a list to which it adds each problem as it occurs. */
function watch(context: BrowserContext, service: Service, expectedMessages: readonly RegExp[]): string[] {
  const problems: string[] = []
  const own = new Set([service.url, service.frameOrigin])
  context.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol === 'data:' || url.protocol === 'blob:') return
    if (!own.has(url.origin)) problems.push(`request to another host: ${url}`)
    else if (isOperation(url) && !documented.some((each) => each.test(url.pathname)))
      problems.push(`path is in no OpenAPI document: ${url.pathname}`)
  })
  context.on('console', (message) => {
    if (message.type() !== 'error' && !/Content Security Policy|TrustedScript/.test(message.text())) return
    if (!expectedMessages.some((expected) => expected.test(message.text()))) problems.push(message.text())
  })
  context.on('weberror', (error) => problems.push(String(error.error())))
  return problems
}

const secret = /eyJ[\w-]{20}|ps[okr]_\w{20}|whsec_\w{20}/

/** Returns the stores of a browser's pages and their frames that hold an access token, a key or a secret. */
async function storedSecrets(context: BrowserContext): Promise<string[]> {
  // The browser also keeps the stores of origins whose pages were closed.
  const { origins } = await context.storageState()
  const kept = origins.map(({ origin, localStorage }) => [origin, JSON.stringify(localStorage)])
  const frames = context.pages().flatMap((page) => page.frames())
  const stores = frames
    // A blank page has no origin, and so no store.
    .filter((frame) => frame.url() !== 'about:blank')
    .map((frame) =>
      frame.evaluate(() => {
        try {
          return [location.href, JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])]
        } catch {
          // A browser may block the storage of a frame from another origin. Such a frame has no store.
          return []
        }
      }),
    )
  const found = [...kept, ...(await Promise.all(stores))]
  return found.flatMap(([url = '', text = '']) => (secret.test(text) ? [`${url} stores ${text}`] : []))
}

/**
 * Every story fails on a console error and on a violation of the content security policy. It also fails on a request to
 * another host or to an undocumented path, and if a page has stored an access token, a key or a secret.
 */
export const test = base.extend<Own, Shared>({
  service: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright requires the pattern
    async ({}, use) => {
      const service = await startService()
      await use(service)
      await service.stop()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright requires the pattern
  expectedMessages: async ({}, use) => use([]),
  baseURL: async ({ service }, use) => use(service.url),
  context: async ({ context, service, expectedMessages }, use) => {
    const problems = watch(context, service, expectedMessages)
    await use(context)
    expect([...problems, ...(await storedSecrets(context))]).toEqual([])
  },
  newPerson: async (
    { browser, contextOptions, baseURL, viewport, locale, timezoneId, service, expectedMessages },
    use,
  ) => {
    const opened: { context: BrowserContext; problems: string[] }[] = []
    await use(async () => {
      const own = { ...contextOptions, viewport, ...(baseURL && { baseURL }), ...(locale && { locale }) }
      const context = await browser.newContext({ ...own, ...(timezoneId && { timezoneId }) })
      opened.push({ context, problems: watch(context, service, expectedMessages) })
      return context.newPage()
    })
    for (const { context, problems } of opened) {
      problems.push(...(await storedSecrets(context)))
      await context.close()
    }
    expect(opened.flatMap(({ problems }) => problems)).toEqual([])
  },
})

/**
 * Shows the page again, as for somebody who returns from another tab, until it is as expected. A page that becomes
 * visible reads its data again, if that is older than a second.
 */
export async function expectOnReturn(
  page: Page,
  check: (options: { timeout: number }) => Promise<void>,
): Promise<void> {
  await expect(async () => {
    await page.evaluate(() => dispatchEvent(new Event('visibilitychange')))
    await check({ timeout: 2_000 })
  }).toPass()
}

const wcag = {
  runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] },
} satisfies RunOptions

/** Checks WCAG 2.2 AA. */
export async function expectAccessible(page: Page): Promise<void> {
  // A frame needs a check of its own.
  expect(page.frames(), page.url()).toHaveLength(1)
  await expectNoViolation(page, wcag)
}

/** Checks WCAG 2.2 AA of the frame in a page. */
export async function expectFrameAccessible(page: Page): Promise<void> {
  const [, frame] = page.frames()
  if (frame === undefined) throw new Error('the page has no frame')
  await expectNoViolation(frame, wcag)
}

/** Checks a page in both appearances. Only colors differ between them. The page stays in the light one. */
export async function expectAccessibleInBoth(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectNoViolation(page, { runOnly: { type: 'rule', values: ['color-contrast'] } })
  await page.emulateMedia({ colorScheme: 'light' })
  await expectAccessible(page)
}

/** Runs axe in the page itself. Each document loads it once, since loading it costs more than most runs. */
async function expectNoViolation(page: Page | Frame, options: RunOptions): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source)
  const found = await page.evaluate(
    async (given) => {
      const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run(document, given)
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
    },
    { ...options, resultTypes: ['violations' as const] },
  )
  expect(found, page.url()).toEqual([])
}
