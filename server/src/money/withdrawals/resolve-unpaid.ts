import { findToken } from '../../config/stablecoins.ts'
import type { Ctx } from '../../context.ts'
import { lockAccount } from '../../identity/users/users.ts'
import type { LockedAccount } from '../../ledger/ledger.ts'
import { InvalidInput } from '../../lib/errors.ts'
import { isId } from '../../lib/id.ts'
import type { Tx } from '../../platform/db/db.ts'
import { readSignedPayout } from '../../providers/chain/payout-call.ts'
import type { BooksCtx } from '../deposits/deposits.ts'
import { type RecoveredPayout, recordPayout } from './recover-payouts.ts'
import type { UnpaidDecision } from './rules.ts'
import { settlePayout } from './settle-payout.ts'
import {
  insertPayout,
  postponeCheck,
  scanDuePayouts,
  scanDueUnassigned,
  type UnassignedPayoutRow,
  type Withdrawal,
} from './sql.ts'
import { findWithdrawalById, requireWithdrawal, writeChange } from './withdrawals.ts'

/**
 * Operator decisions about payouts: cancel one that is not signed, resolve one that is final but paid nobody, and
 * assign a recovered one to a user. The caller records each with its author and reason.
 * Invariant: an operator can resolve a signed payout only after the chain reports that it is final and paid nobody.
 */
type OperatorCtx = BooksCtx & Pick<Ctx, 'db'>

export type OpenPayout = Withdrawal & { readonly userId: string }

/** Returns every withdrawal and return that has not ended, the oldest first. */
export function listOpenPayouts({ db }: Pick<Ctx, 'db'>): Promise<OpenPayout[]> {
  return scanDuePayouts(db)
}

/** A recovered payout without a user. */
export type UnassignedPayout = UnassignedPayoutRow & RecoveredPayout

/**
 * Returns the payouts that an operator must assign. Returns are matched with their deposits automatically, and payouts
 * of a known withdrawal only wait for the end of its other payout.
 */
export async function listUnassignedPayouts({ db }: Pick<Ctx, 'db'>): Promise<UnassignedPayout[]> {
  const unassigned: UnassignedPayout[] = []
  for (const row of await scanDueUnassigned(db)) {
    const payout = row.needsUser ? readSignedPayout(row.signedTransaction) : null
    if (payout !== null) unassigned.push({ ...row, ...payout })
  }
  return unassigned
}

/** Debits the user for the payout, into debt if needed. Due work then reads from the chain how it ended. */
export async function assignPayout(ctx: OperatorCtx, id: string, userId: string): Promise<UnassignedPayout> {
  if (!isId(userId)) throw new InvalidInput(`"${userId}" is not a user id. Use a UUID.`)
  const [last, ...earlier] = (await listUnassignedPayouts(ctx)).filter(({ withdrawalId }) => withdrawalId === id)
  if (!last) throw new InvalidInput(`${id} is not an unassigned payout. See "payouts list".`)
  if (!findToken(ctx.config.tokens, last.token))
    throw new InvalidInput(`${last.token} is not in TOKENS. Add the token first.`)
  await ctx.db.transaction(async (tx) => {
    // False if the withdrawal was recovered in the meantime, from another payout.
    const isRecorded = await recordPayout(ctx, tx, userId, last, last, last)
    if (!isRecorded) throw new InvalidInput(`${id} is not an unassigned payout. See "payouts list".`)
    for (const one of earlier) await insertPayout(tx, { userId, withdrawalId: id }, one, one, ctx.clock.now())
  })
  return last
}

/** Cancels a withdrawal that is not signed yet, and releases its funds. */
export function cancelPayout(ctx: OperatorCtx, id: string): Promise<Withdrawal> {
  return decide(ctx, id, async (tx, account, withdrawal) => {
    if (withdrawal.status !== 'pending') {
      throw new InvalidInput(`The payout is ${withdrawal.status}. Only a pending payout can be canceled.`)
    }
    await settlePayout(ctx, tx, account, withdrawal, { status: 'failed', mined: null })
  })
}

/** Stores a decision. It takes effect once the chain confirms again that the payout is final and paid nobody. */
export function resolveUnpaid(ctx: OperatorCtx, id: string, decision: UnpaidDecision): Promise<Withdrawal> {
  return decide(ctx, id, async (tx, { userId }, withdrawal) => {
    if (withdrawal.status !== 'processing' || withdrawal.unpaid === null) {
      throw new InvalidInput('The payout is not known to be final and unpaid. Wait until the chain reports it.')
    }
    await writeChange(ctx, tx, userId, { ...withdrawal, unpaid: decision })
    await postponeCheck(tx, { userId, withdrawalId: id }, ctx.clock.now())
  })
}

async function decide(
  ctx: OperatorCtx,
  withdrawalId: string,
  change: (tx: Tx, account: LockedAccount, withdrawal: Withdrawal) => Promise<void>,
): Promise<Withdrawal> {
  const { userId } = await findWithdrawalById(ctx, withdrawalId)
  return ctx.db.transaction(async (tx) => {
    const account = await lockAccount(tx, userId)
    await change(tx, account, await requireWithdrawal(tx, { userId, withdrawalId }))
    return requireWithdrawal(tx, { userId, withdrawalId })
  })
}
