import type { Ctx } from '../context.ts'
import type { Tx } from '../db/db.ts'
import { type LockedAccount, postMovement, readBalances } from '../ledger/ledger.ts'
import { withdrawalRecovered } from '../ledger/movements.ts'
import { timeOf } from '../lib/id.ts'
import { max } from '../lib/money.ts'
import type { MinedPayout } from '../providers/chain/chain.ts'
import { findOwnerOf, lockAccount } from '../users/users.ts'
import { alarm } from './alarm.ts'
import { claimReturns } from './returns.ts'
import { isReturnId, mayMove, unsent } from './rules.ts'
import {
  findLastNonce,
  findWithdrawal,
  findWithdrawalKey,
  insertPayout,
  insertWithdrawal,
  type PayoutKey,
  type Withdrawal,
} from './sql.ts'
import { writeChange } from './withdrawals.ts'

/**
 * A database that was set back knows less than the chain: payouts were sent whose nonces it has not stored. To pay on would
 * pay them twice. Each transaction names its withdrawal, so the chain says what the books have lost.
 */

/** The wallet and the nonce that its next payout takes; null while one that was used before is not mined. */
export async function nextNonce(ctx: Ctx, chainId: number): Promise<{ signer: string; nonce: bigint } | null> {
  const signer = await ctx.chain.payoutSigner(chainId)
  // The chain's count first: what another process stores and sends meanwhile is then not taken for a stranger's.
  const next = await ctx.chain.payoutNonce(chainId)
  const last = await findLastNonce(ctx.db, chainId, signer)
  if (last === null) return { signer, nonce: next }
  const areKnown = await adoptPayouts(ctx, { chainId, signer, from: last + 1n, to: next })
  return areKnown ? { signer, nonce: max(next, last + 1n) } : null
}

/** Also when nothing waits to be paid: what was paid must not be spent again. */
export async function findLostPayouts(ctx: Ctx): Promise<void> {
  for (const chainId of new Set(ctx.config.tokens.map((token) => token.chainId))) await nextNonce(ctx, chainId)
  await claimReturns(ctx)
}

/** Takes over every nonce that was used before `to`. False while one of them is not mined: then nothing may be paid. */
async function adoptPayouts(
  ctx: Ctx,
  { chainId, signer, from, to }: { chainId: number; signer: string; from: bigint; to: bigint },
): Promise<boolean> {
  for (let nonce = from; nonce < to; nonce++) {
    const mined = await ctx.chain.payoutAt(chainId, nonce)
    const about = {
      chainId,
      signer,
      nonce: String(nonce),
      txHash: mined?.txHash,
      withdrawalId: mined?.payout?.withdrawalId,
    }
    alarm(ctx, 'unknown_nonce', about)
    if (mined === null) return false
    if (mined.payout !== null && !(await adoptPayout(ctx, { chainId, signer, nonce }, mined, mined.payout))) {
      ctx.log.error(about, 'a payout belongs to no user')
    }
  }
  return true
}

/** False when nobody is known who was paid. */
async function adoptPayout(
  ctx: Ctx,
  key: PayoutKey,
  mined: MinedPayout,
  payout: NonNullable<MinedPayout['payout']>,
): Promise<boolean> {
  const { withdrawalId, toAddress } = payout
  const known = await findWithdrawalKey(ctx.db, withdrawalId)
  if (known === null && isReturnId(withdrawalId)) {
    return insertPayout(ctx.db, { userId: null, withdrawalId }, key, mined, ctx.clock.now())
  }
  const userId = known?.userId ?? (await findOwnerOf(ctx.db, toAddress))
  const isOurs = ctx.config.tokens.some(({ address, chainId }) => address === payout.token && chainId === key.chainId)
  if (userId === null || !isOurs) return false
  await ctx.db.transaction(async (tx) => {
    const account = await lockAccount(tx, userId)
    const found = await findWithdrawal(tx, { userId, withdrawalId })
    const withdrawal = found ?? (await recoverWithdrawal(ctx, tx, account, { ...payout, chainId: key.chainId }))
    if (isReturnId(withdrawalId) && withdrawal.status === 'failed') {
      await insertPayout(tx, { userId: null, withdrawalId }, key, mined, ctx.clock.now())
      return
    }
    if (!isNewer(withdrawal, key)) return
    if (!(await insertPayout(tx, { userId, withdrawalId }, key, mined, ctx.clock.now()))) return
    await writeChange(ctx, tx, userId, {
      ...withdrawal,
      status: 'processing',
      txHash: mined.txHash,
      payoutSigner: key.signer,
      payoutNonce: key.nonce,
      isMined: false,
      unpaid: null,
    })
  })
  return true
}

/** What was paid again had not been paid before: the last payment counts. */
function isNewer({ status, payoutNonce }: Withdrawal, { nonce }: PayoutKey): boolean {
  return mayMove(status, 'processing') || (status === 'processing' && payoutNonce !== null && payoutNonce < nonce)
}

/** The request is lost as well: its id says when it was made, the transaction for whom and how much. */
async function recoverWithdrawal(
  ctx: Ctx,
  tx: Tx,
  account: LockedAccount,
  payout: Pick<Withdrawal, 'withdrawalId' | 'chainId' | 'token' | 'toAddress' | 'amount'>,
): Promise<Withdrawal> {
  const { withdrawalId, token, amount } = payout
  const withdrawal = { ...payout, ...unsent, depositId: null, createdAt: timeOf(withdrawalId) }
  await insertWithdrawal(tx, account.userId, withdrawal)
  const postings = withdrawalRecovered(await readBalances(tx, account.userId), token, amount)
  await postMovement(tx, account, { kind: 'withdrawal_recovered', refId: withdrawalId, at: ctx.clock.now(), postings })
  return withdrawal
}
