import { countBreakGlassDecisions } from '../events/operator-decisions.ts'
import type { Chore } from '../platform/jobs/jobs.ts'

/** A worker measures break-glass decisions, because the shell that makes them serves no metrics. */
export const breakGlassGauge: Chore = {
  name: 'measure break-glass decisions',
  everySeconds: () => 60,
  async run({ db, metrics }) {
    metrics.breakGlassDecisions.set(Number(await countBreakGlassDecisions(db)))
  },
}
