import type { Ctx } from '../../src/context.ts'
import { createLog } from '../../src/platform/observability/log.ts'

/**
 * Returns the log of a service: `startService({ alter: log.alter })` writes it, and `log.text()` returns all lines so
 * far.
 */
export function captureLog(level: 'warn' | 'info' | 'trace') {
  let lines = ''
  const write = (line: string) => {
    lines += line
  }
  return {
    alter: (ctx: Ctx): Ctx => ({ ...ctx, log: createLog(level, { write }) }),
    text: () => lines,
  }
}
