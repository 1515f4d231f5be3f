import { nativeCoin } from '../../config/chains.ts'
import { type LockedAccount, type Movement, postMovement, readBalances } from '../../ledger/ledger.ts'
import { gasSpent, withdrawalCompleted, withdrawalGivenBack } from '../../ledger/movements.ts'
import type { Tx } from '../../platform/db/db.ts'
import { type BooksCtx, returnDeposit } from '../deposits/deposits.ts'
import { mayTransition, unsent } from './rules.ts'
import type { Withdrawal } from './sql.ts'
import { writeChange } from './withdrawals.ts'

/** The outcome of a payout. `settlePayout` writes the movement and the withdrawal's row in one transaction. */
export type Settlement = {
  /** `pending`: it paid nobody, and the withdrawal is paid again */
  readonly status: 'completed' | 'failed' | 'pending'
  /** our transaction that was mined; null: none was */
  readonly mined: { readonly txHash: string; readonly fee: bigint } | null
}

/** Settles a payout under the account's lock. A withdrawal that has ended does not change. */
export async function settlePayout(
  ctx: BooksCtx,
  tx: Tx,
  account: LockedAccount,
  withdrawal: Withdrawal,
  { status, mined }: Settlement,
): Promise<void> {
  if (!mayTransition(withdrawal.status, status)) return
  const { chainId, withdrawalId, depositId } = withdrawal
  if (depositId !== null && status !== 'pending') {
    await returnDeposit(ctx, tx, depositId, status === 'completed' ? 'returned' : null)
  }
  const moved = depositId === null ? await movementOf(tx, account, withdrawal, status) : null
  await postMovement(tx, account, {
    kind: moved?.kind ?? 'payout_gas',
    refId: withdrawalId,
    at: ctx.clock.now(),
    postings: [...(moved?.postings ?? []), ...gasSpent(nativeCoin(chainId), mined?.fee ?? 0n)],
  })
  const txHash = mined?.txHash ?? withdrawal.txHash
  await writeChange(ctx, tx, account.userId, {
    ...withdrawal,
    ...(status === 'pending' ? unsent : { status, txHash, unpaid: null }),
  })
}

/**
 * Returns the withdrawal's own movement; null if it is paid again. A return has the movement of its deposit instead.
 */
async function movementOf(
  tx: Tx,
  { userId }: LockedAccount,
  { token, amount, status: before }: Withdrawal,
  status: Settlement['status'],
): Promise<Pick<Movement, 'kind' | 'postings'> | null> {
  if (status === 'pending') return null
  if (status === 'completed') return { kind: 'withdrawal_completed', postings: withdrawalCompleted(token, amount) }
  const postings = withdrawalGivenBack(await readBalances(tx, userId), token, amount)
  return { kind: before === 'pending' ? 'withdrawal_cancelled' : 'withdrawal_reverted', postings }
}
