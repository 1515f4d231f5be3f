import { defineConfig } from '@playwright/test'
import stories from './playwright.config.ts'

/** Takes the screenshots of `scripts/screenshots.ts`. One worker, because they share a service with a lot of data. */
export default defineConfig({ ...stories, testDir: 'scripts', testMatch: 'screenshots.ts', workers: 1 })
