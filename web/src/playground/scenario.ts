import tip from '../../../cli/scenarios/tip.json' with { type: 'json' }
import type { Scenario as File, Step } from '../../../cli/src/scenarios/scenario.ts'

/** A scenario of the library, which the command line runs too. */
export type Scenario = File & { readonly id: string }
export type { Step }

/** The scenario that newcomers see. The cast is needed because TypeScript types literals in JSON as strings. */
export const firstScenario: Scenario = { ...(tip as File), id: 'tip' }

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** Reads the duration of a step, such as `31d`. */
export function secondsOf(duration: string): number {
  const [, count = '0', unit = 's'] = /^(\d+)([smhd])$/.exec(duration) ?? []
  return Number(count) * (unitSeconds[unit] ?? 1)
}

/**
 * Names the part that a scenario needs and the sandbox does not have. A real chain decides the outcome of a payout
 * itself.
 */
export type Lack = 'chain' | 'simulatedChain'

export function lackOf({ steps }: Scenario, hasChain: boolean): Lack | null {
  if (!hasChain) return steps.some(isOfChain) ? 'chain' : null
  return steps.some((step) => 'settle' in step) ? 'simulatedChain' : null
}

const isOfChain = (step: Step): boolean => 'mint' in step || 'mine' in step || 'reorganize' in step
