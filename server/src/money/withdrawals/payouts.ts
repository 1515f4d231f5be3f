import type { Ctx } from '../../context.ts'
import { lockAccount } from '../../identity/users/users.ts'
import type { LockedAccount } from '../../ledger/ledger.ts'
import { addSeconds, secondsSince } from '../../lib/clock.ts'
import type { Tx } from '../../platform/db/db.ts'
import type { DueKey } from '../../platform/jobs/jobs.ts'
import { raiseAlarm } from '../../platform/observability/alarms.ts'
import type { MinedPayout, SentPayout, SignedPayout } from '../../providers/chain/chain.ts'
import { mayPayOut } from '../../switches/switches.ts'
import { isFrozen } from '../deposits/deposits.ts'
import { inPayoutTurn } from './payout-turn.ts'
import { remainingFunds } from './payout-wallet.ts'
import { nextNonce, recoverPayout } from './recover-payouts.ts'
import { canBePaidOn, isBumpDue, maxBumps, mayTransition, secondsToNextCheck, type UnpaidDecision } from './rules.ts'
import { type Settlement, settlePayout } from './settle-payout.ts'
import {
  findPayee,
  findSigned,
  findUnassigned,
  insertFeeBump,
  insertPayout,
  type PayoutKey,
  postponeCheck,
  replacePayout,
  type StoredPayout,
  scanDueQueue,
  type Withdrawal,
  type WithdrawalKey,
} from './sql.ts'
import { requireWithdrawal, writeChange } from './withdrawals.ts'

/**
 * Payouts: how withdrawals and returns are paid on their chains. Owns the tables `payout_transaction` (one nonce of a
 * payout wallet, with the first transaction signed for it) and `payout_fee_bump` (the same payout, signed again with a
 * higher fee). `recover-payouts.ts` owns `payout_wallet`.
 *
 * Invariants: a nonce and its signed bytes are stored before anything is sent, in the transaction that makes the
 * withdrawal `processing`. A nonce belongs to one withdrawal, and every transaction signed for it pays the same, from
 * the same wallet. Therefore the chain pays at most once, however often and from however many processes the stored
 * bytes are sent. A lost payout whose final transaction has used the nonce may take over the row (`settleReplaced`).
 */

/** Pays a pending withdrawal, or follows its payout. An open payout is checked again when its row is next due. */
export async function advanceWithdrawal(ctx: Ctx, { userId, id: withdrawalId }: DueKey): Promise<Withdrawal> {
  const key = { userId, withdrawalId }
  const waiting = await requireWithdrawal(ctx.db, key)
  if (waiting.status === 'pending')
    await inPayoutTurn(ctx.caches.payoutTurns, waiting.chainId, () => reservePayout(ctx, key, waiting))
  const sent = await requireWithdrawal(ctx.db, key)
  if (sent.status === 'processing') await followPayout(ctx, key, sent)
  return requireWithdrawal(ctx.db, key)
}

const maxNonceTries = 20
/** The pause before the next try of a withdrawal that cannot be paid yet. */
const pendingSeconds = 30

async function reservePayout(ctx: Ctx, key: WithdrawalKey, withdrawal: Withdrawal): Promise<void> {
  if (!(await mayPayOut(ctx, ctx.db))) return postponeCheck(ctx.db, key, addSeconds(ctx.clock.now(), pendingSeconds))
  for (let tries = 0; tries < maxNonceTries; tries++) {
    const free = await nextNonce(ctx, withdrawal.chainId)
    // An unread transaction of the wallet may have paid this withdrawal, so Purser must not pay or fail it yet.
    if (free === null) return postponeCheck(ctx.db, key, addSeconds(ctx.clock.now(), pendingSeconds))
    if (await storePayout(ctx, key, await preparePayout(ctx, withdrawal, free))) return
  }
  throw new Error(`other withdrawals took the nonce ${maxNonceTries} times`)
}

type PreparedPayout = { readonly key: PayoutKey; readonly signed: SignedPayout }

/** Returns the payout of a withdrawal or return that was recovered from the chain; null if there is none. */
async function findRecovered(ctx: Ctx, { withdrawalId }: Withdrawal): Promise<PreparedPayout | null> {
  const paid = await findUnassigned(ctx.db, withdrawalId)
  return paid ? { key: paid, signed: paid } : null
}

/**
 * Returns a payout for a withdrawal: a recovered one, or else a newly signed, unsent transaction. Returns null while the
 * wallet lacks the funds.
 *
 * The nonce is read before the funds, so two processes cannot reserve the same funds. If another process reserves a
 * payout after this read, both have the same nonce and only one can store it. A payout reserved before this read counts
 * as in flight until the funds have left the wallet.
 */
async function preparePayout(ctx: Ctx, withdrawal: Withdrawal, free: PayoutKey): Promise<PreparedPayout | null> {
  const { chainId, token, amount, withdrawalId } = withdrawal
  const paid = await findRecovered(ctx, withdrawal)
  if (paid) return paid
  const { signer } = free
  const inFlight = (await scanDueQueue(ctx.db)).filter(({ status, isMined }) => status === 'processing' && !isMined)
  const left = remainingFunds(await ctx.chain.payoutFunds(chainId, token), chainId, token, inFlight)
  if (left.amount < amount || left.transactions < 1n) {
    raiseAlarm(
      ctx,
      { area: 'payout', reason: left.amount < amount ? 'low_funds' : 'no_gas' },
      { chainId, signer, token, withdrawalId },
    )
    return null
  }
  return { key: free, signed: await ctx.chain.signPayout({ ...withdrawal, nonce: free.nonce }) }
}

/**
 * Stores the nonce and the signed bytes. A withdrawal that must no longer be paid fails here. One that cannot be paid
 * yet waits. Returns false if another payout has taken the nonce.
 */
async function storePayout(ctx: Ctx, key: WithdrawalKey, payout: PreparedPayout | null): Promise<boolean> {
  return ctx.db.transaction(async (tx) => {
    const account = await lockAccount(tx, key.userId)
    const withdrawal = await requireWithdrawal(tx, key)
    if (!mayTransition(withdrawal.status, 'processing')) return true
    if (!(await mayStillBePaid(tx, account, withdrawal))) {
      await settlePayout(ctx, tx, account, withdrawal, { status: 'failed', mined: null })
      return true
    }
    if (payout === null || !(await mayPayOut(ctx, tx))) {
      await postponeCheck(tx, key, addSeconds(ctx.clock.now(), pendingSeconds))
      return true
    }
    if (!(await insertPayout(tx, key, payout.key, payout.signed, ctx.clock.now()))) return false
    await writeChange(ctx, tx, key.userId, {
      ...withdrawal,
      status: 'processing',
      txHash: payout.signed.txHash,
      payoutSigner: payout.key.signer,
      payoutNonce: payout.key.nonce,
    })
    return true
  })
}

/**
 * Returns whether the withdrawal may still be paid. Since the request, an operator may have blocked the account, the
 * user may have removed the payee, or a reorganization may have removed the deposit that is being returned.
 */
async function mayStillBePaid(
  tx: Tx,
  { userId, status }: LockedAccount,
  { depositId, chainId, toAddress }: Withdrawal,
): Promise<boolean> {
  if (depositId !== null) return isFrozen(tx, { userId, depositId })
  const payee = await findPayee(tx, userId, toAddress)
  // Only operators order payouts of a closed account.
  const isPaying = status === 'active' || status === 'closed'
  return isPaying && payee !== null && canBePaidOn(chainId, payee.contractChainId)
}

async function followPayout(ctx: Ctx, key: WithdrawalKey, withdrawal: Withdrawal): Promise<void> {
  const { payoutSigner: signer, payoutNonce: nonce } = withdrawal
  if (signer === null || nonce === null)
    throw new Error(`withdrawal ${key.withdrawalId} is processing without a payout`)
  const signed = await findSigned(ctx.db, { chainId: withdrawal.chainId, signer, nonce })
  const payout = { ...withdrawal, signer, nonce, txHashes: signed.map(({ txHash }) => txHash) }
  const state = await ctx.chain.payoutState(payout)
  switch (state.status) {
    case 'unknown':
      if (withdrawal.isMined) await recordMined(ctx, key, payout, null)
      await resubmit(ctx, payout, signed, state.next)
      break
    case 'mined':
      if (!withdrawal.isMined || withdrawal.txHash !== state.txHash) await recordMined(ctx, key, payout, state.txHash)
      break
    case 'disputed':
      raiseAlarm(
        ctx,
        { area: 'payout', reason: 'nodes_disagree' },
        {
          withdrawalId: key.withdrawalId,
          txHash: state.txHash,
          nonce: String(nonce),
        },
      )
      break
    case 'unpaid':
      // Only an operator can find out whether the payee was paid: neither a second payout nor a refund is safe.
      if (withdrawal.unpaid !== null && withdrawal.unpaid !== 'open') {
        return settleSent(ctx, key, payout, { status: settledStatus[withdrawal.unpaid], mined: state })
      }
      raiseAlarm(
        ctx,
        { area: 'payout', reason: 'unpaid' },
        { withdrawalId: key.withdrawalId, txHash: state.txHash, token: withdrawal.token },
      )
      if (withdrawal.unpaid === null) await recordMined(ctx, key, payout, state.txHash, 'open')
      break
    case 'paid':
      return settleSent(ctx, key, payout, { status: 'completed', mined: state })
    case 'reverted':
      return settleSent(ctx, key, payout, { status: 'failed', mined: state })
    case 'replaced':
      raiseAlarm(
        ctx,
        { area: 'payout', reason: 'replaced' },
        { withdrawalId: key.withdrawalId, txHash: state.txHash, nonce: String(nonce) },
      )
      return settleReplaced(ctx, key, payout, state)
  }
  const now = ctx.clock.now()
  const age = secondsSince(signed[0]?.createdAt ?? now, now)
  await postponeCheck(ctx.db, key, addSeconds(now, secondsToNextCheck(age)))
}

/**
 * Resubmits a payout that is in no block, unless an operator has stopped payouts. It may still be mined even if the
 * node does not know it, so the same bytes are sent again. The chain mines nonces in order, so a lower open nonce is
 * sent first.
 */
async function resubmit(
  ctx: Ctx,
  payout: SentPayout,
  signed: readonly StoredPayout[],
  next: bigint | null,
): Promise<void> {
  if (!(await mayPayOut(ctx, ctx.db))) return
  const { chainId, nonce, withdrawalId } = payout
  const newest = signed.at(-1)
  if (!newest) throw new Error(`payout ${nonce} of withdrawal ${withdrawalId} has no stored transaction`)
  if (next !== null && next < nonce) {
    const lowest = (await findSigned(ctx.db, { ...payout, nonce: next })).at(-1)
    if (lowest) await ctx.chain.sendPayout(chainId, lowest.signedTransaction)
    else raiseAlarm(ctx, { area: 'payout', reason: 'nonce_gap' }, { chainId, nonce: String(next), withdrawalId })
  }
  const ageSeconds = secondsSince(newest.createdAt, ctx.clock.now())
  const isBump = isBumpDue({ nonce, next, ageSeconds }, ctx.config.payouts.bumpSeconds)
  const latest = isBump ? await bumpFee(ctx, payout, signed.length, newest) : newest
  await ctx.chain.sendPayout(chainId, latest.signedTransaction)
}

/** Signs and stores the payout with a higher fee; returns the newest transaction if no fee bump is possible. */
async function bumpFee(
  ctx: Ctx,
  payout: SentPayout,
  bump: number,
  newest: StoredPayout,
): Promise<{ signedTransaction: string }> {
  const when = bump > maxBumps ? 'below market' : 'always'
  const higher = await ctx.chain.bumpPayoutFee(payout, newest.signedTransaction, when)
  const named = { withdrawalId: payout.withdrawalId, chainId: payout.chainId, nonce: String(payout.nonce), bump }
  if (higher === null) {
    raiseAlarm(ctx, { area: 'payout', reason: 'stuck' }, named)
    return newest
  }
  if (!(await insertFeeBump(ctx.db, payout, bump, higher, ctx.clock.now()))) return newest
  ctx.metrics.feeBumps.inc()
  ctx.log.warn({ ...named, txHash: higher.txHash }, 'payout resubmitted with a higher fee')
  return higher
}

const settledStatus: Readonly<Record<UnpaidDecision, Settlement['status']>> = {
  paid: 'completed',
  refund: 'failed',
  again: 'pending',
}

/**
 * Records the mined transaction of the payout; null: the node has it in no block. `unpaid` is `open` if the payout is
 * final but paid nobody. An operator's decision is preserved: a node that lags behind must not clear it.
 */
async function recordMined(
  ctx: Ctx,
  key: WithdrawalKey,
  payout: SentPayout,
  txHash: string | null,
  unpaid: 'open' | null = null,
): Promise<void> {
  await changeIfCurrent(ctx, key, payout, async (tx, { userId }, withdrawal) => {
    await writeChange(ctx, tx, userId, {
      ...withdrawal,
      isMined: txHash !== null,
      txHash: txHash ?? withdrawal.txHash,
      unpaid: withdrawal.unpaid ?? unpaid,
    })
  })
}

async function settleSent(ctx: Ctx, key: WithdrawalKey, payout: SentPayout, settlement: Settlement): Promise<void> {
  await changeIfCurrent(ctx, key, payout, (tx, account, withdrawal) =>
    settlePayout(ctx, tx, account, withdrawal, settlement),
  )
}

/**
 * Releases the funds of a withdrawal after another transaction has used its nonce, and recovers the payout of that
 * transaction. A payout that is stored without a user takes over the row of the nonce in the same database transaction,
 * because the nonce is never read from the chain again.
 */
async function settleReplaced(ctx: Ctx, key: WithdrawalKey, payout: SentPayout, mined: MinedPayout): Promise<void> {
  const { chainId, signer, nonce } = payout
  const used: PayoutKey = { chainId, signer, nonce }
  const failed = { status: 'failed', mined: null } as const
  if (mined.payout) {
    await recoverPayout(ctx, used, mined, mined.payout, (recovered) =>
      changeIfCurrent(ctx, key, payout, async (tx, account, withdrawal) => {
        await replacePayout(tx, recovered, used, mined, ctx.clock.now())
        await settlePayout(ctx, tx, account, withdrawal, failed)
      }),
    )
  }
  await settleSent(ctx, key, payout, failed)
}

/** Changes the withdrawal only if its payout is still the one whose state was read. */
async function changeIfCurrent(
  ctx: Ctx,
  key: WithdrawalKey,
  { signer, nonce }: SentPayout,
  change: (tx: Tx, account: LockedAccount, withdrawal: Withdrawal) => Promise<void>,
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const account = await lockAccount(tx, key.userId)
    const withdrawal = await requireWithdrawal(tx, key)
    const { status, payoutSigner, payoutNonce } = withdrawal
    if (status !== 'processing' || payoutSigner !== signer || payoutNonce !== nonce) return
    await change(tx, account, withdrawal)
  })
}
