import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'

/** Debian's headless Chromium. It needs a quarter less CPU than the full Chromium in headless mode. */
const debianChromium = '/usr/bin/chromium-headless-shell'
const browsers = [debianChromium, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/**
 * The browser of the tests and of the benchmark. If none is installed, the launch fails and names Debian's path. This
 * file itself does not fail, because checks that only read it need no browser.
 */
export const launchOptions = {
  executablePath: browsers.find(existsSync) ?? debianChromium,
  chromiumSandbox: process.getuid?.() !== 0,
}

/**
 * Browser tests against the real service. Each worker has a browser and a service of its own, with its own
 * database and chain. While one waits for a block or a retry, the others use the cores.
 */
export default defineConfig({
  testDir: 'test',
  testMatch: '*.spec.ts',
  workers: 3,
  // These limits only end a test that hangs. A busy machine needs several times the usual time.
  timeout: 300_000,
  globalTimeout: 60 * 60_000,
  globalSetup: './test/versions.ts',
  expect: { timeout: 60_000 },
  forbidOnly: process.env['CI'] !== undefined,
  reporter: [['list']],
  outputDir: '../node_modules/.cache/playwright',
  use: {
    viewport: { width: 1280, height: 860 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    // In the middle of a transition, the contrast check would measure a color that lasts only a moment.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions,
  },
})
