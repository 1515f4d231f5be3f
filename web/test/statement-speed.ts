import { chromium, type Page } from '@playwright/test'
import type { PrivateKeyAccount } from 'viem/accounts'
import { launchOptions } from '../playwright.config.ts'
import { installWallet } from './wallet.ts'

/** Measures the interactions of a long statement for `npm run bench -- web`. */

type Interactions = {
  /** Milliseconds to the next paint of each press that scrolls to the end of the loaded rows. */
  readonly loading: readonly number[]
  /** The same for everything that a person does with the whole list. */
  readonly using: readonly number[]
}

/** Shorter events are not reported by the browser. */
const shortestEventMilliseconds = 16

export async function useLongStatement(url: string, account: PrivateKeyAccount): Promise<Interactions> {
  const browser = await chromium.launch(launchOptions)
  try {
    const page = await browser.newPage({ baseURL: url, viewport: { width: 1280, height: 860 }, locale: 'en-GB' })
    await installWallet(page.context(), account)
    await page.addInitScript(recordInteractions, shortestEventMilliseconds)
    await page.goto('/app/statement')
    await page.getByRole('button', { name: 'Story Wallet' }).click()
    await page.getByRole('heading', { name: 'Statement' }).waitFor()
    await takeInteractions(page)
    const end = page.getByText('This is the beginning of your account.')
    while (!(await end.isVisible())) {
      await page.keyboard.press('End')
      await page.evaluate(async () => new Promise(requestAnimationFrame))
    }
    return { loading: await takeInteractions(page), using: await usePage(page) }
  } finally {
    await browser.close()
  }
}

async function usePage(page: Page): Promise<number[]> {
  const rows = page.getByRole('main').getByRole('listitem')
  for (const name of ['Deposit', 'Withdrawal']) {
    await rows.getByRole('button', { name }).last().click()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await page.keyboard.press('Home')
  for (let presses = 0; presses < 10; presses++) {
    await page.keyboard.press('Tab')
    await page.keyboard.press('PageDown')
  }
  for (const appearance of ['Dark', 'Light']) await page.getByText(appearance, { exact: true }).click()
  await page.getByText('Deutsch', { exact: true }).click()
  await page.getByText('English', { exact: true }).click()
  await rows.getByRole('link').last().click()
  await page.waitForURL(/\/statement\/./)
  return takeInteractions(page)
}

/** Runs in the page. Keeps the maximum of the events of each interaction. */
function recordInteractions(durationThreshold: number): void {
  const maxima = new Map<number, number>()
  Object.assign(globalThis, { interactions: maxima })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as PerformanceEventTiming[]) {
      const { interactionId, duration } = entry as PerformanceEventTiming & { readonly interactionId: number }
      if (interactionId > 0) maxima.set(interactionId, Math.max(duration, maxima.get(interactionId) ?? 0))
    }
  }).observe({ type: 'event', durationThreshold, buffered: true } as PerformanceObserverInit)
}

/** Returns the durations since the last call. */
async function takeInteractions(page: Page): Promise<number[]> {
  return page.evaluate(async () => {
    // The browser reports an event some frames after its paint.
    await new Promise((report) => setTimeout(report, 500))
    const { interactions } = globalThis as unknown as { interactions: Map<number, number> }
    const durations = [...interactions.values()]
    interactions.clear()
    return durations
  })
}
