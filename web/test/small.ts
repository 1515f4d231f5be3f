import { expect, type Page } from '@playwright/test'
import { expectAccessibleInBoth } from './fixtures.ts'

/** The smallest page that everything must fit on. */
export const smallest = { width: 320, height: 800 } as const

const labels = { English: 'Language', Deutsch: 'Sprache' } as const
type Language = keyof typeof labels

async function pickLanguage(page: Page, name: Language): Promise<void> {
  const footer = page.getByRole('contentinfo')
  await footer.getByText(name).click()
  // The page changes once all its texts are loaded.
  await expect(footer.getByRole('group', { name: labels[name] })).toBeVisible()
}

async function expectFits(page: Page, language: 'en' | 'de'): Promise<void> {
  const state = await page.evaluate(() => [document.documentElement.lang, document.documentElement.scrollWidth])
  expect(state, page.url()).toEqual([language, smallest.width])
}

/** Checks a page of 320 pixels: accessible in both appearances, and not wider than that in English and in German. */
export async function expectGoodWhenSmall(page: Page): Promise<void> {
  await expectAccessibleInBoth(page)
  await expectFits(page, 'en')
  await pickLanguage(page, 'Deutsch')
  await expectFits(page, 'de')
  await pickLanguage(page, 'English')
}
