import type { Ctx } from '../../context.ts'
import { InvalidInput, Refusal } from '../../lib/errors.ts'
import { isId } from '../../lib/id.ts'
import type { AccountStatus } from '../../lib/user-status.ts'
import type { Tx } from '../../platform/db/db.ts'
import { findStatusBeforeBlock } from './sql.ts'
import { lockUser, setAccountStatus } from './users.ts'

/**
 * Blocking and unblocking of accounts by operators. An unblocked account returns to its state before the block.
 * Operations that a blocked account must not perform check its state under the same lock.
 */
type OperatorCtx = Pick<Ctx, 'clock' | 'db'>

export function blockAccount(ctx: OperatorCtx, userId: string): Promise<AccountStatus> {
  return decide(ctx, userId, async (_tx, status) => {
    if (status === 'blocked') throw new InvalidInput('The account is already blocked.')
    return 'blocked'
  })
}

export function unblockAccount(ctx: OperatorCtx, userId: string): Promise<AccountStatus> {
  return decide(ctx, userId, async (tx, status) => {
    if (status !== 'blocked') throw new InvalidInput(`The account is ${status}, not blocked.`)
    return findStatusBeforeBlock(tx, userId)
  })
}

async function decide(
  ctx: OperatorCtx,
  userId: string,
  next: (tx: Tx, status: AccountStatus) => Promise<AccountStatus>,
): Promise<AccountStatus> {
  if (!isId(userId)) throw new InvalidInput(`"${userId}" is not a user id. Use a UUID.`)
  return ctx.db.transaction(async (tx) => {
    const { account } = await lockUser(tx, userId)
    if (account === null) throw new Refusal('ACCOUNT_NOT_FOUND')
    if (account.status === 'closed') throw new InvalidInput('The account is closed and cannot be reopened.')
    const status = await next(tx, account.status)
    await setAccountStatus(tx, account, status, ctx.clock.now())
    return status
  })
}
