import { UsageError } from '../command.ts'

/** A scenario of the simulator: a user with money and a card, steps, and the state in which everything must end. */
export type Scenario = {
  readonly title: string
  readonly description: string
  /** The euros of the user at the beginning. */
  readonly balance: string
  readonly steps: readonly Step[]
  readonly expected: Expected
}

/** A card message as `POST /sandbox/transactions` takes it, without the card. The currency is EUR unless given. */
type Message = {
  readonly transaction_type: string
  readonly amount?: string
  readonly currency?: string
  readonly authorization_code?: string
  readonly merchant_name?: string
  readonly final?: boolean
  readonly replacement_amount?: string
}

export type Step =
  /** Sends a card message, `times` at once if given. `status` is the expected decision. */
  | { readonly message: Message; readonly times?: number; readonly status?: 'approved' | 'denied' }
  | { readonly deposit: { readonly amount: string; readonly result?: 'approved' | 'rejected' | 'pending' } }
  /** Sets the screening result of the last deposit. */
  | { readonly screen: 'approved' | 'rejected' }
  | { readonly withdraw: { readonly amount: string } }
  /** Sets the outcome of the last withdrawal. It needs a service without an attached chain. */
  | { readonly settle: 'completed' | 'failed' }
  /** Moves the time of the service, such as `31d`. */
  | { readonly advance: string }
  /** Mints tokens for the account on the attached chain. */
  | { readonly mint: { readonly amount: string } }
  /** Mines empty blocks on the attached chain. */
  | { readonly mine: number }
  /** Replaces the newest blocks of the attached chain by empty ones. */
  | { readonly reorganize: number }

/** The balances of a currency in major units, and the statement from the oldest item to the newest. */
export type Expected = {
  readonly balances: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly statement: readonly string[]
}

export function parseScenario(text: string): Scenario {
  try {
    const scenario: Scenario = JSON.parse(text)
    if (!Array.isArray(scenario.steps) || scenario.expected === undefined) throw new TypeError()
    return scenario
  } catch {
    throw new UsageError('The file is not a scenario. It needs title, balance, steps and expected.')
  }
}

/** Returns a generator of numbers from 0 to 1, the same for each seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A step with the id of its message, so that copies are repetitions. */
export type Planned = { readonly step: Step; readonly eventId: string }

/**
 * Returns the steps in the order in which they are run. With a random generator, adjacent messages are shuffled, and some
 * are repeated. A refund and an expected decline stay behind the messages before them.
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
