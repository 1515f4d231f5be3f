import { type BrowserContext, expect, type Locator } from '@playwright/test'

/** Operates a page as a person without a mouse does: with the Tab key, and with keys on the element in focus. */

const maxPresses = 150

/** Fails the test at the first use of a mouse, in all pages of a browser. */
export async function withoutMouse(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    addEventListener(
      'pointerdown',
      () => {
        throw new Error('a mouse was used')
      },
      true,
    )
  })
}

/** Moves the focus to an element with the Tab key alone. */
async function reach(target: Locator): Promise<void> {
  await expect(target).toBeVisible()
  const { keyboard } = target.page()
  const isReached = () => target.evaluate((element) => element === document.activeElement)
  for (let presses = 0; presses < maxPresses; presses++) {
    if (await isReached()) return
    await keyboard.press('Tab')
  }
  throw new Error(`the Tab key does not reach ${target}`)
}

/** Reaches an element and presses a key on it. */
export async function press(target: Locator, key = 'Enter'): Promise<void> {
  await expect(target).toBeEnabled()
  await reach(target)
  await target.page().keyboard.press(key)
}

/** Reaches a field and replaces its text. */
export async function type(target: Locator, text: string): Promise<void> {
  await press(target, 'ControlOrMeta+a')
  await target.page().keyboard.type(text)
}
