import { findToken } from '../../config/stablecoins.ts'
import type { Ctx } from '../../context.ts'
import { type DecisionNote, recordOperatorDecision } from '../../events/operator-decisions.ts'
import { lockAccount } from '../../identity/users/users.ts'
import type { LockedAccount } from '../../ledger/ledger.ts'
import { InvalidInput } from '../../lib/errors.ts'
import { isId } from '../../lib/id.ts'
import type { Tx } from '../../platform/db/db.ts'
import { readSignedPayout } from '../../providers/chain/payout-call.ts'
import type { BooksCtx } from '../deposits/deposits.ts'
import { type PaidOut, takeOver } from './recover-payouts.ts'
import { isReturnId, type UnpaidDecision } from './rules.ts'
import { endPayment } from './settle-payout.ts'
import {
  insertPayout,
  postponeLook,
  scanDuePayouts,
  scanDueUnclaimed,
  type UnclaimedPayout,
  type Withdrawal,
} from './sql.ts'
import { findAnyWithdrawal, requireWithdrawal, writeChange } from './withdrawals.ts'

/**
 * What a person decides about a payment. Nothing is paid or given back on a person's word alone: before it was sent it
 * may be called off, and afterwards only when the chain has said, finally, that its nonce was used and nobody was paid.
 * One that was paid, and that a database which was set back has lost, may be said to be somebody's.
 */
type OperatorCtx = BooksCtx & Pick<Ctx, 'db'>

export type OpenPayout = Withdrawal & { readonly userId: string }

/** All that is not ended, what waits longest first. */
export function listOpenPayouts({ db }: Pick<Ctx, 'db'>): Promise<OpenPayout[]> {
  return scanDuePayouts(db)
}

/** A payment that the chain has seen, and that no user of the database is known to have got. */
export type NobodysPayout = UnclaimedPayout & PaidOut

/** A return is none of them: it finds its deposit by itself. */
export async function listNobodys({ db }: Pick<Ctx, 'db'>): Promise<NobodysPayout[]> {
  const unclaimed = (await scanDueUnclaimed(db)).filter(({ withdrawalId }) => !isReturnId(withdrawalId))
  return unclaimed.flatMap((row) => {
    const payment = readSignedPayout(row.signedTransaction)
    return payment ? { ...row, ...payment } : []
  })
}

/** The user is debited for it, into debt if the money is gone; the chain then says once more how it ended. */
export async function assignPayout(
  ctx: OperatorCtx,
  id: string,
  userId: string,
  word: DecisionNote,
): Promise<NobodysPayout> {
  if (!isId(userId)) throw new InvalidInput('The user id is not a UUID.')
  const [last, ...earlier] = (await listNobodys(ctx)).filter(({ withdrawalId }) => withdrawalId === id)
  if (!last) throw new InvalidInput('No such payment is nobody’s; see "payouts list".')
  if (!findToken(ctx.config.tokens, last.token)) throw new InvalidInput(`TOKENS does not name ${last.token}.`)
  await ctx.db.transaction(async (tx) => {
    await takeOver(ctx, tx, userId, last, last, last)
    for (const one of earlier) await insertPayout(tx, { userId, withdrawalId: id }, one, one, ctx.clock.now())
    await recordOperatorDecision(ctx, tx, word)
  })
  return last
}

/** Before it was signed: the money is where it was before. */
export function cancelPayout(ctx: OperatorCtx, id: string, word: DecisionNote): Promise<Withdrawal> {
  return decide(ctx, id, word, async (tx, account, withdrawal) => {
    if (withdrawal.status !== 'pending') {
      throw new InvalidInput(`It is ${withdrawal.status}: only what was not signed yet can be called off.`)
    }
    await endPayment(ctx, tx, account, withdrawal, { status: 'failed', mined: null })
  })
}

/** Acted on when the chain says once more that it is final and paid nothing. */
export function decideUnpaid(
  ctx: OperatorCtx,
  id: string,
  decision: UnpaidDecision,
  word: DecisionNote,
): Promise<Withdrawal> {
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
  word: DecisionNote,
  change: (tx: Tx, account: LockedAccount, withdrawal: Withdrawal) => Promise<void>,
): Promise<Withdrawal> {
  const { userId } = await findAnyWithdrawal(ctx, withdrawalId)
  return ctx.db.transaction(async (tx) => {
    const account = await lockAccount(tx, userId)
    await change(tx, account, await requireWithdrawal(tx, { userId, withdrawalId }))
    await recordOperatorDecision(ctx, tx, word)
    return requireWithdrawal(tx, { userId, withdrawalId })
  })
}
