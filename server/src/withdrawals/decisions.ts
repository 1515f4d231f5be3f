import type { Ctx } from '../context.ts'
import type { Tx } from '../db/db.ts'
import type { BooksCtx } from '../deposits/deposits.ts'
import type { LockedAccount } from '../ledger/ledger.ts'
import { InvalidInput } from '../lib/refusal.ts'
import { type Word, writeDecision } from '../operators/operators.ts'
import { lockAccount } from '../users/users.ts'
import { endPayment } from './ending.ts'
import type { UnpaidDecision } from './rules.ts'
import { postponeLook, scanDuePayouts, type Withdrawal } from './sql.ts'
import { findAnyWithdrawal, requireWithdrawal, writeChange } from './withdrawals.ts'

/**
 * What a person decides about a payment. Nothing is paid or given back on a person's word alone: before it was sent it
 * may be called off, and afterwards only when the chain has said, finally, that its nonce was used and nobody was paid.
 */
type OperatorCtx = BooksCtx & Pick<Ctx, 'db'>

export type OpenPayout = Withdrawal & { readonly userId: string }

/** All that is not ended, what waits longest first. */
export function listOpenPayouts({ db }: Pick<Ctx, 'db'>): Promise<OpenPayout[]> {
  return scanDuePayouts(db)
}

/** Before it was signed: the money is where it was before. */
export function cancelPayout(ctx: OperatorCtx, id: string, word: Word): Promise<Withdrawal> {
  return decide(ctx, id, word, async (tx, account, withdrawal) => {
    if (withdrawal.status !== 'pending') {
      throw new InvalidInput(`It is ${withdrawal.status}: only what was not signed yet can be called off.`)
    }
    await endPayment(ctx, tx, account, withdrawal, { status: 'failed', mined: null })
  })
}

/** Acted on when the chain says once more that it is final and paid nothing. */
export function decideUnpaid(ctx: OperatorCtx, id: string, decision: UnpaidDecision, word: Word): Promise<Withdrawal> {
  return decide(ctx, id, word, async (tx, { userId }, withdrawal) => {
    if (withdrawal.status !== 'processing' || withdrawal.unpaid === null) {
      throw new InvalidInput('The chain has not said that its payment is final and paid nobody: it takes its course.')
    }
    await writeChange(ctx, tx, userId, { ...withdrawal, unpaid: decision })
    await postponeLook(tx, { userId, withdrawalId: id }, ctx.clock.now())
  })
}

async function decide(
  ctx: OperatorCtx,
  withdrawalId: string,
  word: Word,
  change: (tx: Tx, account: LockedAccount, withdrawal: Withdrawal) => Promise<void>,
): Promise<Withdrawal> {
  const { userId } = await findAnyWithdrawal(ctx, withdrawalId)
  return ctx.db.transaction(async (tx) => {
    const account = await lockAccount(tx, userId)
    await change(tx, account, await requireWithdrawal(tx, { userId, withdrawalId }))
    await writeDecision(ctx, tx, word)
    return requireWithdrawal(tx, { userId, withdrawalId })
  })
}
