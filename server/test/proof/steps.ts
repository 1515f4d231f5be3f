import fc from 'fast-check'
import type { Message, Model } from './model-books.ts'

/**
 * Random steps: each says by name what happens, and by numbers to whom, to what and how much, read against what there
 * is by then. So any part of a list of steps is a list of steps, and a failing one can be made short.
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

/** A life begins with some money in each token: less than many a purchase, which then spans them. */
const beginning = 9

export function stepsOf(seed: number, count: number): Step[] {
  const steps = fc.sample(fc.noBias(step), { seed, numRuns: count })
  const funded = { does: 'deposit', cents: 1200, odds: 1, isParallel: false } as const
  return steps.map((one, i) => (i < beginning ? { ...funded, who: i, which: i } : one))
}

/** The service's answer to one request. */
export type Answer = { readonly status: number; readonly text: string; readonly body: any }

/** How steps reach a service, in this process or in another. */
export type Target = {
  /** A sandbox operation, sent until it is answered. */
  sandbox(method: string, path: string, body: object, key?: string): Promise<Answer>
  withdraw(user: User, token: string, units: bigint, key: string): Promise<Answer>
  /** What only this process can do; null where the service runs elsewhere. */
  inside: {
    see(user: User, id: string, transfer: Transfer): Promise<string>
    look(user: User, depositId: string): Promise<void>
    /** What the chain says from here on, and that it is told at once. */
    chain(user: User, depositId: string, says: 'unfinal' | 'final' | 'reorganized'): Promise<void>
    /** What was posted until now is sealed. */
    seal(): Promise<void>
  } | null
}

export type Transfer = { token: string; units: bigint; sender: 'approved' | 'rejected' | 'pending' }

export type User = {
  readonly userId: string
  /** signed in with; tokens end when the clock moves */
  readonly token: string
  readonly signerAddress: string
  readonly accountAddress: string
}

export type Action = {
  readonly label: string
  send(): Promise<Answer>
  /** What the model says of it; the answer gives the names that the service makes up. */
  expect(model: Model, answer: Answer): string
}

/** What the world remembers beside the models: what was sent, to send it again. */
export type Memory = {
  /** the messages that were answered 200, with their bodies */
  readonly sent: { user: number; message: Message; body: Record<string, unknown> }[]
  /** event id → the bytes of the answer */
  readonly texts: Map<string, string>
  codes: number
  events: number
}

/** What an answer says, without the names that the service makes up: what the model foretells. */
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
