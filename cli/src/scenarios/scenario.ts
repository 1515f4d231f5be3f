import { type BodyOf, parseAmount } from '../../../client/src/index.ts'
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

type Body = BodyOf<'sandbox.transactions.send'>

/** A card message as `POST /sandbox/transactions` takes it, without the card. The currency is EUR unless given. */
type Message = Readonly<Omit<Body, 'card_id' | 'event_id' | 'fault'>>

export type Step =
  /** Sends a card message, `times` at once if given. `status` is the expected decision. */
  | { readonly message: Message; readonly times?: number; readonly status?: 'approved' | 'denied' }
  | { readonly deposit: { readonly amount: string; readonly result?: 'approved' | 'rejected' | 'pending' } }
  /** Sets the screening result of the last deposit. */
  | { readonly screen: 'approved' | 'rejected' }
  | { readonly withdraw: { readonly amount: string } }
  /** Sets the outcome of the last withdrawal. It needs a service without an attached chain. */
  | { readonly settle: 'completed' | 'failed' }
  /** Moves the time of the service forward by a duration, such as `31d`. */
  | { readonly advance: string }
  /** Mints tokens for the account on the attached chain. */
  | { readonly mint: { readonly amount: string } }
  /** Mines empty blocks on the attached chain. */
  | { readonly mine: number }
  /** Replaces the newest blocks of the attached chain with empty ones. */
  | { readonly reorganize: number }

/** The balances of a currency in major units, and the statement from the oldest item to the newest. */
export type Expected = {
  readonly balances: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly statement: readonly string[]
}

const maxTimes = 100
/** The limits of the service (`/sandbox/chain` and `/sandbox/clock`). */
const maxBlocks = 100
const maxAdvance = '366d'

/** Reads a scenario. It checks every step, so that an invalid file fails before the first step runs. */
export function parseScenario(text: string): Scenario {
  const scenario = scenarioIn(text)
  const { balance, steps, expected } = scenario
  const before = new Set(amountIn(balance, 'balance') > 0n ? ['deposit'] : [])
  for (const [i, step] of steps.entries()) {
    const name = checkStep(step, `step ${i + 1}`)
    const [needed, ...others] = neededBefore[name] ?? []
    if (needed !== undefined && ![needed, ...others].some((each) => before.has(each))) {
      throw new UsageError(`step ${i + 1}, ${name}: add a ${needed} step before it.`)
    }
    before.add(name)
  }
  checkExpected(expected)
  return scenario
}

function scenarioIn(text: string): Scenario {
  try {
    const scenario: Scenario = JSON.parse(text)
    const { title, steps, expected } = scenario
    const isComplete = Array.isArray(steps) && Array.isArray(expected.statement) && isObject(expected.balances)
    if (typeof title === 'string' && isComplete) return scenario
  } catch {
    // It is not JSON, or a part is missing.
  }
  throw new UsageError('The file is not a scenario. It needs title, balance, steps and expected.')
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isText = (value: unknown) => typeof value === 'string'

function checkExpected({ balances, statement }: Expected): void {
  for (const [currency, fields] of Object.entries(balances)) {
    if (isObject(fields) && !Array.isArray(fields) && Object.values(fields).every(isText)) continue
    throw new UsageError(
      `expected.balances.${currency}: write an object whose values are strings, such as {"spendable": "9.99"}.`,
    )
  }
  if (!statement.every(isText)) throw new UsageError('expected.statement: write a list of strings.')
}

/** The steps that a step needs: at least one must come before it. A balance at the beginning counts as a deposit. */
const neededBefore: Readonly<Record<string, readonly string[]>> = {
  settle: ['withdraw'],
  screen: ['deposit', 'mint'],
}

const checks: Readonly<Record<string, (value: unknown, place: string, step: object) => void>> = {
  message: checkMessage,
  deposit: (value, place) => {
    const { amount, result = 'approved' } = Object(value)
    quantityIn(amount, place)
    oneOf(['approved', 'rejected', 'pending'])(result, place)
  },
  screen: oneOf(['approved', 'rejected']),
  withdraw: (value, place) => quantityIn(Object(value).amount, place),
  settle: oneOf(['completed', 'failed']),
  advance: (value, place) => {
    if (secondsOf(String(value)) > secondsOf(maxAdvance)) {
      throw new UsageError(`${place}: write a duration of at most ${maxAdvance}.`)
    }
  },
  mint: (value, place) => quantityIn(Object(value).amount, place),
  mine: blocksIn,
  reorganize: blocksIn,
}

/** Checks a step and returns the name of its action. */
function checkStep(step: unknown, place: string): string {
  const name = Object.keys(checks).find((each) => each in Object(step))
  if (name === undefined) throw new UsageError(`${place} has no action. Use one of ${Object.keys(checks).join(', ')}.`)
  checks[name]?.(Object(step)[name], `${place}, ${name}`, Object(step))
  return name
}

/** The fields without which the service rejects a message of a type. */
const neededFields = {
  authorization: ['amount'],
  incremental: ['amount', 'authorization_code'],
  replacement: ['replacement_amount', 'authorization_code'],
  reversal: ['authorization_code'],
  clearing: ['amount'],
  clearing_cancellation: ['amount', 'authorization_code'],
  refund: ['amount'],
  refund_reversal: ['amount', 'authorization_code'],
  advice: ['amount'],
  expiry: ['authorization_code'],
  single_message: ['amount'],
} as const satisfies Record<Body['transaction_type'], readonly (keyof Message)[]>

/** The shape of each optional field: a pattern, or a switch. */
const shapes: readonly [field: keyof Message, shape: RegExp | 'switch', sentence: string][] = [
  ['currency', /^[A-Z]{3}$/, 'write three capital letters'],
  ['authorization_code', /^[A-Za-z0-9]{6}$/, 'write six letters or digits'],
  ['merchant_name', /^.{0,200}$/s, 'write at most 200 characters'],
  ['merchant_city', /^.{0,200}$/s, 'write at most 200 characters'],
  ['merchant_code', /^[0-9]{4}$/, 'write four digits'],
  ['merchant_country', /^[A-Z]{2}$/, 'write two capital letters'],
  ['final', 'switch', 'write true or false'],
  ['partial_allowed', 'switch', 'write true or false'],
]

/** The currencies of the simulator whose minor unit does not have two digits (ISO 4217). */
const minorDigits: Readonly<Record<string, number>> = { JPY: 0, KWD: 3 }

function checkMessage(message: unknown, place: string, step: object): void {
  const { transaction_type: type, ...fields } = Object(message)
  oneOf(Object.keys(neededFields))(type, `${place}, transaction_type`)
  for (const [field, shape, sentence] of shapes) {
    const value: unknown = fields[field]
    const isValid = shape === 'switch' ? typeof value === 'boolean' : typeof value === 'string' && shape.test(value)
    if (value !== undefined && !isValid) throw new UsageError(`${place}, ${field}: ${sentence}.`)
  }
  for (const field of neededFields[type as Body['transaction_type']]) {
    if (fields[field] === undefined) throw new UsageError(`${place}: ${field} is missing.`)
  }
  if (type !== 'replacement' && fields.replacement_amount !== undefined) {
    throw new UsageError(`${place}: only a replacement has a replacement_amount. Write amount.`)
  }
  for (const field of ['amount', 'replacement_amount']) {
    if (fields[field] !== undefined) amountIn(fields[field], `${place}, ${field}`, minorDigits[fields.currency])
  }
  const { times = 1, status = 'approved' } = Object(step)
  if (!isIntegerTo(maxTimes, times)) throw new UsageError(`${place}, times: write a number from 1 to ${maxTimes}.`)
  oneOf(['approved', 'denied'])(status, `${place}, status`)
}

function oneOf(choices: readonly string[]) {
  return (value: unknown, place: string) => {
    if (!choices.some((choice) => choice === value)) {
      throw new UsageError(`${place}: use one of ${choices.join(', ')}.`)
    }
  }
}

const isIntegerTo = (max: number, value: unknown) =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= max

function blocksIn(value: unknown, place: string): void {
  if (!isIntegerTo(maxBlocks, value)) throw new UsageError(`${place}: write a number of blocks from 1 to ${maxBlocks}.`)
}

/** Reads an amount that may be zero. */
function amountIn(value: unknown, place: string, digits = 2): bigint {
  const text = String(value)
  const [whole = '', fraction = ''] = text.split('.')
  try {
    const amount = parseAmount(text, digits)
    // The service rejects signs, leading zeros and excess decimals, even if these decimals are zeros.
    if (typeof value === 'string' && /^(0|[1-9]\d{0,29})$/.test(whole) && fraction.length <= digits) return amount
  } catch (error) {
    throw new UsageError(`${place}: ${error instanceof Error ? error.message : String(error)}`)
  }
  throw new UsageError(`${place}: ${JSON.stringify(value)} is not an amount. Write it like "9.99".`)
}

/** Requires an amount above zero. */
function quantityIn(value: unknown, place: string): void {
  if (amountIn(value, place) === 0n) throw new UsageError(`${place}: the amount must be above zero.`)
}
