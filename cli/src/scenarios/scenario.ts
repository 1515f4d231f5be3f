import { parseAmount } from '../../../client/src/index.ts'
import { UsageError } from '../command.ts'
import { secondsOf } from '../durations.ts'

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

/** Reads a scenario. It checks every step, so that no scenario stops half done because of its file. */
export function parseScenario(text: string): Scenario {
  const scenario = scenarioIn(text)
  amountIn(scenario.balance, 'balance')
  for (const [i, step] of scenario.steps.entries()) checkStep(step, `step ${i + 1}`)
  return scenario
}

function scenarioIn(text: string): Scenario {
  try {
    const scenario: Scenario = JSON.parse(text)
    const { title, steps, expected } = scenario
    const isComplete = Array.isArray(steps) && Array.isArray(expected.statement) && isObject(expected.balances)
    if (typeof title === 'string' && isComplete) return scenario
  } catch {
    // It is no JSON, or a part is missing.
  }
  throw new UsageError('The file is not a scenario. It needs title, balance, steps and expected.')
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null

const checks: Readonly<Record<string, (value: unknown, place: string) => void>> = {
  message: (value, place) => {
    const { transaction_type: type, amount } = Object(value)
    if (typeof type !== 'string') throw new UsageError(`${place}: transaction_type is missing.`)
    if (amount !== undefined) amountIn(amount, place)
  },
  deposit: (value, place) => {
    const { amount, result = 'approved' } = Object(value)
    amountIn(amount, place)
    oneOf(['approved', 'rejected', 'pending'])(result, place)
  },
  screen: oneOf(['approved', 'rejected']),
  withdraw: (value, place) => amountIn(Object(value).amount, place),
  settle: oneOf(['completed', 'failed']),
  advance: (value) => void secondsOf(String(value)),
  mint: (value, place) => amountIn(Object(value).amount, place),
  mine: blocksIn,
  reorganize: blocksIn,
}

function checkStep(step: unknown, place: string): void {
  const name = Object.keys(checks).find((each) => each in Object(step))
  if (name === undefined) throw new UsageError(`${place} has no action. Use one of ${Object.keys(checks).join(', ')}.`)
  checks[name]?.(Object(step)[name], `${place}, ${name}`)
}

function oneOf(choices: readonly string[]) {
  return (value: unknown, place: string) => {
    if (!choices.includes(String(value))) throw new UsageError(`${place}: use one of ${choices.join(', ')}.`)
  }
}

function blocksIn(value: unknown, place: string): void {
  if (!Number.isInteger(value) || Number(value) < 1) throw new UsageError(`${place}: write a number of blocks.`)
}

function amountIn(value: unknown, place: string): void {
  try {
    parseAmount(String(value), 2)
  } catch (error) {
    throw new UsageError(`${place}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
