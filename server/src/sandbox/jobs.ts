import type { Chore } from '../platform/jobs/jobs.ts'

/** Mines blocks on the sandbox's chain. Nobody else uses it, so pending work would otherwise never become final. */
export const chainPaceChore: Chore = {
  name: 'mine blocks in the sandbox',
  everySeconds: () => 1,
  async run({ sandbox }) {
    for (const chain of sandbox?.attachedChains ?? []) await chain.mineWhilePending()
  },
}
