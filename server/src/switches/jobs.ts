import type { Chore } from '../platform/jobs/jobs.ts'
import { readSwitches } from './switches.ts'

/** Keeps the metric of each switch current in a worker that pays nothing. */
export const switchGauges: Chore = {
  name: 'measure kill switches',
  everySeconds: () => 10,
  run: async (ctx) => {
    await readSwitches(ctx, ctx.db)
  },
}
