import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/run/longest-first.ts'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
    globalSetup: ['test/support/run/postgres.ts'],
    reporters: ['default', './test/support/run/count-reporter.ts'],
    pool: 'threads',
    maxWorkers: 3,
    // The service is loaded once a worker, not once a file: it holds no state outside of what `startService` makes.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // On a busy machine a second is nothing.
    expect: { poll: { timeout: 30_000, interval: 20 } },
  },
})
