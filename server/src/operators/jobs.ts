import { countBreakGlassDecisions } from '../events/operator-decisions.ts'
import type { Chore } from '../platform/jobs/jobs.ts'

/** The shell that makes such a decision is not a process whose metrics anybody reads. */
export const breakGlassGauge: Chore = {
  name: 'measure break-glass decisions',
  everySeconds: () => 60,
  async run({ db, metrics }) {
    metrics.breakGlassDecisions.set(Number(await countBreakGlassDecisions(db)))
  },
}
