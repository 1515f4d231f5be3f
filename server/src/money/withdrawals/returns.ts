import type { Ctx } from '../../context.ts'
import { type DecisionNote, recordOperatorDecision } from '../../events/operator-decisions.ts'
import { InvalidInput } from '../../lib/errors.ts'
import { type BooksCtx, frozenDeposits, returnDeposit } from '../deposits/deposits.ts'
import { isReturnId, returnIdOf, unsent } from './rules.ts'
import { findWithdrawal, insertWithdrawal, scanDueUnclaimed, type Withdrawal } from './sql.ts'
import { writeChange } from './withdrawals.ts'

/**
 * Refused deposits that go back to their senders. A return is a row of `withdrawal` that names its deposit: it waits in
 * the same queue, and is signed, sent, offered for more, and followed in the same way. Its money stays frozen until its
 * payment is final.
 * Invariants: a transfer has one return, whose id follows from the transfer and goes with the payment, so that the chain
 * itself tells a database that was set back what was returned; it is paid again only when its last payment was not.
 */
type ReturnCtx = BooksCtx & Pick<Ctx, 'db'>

const nobody = '0x0000000000000000000000000000000000000000'

/** From here on the refusal cannot be overturned. Repeatable; one that failed is begun again. */
export async function orderReturn(ctx: ReturnCtx, depositId: string, word: DecisionNote | null): Promise<Withdrawal> {
  return ctx.db.transaction(async (tx) => {
    const deposit = await returnDeposit(ctx, tx, depositId, 'signed')
    const { userId, chainId, token, amount, fromAddress: toAddress } = deposit
    if (toAddress === nobody) throw new InvalidInput('Nobody sent this deposit: it was minted.')
    const withdrawalId = returnIdOf(deposit)
    const known = await findWithdrawal(tx, { userId, withdrawalId })
    if (known && known.status !== 'failed') return known
    const createdAt = known?.createdAt ?? ctx.clock.now()
    const payment = { withdrawalId, depositId, chainId, token, amount, toAddress, ...unsent, createdAt }
    if (known) await writeChange(ctx, tx, userId, payment)
    else await insertWithdrawal(tx, userId, payment)
    if (word) await recordOperatorDecision(ctx, tx, word)
    return payment
  })
}

/** A database that was set back has read refused deposits again that the chain shows as returned: the books follow. */
export async function claimReturns(ctx: Ctx): Promise<void> {
  const unclaimed = new Set((await scanDueUnclaimed(ctx.db)).map(({ withdrawalId }) => withdrawalId).filter(isReturnId))
  if (unclaimed.size === 0) return
  for (const deposit of await frozenDeposits(ctx)) {
    if (unclaimed.has(returnIdOf(deposit))) await orderReturn(ctx, deposit.depositId, null)
  }
}
