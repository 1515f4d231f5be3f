import type { Chore } from '../platform/jobs/jobs.ts'

/** Nobody else uses the sandbox's chain: without this, what waits for the next blocks would wait for ever. */
export const chainPaceChore: Chore = {
  name: 'make blocks in the sandbox',
  everySeconds: () => 1,
  async run({ sandbox }) {
    for (const chain of sandbox?.attachedChains ?? []) await chain.keepMoving()
  },
}
