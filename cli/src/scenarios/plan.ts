import type { Step } from './scenario.ts'

/** The order in which the steps of a scenario are run. The playground uses it too. */

/** Returns a generator of numbers from 0 to 1 (mulberry32). The same seed gives the same numbers. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A step with its event id. Copies share the id, so the service treats them as the same message. */
export type Planned = { readonly step: Step; readonly eventId: string }

/**
 * Returns the steps in the order in which they are run. With a random generator, adjacent messages are shuffled, and
 * some are repeated. A refund and an expected decline stay after the messages before them.
 */
export function planSteps(
  steps: readonly Step[],
  newEventId: () => string,
  random: (() => number) | null,
): readonly Planned[] {
  const groups: Planned[][] = []
  let isOpen = false
  for (const step of steps) {
    const planned = { step, eventId: newEventId() }
    const isFree = 'message' in step && step.status !== 'denied' && step.message.transaction_type !== 'refund'
    const last = groups.at(-1)
    if (isFree && isOpen && last !== undefined) last.push(planned)
    else groups.push([planned])
    isOpen = isFree
  }
  if (random === null) return groups.flat()
  return groups.flatMap((group) => shuffled(withCopies(group, random), random))
}

function withCopies(group: readonly Planned[], random: () => number): Planned[] {
  return group.flatMap((planned) =>
    'message' in planned.step ? Array.from({ length: 1 + Math.floor(random() * 3) }, () => planned) : [planned],
  )
}

function shuffled(group: readonly Planned[], random: () => number): Planned[] {
  return group
    .map((planned) => ({ planned, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ planned }) => planned)
}
