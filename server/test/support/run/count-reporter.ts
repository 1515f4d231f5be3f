import type { Reporter, TestModule } from 'vitest/node'

/** Ends the run with one plain line that any CI can read. A file that could not be loaded counts as a failure. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandled.length, skipped: 0 }
    for (const module of modules) {
      if (module.errors().length > 0) counts.failed++
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state !== 'pending') counts[state]++
      }
    }
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''
    process.stdout.write(`${counts.passed} passed, ${counts.failed} failed${skipped}\n`)
  }
}
