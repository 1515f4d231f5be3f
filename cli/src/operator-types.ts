/** One operation of the operator API that needs no signature. */
export type OperatorOperation = {
  /** The name of the client's method: `users.listCards` is `purser.operator.users.listCards()`. */
  readonly id: string
  readonly summary: string
  readonly parameters: readonly {
    readonly name: string
    readonly in: string
    readonly isRequired: boolean
    readonly choices?: readonly string[]
    readonly maximum?: number
  }[]
  /** The fields of the body. */
  readonly fields: readonly string[]
}

/** One command that operators sign. */
export type OperatorDecision = {
  /** The words that they sign, without arguments: `payouts decide`. */
  readonly command: string
  /** The default number of people in production: `one` or `two`. */
  readonly people: string
  /** The name of the subject. */
  readonly subject?: string
  /** The subject, if it is always the same. */
  readonly is?: string
  readonly arguments: readonly {
    readonly name: string
    readonly requirement: string
    readonly choices?: readonly string[]
  }[]
}
