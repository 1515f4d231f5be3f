import type { Ctx } from '../context.ts'
import { InvalidInput } from '../lib/errors.ts'
import { isId } from '../lib/id.ts'
import type { OperatorPermission } from '../lib/operator-permission.ts'
import type { BooksCtx } from '../money/deposits/deposits.ts'
import type { Tx } from '../platform/db/db.ts'
import type { State } from './decision-signature.ts'

/**
 * The context of a command. `db` is the running transaction, which use cases join. In the shell, the context has no
 * connection to a chain.
 */
export type CommandCtx = BooksCtx & Pick<Ctx, 'db' | 'caches'>

/** The subject that a command changes, and the command's arguments by name. */
export type CommandTarget = { readonly subject: string; readonly arguments: Readonly<Record<string, string>> }

/** The result of a command in words. A decision is recorded only if `isChanged` is true. */
export type Effect = { readonly text: string; readonly isChanged: boolean }

export type Command = {
  readonly permission: OperatorPermission
  /**
   * In the order in which operators sign them. Only the last one may contain spaces. The API documents show patterns
   * without their flags, so no pattern has the flag `i`.
   */
  readonly arguments: Readonly<Record<string, { readonly pattern: RegExp; readonly requirement: string }>>
  /**
   * Returns the state of the subject. Takes the lock under which the change is made, and holds it until the transaction
   * ends.
   */
  describeState(ctx: CommandCtx, tx: Tx, target: CommandTarget): Promise<State>
  /** Makes the change. `by` is the operator. */
  execute(ctx: CommandCtx, tx: Tx, target: CommandTarget, by: string): Promise<Effect>
}

export function changed(text: string): Effect {
  return { text, isChanged: true }
}

/** Rejects a text that PostgreSQL would not accept as an id. */
export function requireId(text: string, what: string): string {
  if (!isId(text)) throw new InvalidInput(`"${text}" is not ${what}. Use a UUID.`)
  return text
}
