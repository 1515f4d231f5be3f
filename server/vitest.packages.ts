import { defineConfig } from 'vitest/config'

/** The packages as npm would publish them: packed, installed in an empty folder, and used in each runtime. */
export default defineConfig({
  test: {
    include: ['test/packages/*.test.ts'],
    globalSetup: ['test/support/run/postgres.ts'],
    setupFiles: ['test/support/run/after-file.ts'],
    reporters: ['default', './test/support/run/count-reporter.ts'],
    pool: 'threads',
    maxWorkers: 2,
    isolate: false,
    // These limits only end a test that hangs.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
})
