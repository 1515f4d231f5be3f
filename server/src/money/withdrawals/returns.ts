import type { Ctx } from '../../context.ts'
import { InvalidInput } from '../../lib/errors.ts'
import { type BooksCtx, listFrozenDeposits, returnDeposit } from '../deposits/deposits.ts'
import { returnIdOf } from '../deposits/rules.ts'
import { isReturnId, unsent } from './rules.ts'
import { findWithdrawal, insertWithdrawal, scanDueUnassigned, type Withdrawal } from './sql.ts'
import { writeChange } from './withdrawals.ts'

/**
 * Returns: rejected deposits that are sent back to their senders. A return is a row of `withdrawal` with a
 * `deposit_id`, and is queued, signed, sent and followed like a withdrawal. Its funds stay frozen until its payout is
 * final.
 *
 * Invariants: a transfer has one return. Its id is derived from the transfer and is part of the payout, so the chain
 * identifies returned deposits after a restore. A return is paid again only if its last payout paid nobody.
 */
type ReturnCtx = BooksCtx & Pick<Ctx, 'db'>

const zeroAddress = '0x0000000000000000000000000000000000000000'

/** `isNew` is false when an earlier order is still in progress. */
export type OrderedReturn = Withdrawal & { readonly isNew: boolean }

/**
 * Orders the return of a deposit. Unless the return fails, the rejection of the deposit can no longer be overturned.
 * Idempotent while the return is in progress; retries a failed return.
 */
export async function orderReturn(ctx: ReturnCtx, depositId: string): Promise<OrderedReturn> {
  return ctx.db.transaction(async (tx) => {
    const deposit = await returnDeposit(ctx, tx, depositId, 'signed')
    const { userId, chainId, token, amount, fromAddress: toAddress } = deposit
    if (toAddress === zeroAddress)
      throw new InvalidInput('The deposit was minted, so it has no sender to return it to.')
    const withdrawalId = returnIdOf(deposit)
    const known = await findWithdrawal(tx, { userId, withdrawalId })
    if (known && known.status !== 'failed') return { ...known, isNew: false }
    const createdAt = known?.createdAt ?? ctx.clock.now()
    const ordered = { withdrawalId, depositId, chainId, token, amount, toAddress, ...unsent, createdAt }
    if (known) await writeChange(ctx, tx, userId, ordered)
    else await insertWithdrawal(tx, userId, ordered)
    return { ...ordered, isNew: true }
  })
}

/** Orders the return of each frozen deposit whose payout is already on the chain, as after a restore. */
export async function recoverReturns(ctx: Ctx): Promise<void> {
  const unassigned = new Set(
    (await scanDueUnassigned(ctx.db)).map(({ withdrawalId }) => withdrawalId).filter(isReturnId),
  )
  if (unassigned.size === 0) return
  for (const deposit of await listFrozenDeposits(ctx)) {
    if (unassigned.has(returnIdOf(deposit))) await orderReturn(ctx, deposit.depositId)
  }
}
