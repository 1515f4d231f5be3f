import type { Ctx } from '../context.ts'
import type { Tx } from '../db/db.ts'
import type { DueKey } from '../jobs/jobs.ts'
import { postMovement, readBalances } from '../ledger/ledger.ts'
import { gasSpent, withdrawalCompleted, withdrawalGivenBack } from '../ledger/movements.ts'
import { nativeCoin } from '../lib/chains.ts'
import { addSeconds } from '../lib/clock.ts'
import type { SentPayout } from '../providers/chain/chain.ts'
import { putItem } from '../statement-items/statement-items.ts'
import { lockAccount } from '../users/users.ts'
import { alarm } from './alarm.ts'
import { inTurn, preparePayout, type ReadyPayout } from './payout-wallet.ts'
import { isBumpDue, mayMove, mostBumps, secondsToNextLook } from './rules.ts'
import {
  findSigned,
  insertFeeBump,
  insertPayout,
  postponeLook,
  type StoredPayout,
  updateWithdrawal,
  type Withdrawal,
  type WithdrawalKey,
} from './sql.ts'
import { itemOf, requireWithdrawal } from './withdrawals.ts'

/**
 * How a withdrawal is paid. Owns `payout_transaction` (a nonce of a payout wallet and what was signed for it first) and
 * `payout_fee_bump` (what was signed for it later, for more).
 * Invariants: nothing is sent before its nonce and its bytes are stored, in the transaction that makes the withdrawal
 * `processing`; a nonce belongs to one withdrawal, and all that is ever signed for it pays the same; so the chain itself
 * pays at most once, whoever sends whatever is stored, as often as they like, from any number of processes.
 */

/** Pays what waits and follows what was sent. What stays open is looked at again when the row is next due. */
export async function advanceWithdrawal(ctx: Ctx, { userId, id: withdrawalId }: DueKey): Promise<Withdrawal> {
  const key = { userId, withdrawalId }
  const waiting = await requireWithdrawal(ctx.db, key)
  if (waiting.status === 'pending') await inTurn(ctx.chain, () => reservePayout(ctx, key, waiting))
  const sent = await requireWithdrawal(ctx.db, key)
  if (sent.status === 'processing') await followPayout(ctx, key, sent)
  return requireWithdrawal(ctx.db, key)
}

const mostNonces = 20
/** What the wallet cannot pay now is tried again so often. */
const pendingSeconds = 30

async function reservePayout(ctx: Ctx, key: WithdrawalKey, withdrawal: Withdrawal): Promise<void> {
  for (let tries = 0; tries < mostNonces; tries++) {
    const payout = await preparePayout(ctx, withdrawal)
    if (payout === null) return postponeLook(ctx.db, key, addSeconds(ctx.clock.now(), pendingSeconds))
    if (await storePayout(ctx, key, payout)) return
  }
  throw new Error('other withdrawals take every nonce')
}

/** Reserves the nonce and keeps the signed bytes, both before anything is sent. False when the nonce is another's. */
async function storePayout(ctx: Ctx, key: WithdrawalKey, payout: ReadyPayout): Promise<boolean> {
  return ctx.db.transaction(async (tx) => {
    await lockAccount(tx, key.userId)
    const withdrawal = await requireWithdrawal(tx, key)
    if (!mayMove(withdrawal.status, 'processing')) return true
    if (!(await insertPayout(tx, key, payout.key, payout.signed, ctx.clock.now()))) return false
    await writeChange(ctx, tx, key, {
      ...withdrawal,
      status: 'processing',
      txHash: payout.signed.txHash,
      payoutSigner: payout.key.signer,
      payoutNonce: payout.key.nonce,
    })
    return true
  })
}

async function followPayout(ctx: Ctx, key: WithdrawalKey, withdrawal: Withdrawal): Promise<void> {
  const { payoutSigner: signer, payoutNonce: nonce } = withdrawal
  if (signer === null || nonce === null) throw new Error('a withdrawal was sent without a transaction')
  const signed = await findSigned(ctx.db, { chainId: withdrawal.chainId, signer, nonce })
  const payout = { ...withdrawal, signer, nonce, txHashes: signed.map(({ txHash }) => txHash) }
  const state = await ctx.chain.payoutState(payout)
  switch (state.status) {
    case 'unknown':
      if (withdrawal.isMined) await noteMined(ctx, key, null)
      await pursue(ctx, payout, signed, state.next)
      break
    case 'mined':
      if (!withdrawal.isMined || withdrawal.txHash !== state.txHash) await noteMined(ctx, key, state.txHash)
      break
    case 'unpaid':
      // Whether the payee has the money is for a person to find out: neither a second payment nor a refund is safe.
      alarm(ctx, 'unpaid', { withdrawalId: key.withdrawalId, txHash: state.txHash, token: withdrawal.token })
      if (!withdrawal.isMined || withdrawal.txHash !== state.txHash) await noteMined(ctx, key, state.txHash)
      break
    case 'paid':
      return endWithdrawal(ctx, key, 'completed', state)
    case 'reverted':
      return endWithdrawal(ctx, key, 'failed', state)
    case 'replaced':
      alarm(ctx, 'replaced', { withdrawalId: key.withdrawalId, txHash: state.txHash, nonce: String(nonce) })
      return endWithdrawal(ctx, key, 'failed', null)
  }
  const now = ctx.clock.now()
  const age = secondsSince(signed[0]?.createdAt ?? now, now)
  await postponeLook(ctx.db, key, addSeconds(now, secondsToNextLook(age)))
}

/**
 * A transaction that the chain does not know proves nothing: the same bytes go out again, whoever sent them before. One
 * that waits behind a lower nonce waits until that one was sent, so it goes out first.
 */
async function pursue(
  ctx: Ctx,
  payout: SentPayout,
  signed: readonly StoredPayout[],
  next: bigint | null,
): Promise<void> {
  const { chainId, nonce, withdrawalId } = payout
  const newest = signed.at(-1)
  if (!newest) throw new Error('a transaction that was stored before it was sent is gone')
  if (next !== null && next < nonce) {
    const lowest = (await findSigned(ctx.db, { ...payout, nonce: next })).at(-1)
    if (lowest) await ctx.chain.sendPayout(chainId, lowest.signedTransaction)
    else alarm(ctx, 'nonce_gap', { chainId, nonce: String(next), withdrawalId })
  }
  const ageSeconds = secondsSince(newest.createdAt, ctx.clock.now())
  const isBump = isBumpDue({ nonce, next, ageSeconds }, ctx.config.payouts.bumpSeconds)
  const bid = isBump ? await outbid(ctx, payout, signed.length, newest) : newest
  await ctx.chain.sendPayout(chainId, bid.signedTransaction)
}

/** The same payment under the same nonce for a higher fee, stored before it is sent; the newest where none is possible. */
async function outbid(
  ctx: Ctx,
  payout: SentPayout,
  bump: number,
  newest: StoredPayout,
): Promise<{ signedTransaction: string }> {
  const higher = bump > mostBumps ? null : await ctx.chain.outbidPayout(payout, newest.signedTransaction)
  const named = { withdrawalId: payout.withdrawalId, chainId: payout.chainId, nonce: String(payout.nonce), bump }
  if (higher === null) {
    alarm(ctx, 'stuck', named)
    return newest
  }
  if (!(await insertFeeBump(ctx.db, payout, bump, higher, ctx.clock.now()))) return newest
  ctx.metrics.feeBumps.inc()
  ctx.log.warn({ ...named, txHash: higher.txHash }, 'a payout was not mined and offers more')
  return higher
}

/** It stands in a block, or (null) no longer does. */
async function noteMined(ctx: Ctx, key: WithdrawalKey, txHash: string | null): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockAccount(tx, key.userId)
    const withdrawal = await requireWithdrawal(tx, key)
    if (withdrawal.status !== 'processing') return
    await writeChange(ctx, tx, key, { ...withdrawal, isMined: txHash !== null, txHash: txHash ?? withdrawal.txHash })
  })
}

/** `mined` null: none of ours was. */
async function endWithdrawal(
  ctx: Ctx,
  key: WithdrawalKey,
  status: 'completed' | 'failed',
  mined: { txHash: string; fee: bigint } | null,
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const account = await lockAccount(tx, key.userId)
    const withdrawal = await requireWithdrawal(tx, key)
    if (!mayMove(withdrawal.status, status)) return
    const { token, amount, chainId } = withdrawal
    const moved =
      status === 'completed'
        ? withdrawalCompleted(token, amount)
        : withdrawalGivenBack(await readBalances(tx, key.userId), token, amount)
    await postMovement(tx, account, {
      kind: status === 'completed' ? 'withdrawal_completed' : 'withdrawal_reverted',
      refId: key.withdrawalId,
      at: ctx.clock.now(),
      postings: [...moved, ...gasSpent(nativeCoin(chainId), mined?.fee ?? 0n)],
    })
    await writeChange(ctx, tx, key, { ...withdrawal, status, txHash: mined?.txHash ?? withdrawal.txHash })
  })
}

async function writeChange(ctx: Ctx, tx: Tx, { userId }: WithdrawalKey, withdrawal: Withdrawal): Promise<void> {
  const now = ctx.clock.now()
  const dueAt = withdrawal.status === 'processing' ? addSeconds(now, secondsToNextLook(0)) : null
  await updateWithdrawal(tx, userId, withdrawal, { now, dueAt })
  await putItem(tx, userId, itemOf(ctx, withdrawal))
}

function secondsSince(then: Date, now: Date): number {
  return (now.getTime() - then.getTime()) / 1000
}
