import type { Chore } from '../platform/jobs/jobs.ts'
import { readSwitches } from './switches.ts'

/** Keeps the metrics of the switches current while a worker has no payouts. */
export const switchGauges: Chore = {
  name: 'measure kill switches',
  everySeconds: () => 10,
  run: async (ctx) => {
    await readSwitches(ctx, ctx.db)
  },
}
