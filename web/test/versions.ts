import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { launchOptions } from '../playwright.config.ts'

/** Prints what the stories run on, so that a log of a failure names its browser. */
export default async function printVersions(): Promise<void> {
  const { version } = createRequire(import.meta.url)('@playwright/test/package.json')
  const { stdout } = await promisify(execFile)(launchOptions.executablePath, ['--version', '--no-sandbox'])
  process.stdout.write(`Playwright ${version}, ${stdout.trim()}\n`)
}
