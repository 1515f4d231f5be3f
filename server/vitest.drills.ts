import { defineConfig } from 'vitest/config'

/** The drills, one after the other. `npm run drill -- failover` runs one. */
export default defineConfig({
  test: {
    include: ['test/drills/*.drill.ts'],
    globalSetup: ['test/drills/setup.ts'],
    reporters: ['default', './test/support/run/count-reporter.ts'],
    pool: 'threads',
    maxWorkers: 1,
    isolate: false,
    // These limits only end a drill that hangs.
    testTimeout: 1_200_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000, interval: 50 } },
  },
})
