import type { Ctx } from '../../context.ts'
import { lockAccount } from '../../identity/users/users.ts'
import { Refusal } from '../../lib/errors.ts'
import type { Tx } from '../../platform/db/db.ts'
import type { UserCaller } from '../../platform/http/access.ts'
import { hasUnreadPayouts } from './recover-payouts.ts'
import { settlePayout } from './settle-payout.ts'
import { findWithdrawal } from './sql.ts'
import { readWithdrawal } from './withdrawals.ts'

/**
 * Checks, before the lock is taken, that no transaction of the payout wallet is unread. After a restore of the
 * database, the chain may have paid a withdrawal that is pending here.
 */
export async function requireReadPayouts(ctx: Ctx, caller: UserCaller, withdrawalId: string): Promise<void> {
  const { chainId, status } = await readWithdrawal(ctx, caller, withdrawalId)
  if (status === 'pending' && (await hasUnreadPayouts(ctx, chainId))) throw new Refusal('WITHDRAWAL_NOT_CANCELABLE')
}

/**
 * Cancels a pending withdrawal and gives the amount back. The payout worker stores a payout under the same lock, so
 * either the payout or the cancellation happens. A withdrawal that has already failed stays unchanged.
 */
export async function cancelWithdrawal(ctx: Ctx, tx: Tx, caller: UserCaller, withdrawalId: string): Promise<void> {
  const account = await lockAccount(tx, caller)
  const withdrawal = await findWithdrawal(tx, { userId: caller.userId, withdrawalId })
  if (withdrawal === null || withdrawal.depositId !== null) throw new Refusal('WITHDRAWAL_NOT_FOUND')
  if (withdrawal.status === 'failed') return
  if (withdrawal.status !== 'pending') throw new Refusal('WITHDRAWAL_NOT_CANCELABLE')
  await settlePayout(ctx, tx, account, withdrawal, { status: 'failed', mined: null })
}
