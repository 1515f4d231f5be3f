import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'

const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)
if (chromium === undefined) throw new Error('Chromium is missing. Run: apt-get install chromium')

/** Browser tests against the real service. One browser at a time, because the service needs the other core. */
export default defineConfig({
  testDir: 'test',
  testMatch: '*.spec.ts',
  workers: 1,
  timeout: 120_000,
  expect: { timeout: 20_000 },
  forbidOnly: process.env['CI'] !== undefined,
  reporter: [['list']],
  outputDir: '../node_modules/.cache/playwright',
  use: {
    viewport: { width: 1280, height: 860 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    // A color in transition has a contrast that no person reads.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: { executablePath: chromium, chromiumSandbox: process.getuid?.() !== 0 },
  },
})
