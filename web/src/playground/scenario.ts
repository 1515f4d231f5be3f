import type { BodyOf } from '@purser/client'

/** A scenario of the library. The format is described by scenarios/schema.json, and the CLI runs the same files. */

type Message = Omit<BodyOf<'sandbox.transactions.send'>, 'card_id'>

export type Step =
  | { readonly send: Message; readonly expect: 'approved' | 'denied'; readonly code?: string }
  | { readonly deposit: { readonly amount: string; readonly result?: 'approved' | 'rejected' | 'pending' } }
  | { readonly clock: { readonly advanceSeconds: number } }
  | { readonly card: 'block' | 'unblock' }

type ExpectedTransaction = {
  readonly kind: 'Payment' | 'Refund' | 'Reversal'
  readonly status: 'pending' | 'settled' | 'cancelled' | 'declined'
  readonly amount: string
}

type Texts = { readonly en: string; readonly de: string }

export type Scenario = {
  readonly id: string
  readonly title: Texts
  readonly about: Texts
  readonly start: { readonly currency: string; readonly deposit: string }
  readonly steps: readonly Step[]
  readonly end: {
    readonly spendable: string
    /** Newest first. */
    readonly transactions: readonly ExpectedTransaction[]
  }
}

const files = import.meta.glob<{ default: Omit<Scenario, 'id'> }>('../../../scenarios/*.json', { eager: true })

/** All scenarios, the ones for newcomers first. Their file names begin with their position. */
export const scenarios: readonly Scenario[] = Object.entries(files)
  .filter(([path]) => !path.endsWith('schema.json'))
  .sort(([a], [b]) => a.localeCompare(b))
  .map(([path, file]) => ({ ...file.default, id: path.replace(/^.*\/|\.json$/g, '') }))
