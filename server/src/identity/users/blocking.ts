import type { Ctx } from '../../context.ts'
import { type Word, writeDecision } from '../../events/operator-decisions.ts'
import { InvalidInput, Refusal } from '../../lib/errors.ts'
import { isId } from '../../lib/id.ts'
import type { AccountStatus } from '../../lib/user-status.ts'
import type { Tx } from '../../platform/db/db.ts'
import { findStatusBeforeBlock } from './sql.ts'
import { lockUser, setAccountStatus } from './users.ts'

/**
 * An operator blocks an account, or lets it go again: it is then what it was before. What a blocked account may not is
 * decided under the same lock, by whatever would do it.
 */
type OperatorCtx = Pick<Ctx, 'config' | 'clock' | 'db'>

export function blockAccount(ctx: OperatorCtx, userId: string, word: Word): Promise<AccountStatus> {
  return decide(ctx, userId, word, async (_tx, status) => {
    if (status === 'blocked') throw new InvalidInput('The account is blocked already.')
    return 'blocked'
  })
}

export function unblockAccount(ctx: OperatorCtx, userId: string, word: Word): Promise<AccountStatus> {
  return decide(ctx, userId, word, async (tx, status) => {
    if (status !== 'blocked') throw new InvalidInput(`The account is ${status}: it is not blocked.`)
    return findStatusBeforeBlock(tx, userId)
  })
}

async function decide(
  ctx: OperatorCtx,
  userId: string,
  word: Word,
  next: (tx: Tx, status: AccountStatus) => Promise<AccountStatus>,
): Promise<AccountStatus> {
  if (!isId(userId)) throw new InvalidInput('The user id is not a UUID.')
  return ctx.db.transaction(async (tx) => {
    const { account } = await lockUser(tx, userId)
    if (account === null) throw new Refusal('ACCOUNT_NOT_FOUND')
    if (account.status === 'closed') throw new InvalidInput('The account is closed, and stays so.')
    const status = await next(tx, account.status)
    await setAccountStatus(tx, account, status, ctx.clock.now())
    await writeDecision(ctx, tx, word)
    return status
  })
}
