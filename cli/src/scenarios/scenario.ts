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
