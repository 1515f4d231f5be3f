import type { OperatorCommand } from '../config/operators.ts'
import { recordOperatorDecision } from '../events/operator-decisions.ts'
import { InvalidInput } from '../lib/errors.ts'
import { joinTransaction } from '../platform/db/db.ts'
import type { CommandCtx, CommandTarget } from './command.ts'
import { checkArguments, commands, wordsOf } from './commands.ts'
import { canonicalId, maxReasonLength } from './rules.ts'

/**
 * Executes a command for the operator of the shell, who has direct access to the database and signs nothing. The
 * decision is recorded as break-glass. Returns the result in words.
 */
export async function breakGlass(
  ctx: CommandCtx,
  name: OperatorCommand,
  given: CommandTarget,
  reason: string,
): Promise<string> {
  const target = { ...given, subject: canonicalId(given.subject) }
  checkArguments(name, target.arguments)
  if (reason.trim() === '' || reason.length > maxReasonLength)
    throw new InvalidInput(`The reason must have 1 to ${maxReasonLength} characters.`)
  const { operator } = ctx.config
  return ctx.db.transaction(async (tx) => {
    const joined = { ...ctx, db: joinTransaction(ctx.db, tx) }
    const { text, isChanged } = await commands[name].execute(joined, tx, target, operator)
    const note = { command: wordsOf(name, target.arguments), subject: target.subject, reason }
    if (isChanged)
      await recordOperatorDecision(ctx, tx, { ...note, decidedBy: operator, approvedBy: null, proof: null })
    return text
  })
}
