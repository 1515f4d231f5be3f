import { defineConfig } from 'vitest/config'
import { faults } from './test/support/run/faults.ts'
import { SlowestFirst } from './test/support/run/slowest-first.ts'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
    // `npm run test:packages` runs them.
    exclude: ['test/packages/**'],
    globalSetup: ['test/support/run/postgres.ts', 'test/support/run/shared-service.ts'],
    setupFiles: ['test/support/run/after-file.ts'],
    reporters: ['default', './test/support/run/count-reporter.ts'],
    pool: 'threads',
    maxWorkers: 3,
    // Each worker loads the service once. The service keeps no state outside of what `startService` creates.
    isolate: false,
    sequence: { sequencer: SlowestFirst },
    tags: faults,
    // These limits only end a test that hangs. A busy machine needs several times the usual time.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // The default of one second is too short for a busy machine.
    expect: { poll: { timeout: 300_000, interval: 20 } },
  },
})
