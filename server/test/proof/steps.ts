import fc from 'fast-check'
import type { Message, Model } from './model-books.ts'

/**
 * A random step. Its name selects an action, and its numbers select the user, the resource and the amount among those
 * that exist by then. So every sublist of steps is valid, and a failing list can be shrunk.
 */
export type Step = {
  readonly does: (typeof kinds)[number][0]
  readonly who: number
  readonly which: number
  readonly cents: number
  readonly odds: number
  /** at the same time as the step before it */
  readonly isParallel: boolean
}

const kinds = [
  ['authorize', 14],
  ['raise', 6],
  ['reverse', 6],
  ['clear', 10],
  ['advise', 3],
  ['expire', 1],
  ['refund', 5],
  ['take back', 4],
  ['repeat', 6],
  ['deposit', 5],
  ['look', 3],
  ['chain', 4],
  ['screen', 4],
  ['withdraw', 4],
  ['settle', 4],
  ['block', 2],
  ['account', 1],
  ['clock', 2],
] as const

const step: fc.Arbitrary<Step> = fc.record({
  does: fc.oneof(...kinds.map(([kind, weight]) => ({ arbitrary: fc.constant(kind), weight }))),
  who: fc.nat(1000),
  which: fc.nat(1000),
  cents: fc.oneof({ arbitrary: fc.nat(6000), weight: 9 }, { arbitrary: fc.constant(0), weight: 1 }),
  odds: fc.nat(999),
  isParallel: fc.nat(99).map((percent) => percent < 25),
})

/** Each run begins with deposits in every token. They are small, so that many purchases span several tokens. */
const initialDeposits = 9

export function stepsOf(seed: number, count: number): Step[] {
  const steps = fc.sample(fc.noBias(step), { seed, numRuns: count })
  const funded = { does: 'deposit', cents: 1200, odds: 1, isParallel: false } as const
  return steps.map((one, i) => (i < initialDeposits ? { ...funded, who: i, which: i } : one))
}

/** The service's response to one request. */
export type Answer = { readonly status: number; readonly text: string; readonly body: any }

/** Sends steps to a service, in this process or in another. */
export type Target = {
  /** Sends a sandbox request until the service responds. */
  sandbox(method: string, path: string, body: object, key?: string): Promise<Answer>
  withdraw(user: User, token: string, units: bigint, key: string): Promise<Answer>
  /** Operations that need the service in this process; null if it runs in another. */
  inside: {
    see(user: User, id: string, transfer: Transfer): Promise<string>
    look(user: User, depositId: string): Promise<void>
    /** Sets the state that the chain reports for a transfer, and makes the service follow it. */
    chain(user: User, depositId: string, says: 'unfinal' | 'final' | 'reorganized'): Promise<void>
    /** Seals all movements posted so far. */
    seal(): Promise<void>
  } | null
}

export type Transfer = { token: string; units: bigint; sender: 'approved' | 'rejected' | 'pending' }

export type User = {
  readonly userId: string
  /** an access token for one day; the clock can move past its expiry */
  readonly token: string
  readonly accountAddress: string
}

export type Action = {
  readonly label: string
  send(): Promise<Answer>
  /** Returns the outcome that the model predicts. Generated ids are taken from the response. */
  expect(model: Model, answer: Answer): string
}

/** Requests sent so far, so that later steps can repeat them. */
export type Memory = {
  /** the messages that got a 200 response, with their bodies */
  readonly sent: { user: number; message: Message; body: Record<string, unknown> }[]
  /** event id → the response text */
  readonly texts: Map<string, string>
  codes: number
  events: number
}

/** Returns a response's outcome in the form that the model predicts, without generated ids. */
export function outcomeOf({ status, body }: Answer): string {
  if (status >= 400) return `${status} ${body?.error}`
  if (body?.authorization_code !== undefined) {
    const { approved_amount: part, denial_code: code } = body
    return [body.status, code, part].filter((word) => word !== undefined).join(' ')
  }
  if (body?.withdrawalId !== undefined && status === 201) return `accepted ${body.withdrawalId}`
  if (body?.depositId !== undefined) return status === 201 ? `seen ${body.depositId}` : body.status
  if (body?.withdrawalId !== undefined) return 'settled'
  return body?.now === undefined ? 'done' : 'passed'
}

export function answered(status: number, body: object): Answer {
  return { status, text: JSON.stringify(body), body }
}
