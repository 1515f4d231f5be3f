import type { Caches, Ctx } from '../../context.ts'
import { lockAccount } from '../../identity/users/users.ts'
import type { LockedAccount } from '../../ledger/ledger.ts'
import { addSeconds } from '../../lib/clock.ts'
import type { Tx } from '../../platform/db/db.ts'
import type { DueKey } from '../../platform/jobs/jobs.ts'
import { raiseAlarm } from '../../platform/observability/alarms.ts'
import type { SentPayout, SignedPayout } from '../../providers/chain/chain.ts'
import { isFrozen } from '../deposits/deposits.ts'
import { leftOf } from './payout-wallet.ts'
import { adoptPayout, nextNonce } from './recover-payouts.ts'
import { canBePaidOn, isBumpDue, mayMove, mostBumps, secondsToNextLook, type UnpaidDecision } from './rules.ts'
import { type Ending, endPayment } from './settle-payout.ts'
import {
  findPayee,
  findSigned,
  insertFeeBump,
  insertPayout,
  type PayoutKey,
  postponeLook,
  type StoredPayout,
  scanDueQueue,
  scanDueUnclaimed,
  type Withdrawal,
  type WithdrawalKey,
} from './sql.ts'
import { requireWithdrawal, writeChange } from './withdrawals.ts'

/**
 * How a withdrawal is paid. Owns `payout_transaction` (a nonce of a payout wallet and what was signed for it first) and
 * `payout_fee_bump` (what was signed for it later, for more); `recovery.ts` owns `payout_wallet`.
 * Invariants: nothing is sent before its nonce and its bytes are stored, in the transaction that makes the withdrawal
 * `processing`; a nonce belongs to one withdrawal, and all that is ever signed for it pays the same; so the chain itself
 * pays at most once, whoever sends whatever is stored, as often as they like, from any number of processes.
 */

/** Pays what waits and follows what was sent. What stays open is looked at again when the row is next due. */
export async function advanceWithdrawal(ctx: Ctx, { userId, id: withdrawalId }: DueKey): Promise<Withdrawal> {
  const key = { userId, withdrawalId }
  const waiting = await requireWithdrawal(ctx.db, key)
  if (waiting.status === 'pending') await inTurn(ctx.caches, () => reservePayout(ctx, key, waiting))
  const sent = await requireWithdrawal(ctx.db, key)
  if (sent.status === 'processing') await followPayout(ctx, key, sent)
  return requireWithdrawal(ctx.db, key)
}

/** Runs one payout at a time in this process, so that payouts do not compete for the same nonce. */
function inTurn<T>({ payoutTurn }: Caches, work: () => Promise<T>): Promise<T> {
  const turn = payoutTurn.last.then(work)
  payoutTurn.last = turn.catch(() => {})
  return turn
}

const mostNonces = 20
/** What the wallet cannot pay now is tried again so often. */
const pendingSeconds = 30

async function reservePayout(ctx: Ctx, key: WithdrawalKey, withdrawal: Withdrawal): Promise<void> {
  for (let tries = 0; tries < mostNonces; tries++) {
    const free = await nextNonce(ctx, withdrawal.chainId)
    // What was sent and is not known yet may have paid this very one: until then it is neither paid nor called off.
    if (free === null) return postponeLook(ctx.db, key, addSeconds(ctx.clock.now(), pendingSeconds))
    if (await storePayout(ctx, key, await preparePayout(ctx, withdrawal, free))) return
  }
  throw new Error('other withdrawals take every nonce')
}

type ReadyPayout = { readonly key: PayoutKey; readonly signed: SignedPayout }

/** What the chain has seen already of a return, which a database that was set back had lost. */
async function findPaid(ctx: Ctx, { withdrawalId }: Withdrawal): Promise<ReadyPayout | null> {
  const unclaimed = await scanDueUnclaimed(ctx.db)
  const paid = unclaimed.find((one) => one.withdrawalId === withdrawalId)
  return paid ? { key: paid, signed: paid } : null
}

/**
 * A transaction that pays a withdrawal, signed and not sent; null while the wallet cannot send that much.
 * With the nonce read first, two processes cannot promise the same funds: if another reserves meanwhile, our nonce is its nonce
 * and cannot be stored; if it did before, what it reserved counts as in flight until it has left the wallet.
 */
async function preparePayout(ctx: Ctx, withdrawal: Withdrawal, free: PayoutKey): Promise<ReadyPayout | null> {
  const { chainId, token, amount, withdrawalId } = withdrawal
  const paid = withdrawal.depositId === null ? null : await findPaid(ctx, withdrawal)
  if (paid) return paid
  const { signer } = free
  const inFlight = (await scanDueQueue(ctx.db)).filter(({ status, isMined }) => status === 'processing' && !isMined)
  const left = leftOf(await ctx.chain.payoutFunds(chainId, token), chainId, token, inFlight)
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
 * Reserves the nonce and keeps the signed bytes, both before anything is sent; what should not be paid any more ends here,
 * and what cannot be paid now waits. False when the nonce is another's.
 */
async function storePayout(ctx: Ctx, key: WithdrawalKey, payout: ReadyPayout | null): Promise<boolean> {
  return ctx.db.transaction(async (tx) => {
    const account = await lockAccount(tx, key.userId)
    const withdrawal = await requireWithdrawal(tx, key)
    if (!mayMove(withdrawal.status, 'processing')) return true
    if (!(await mayStillBePaid(tx, account, withdrawal))) {
      await endPayment(ctx, tx, account, withdrawal, { status: 'failed', mined: null })
      return true
    }
    if (payout === null) {
      await postponeLook(tx, key, addSeconds(ctx.clock.now(), pendingSeconds))
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

/** A person may have blocked the account since it was asked for, or removed the payee; a chain may have taken the deposit away. */
async function mayStillBePaid(
  tx: Tx,
  { userId, status }: LockedAccount,
  { depositId, chainId, toAddress }: Withdrawal,
): Promise<boolean> {
  if (depositId !== null) return isFrozen(tx, { userId, depositId })
  const payee = await findPayee(tx, userId, toAddress)
  return status === 'active' && payee !== null && canBePaidOn(chainId, payee.contractChainId)
}

async function followPayout(ctx: Ctx, key: WithdrawalKey, withdrawal: Withdrawal): Promise<void> {
  const { payoutSigner: signer, payoutNonce: nonce } = withdrawal
  if (signer === null || nonce === null) throw new Error('a withdrawal was sent without a transaction')
  const signed = await findSigned(ctx.db, { chainId: withdrawal.chainId, signer, nonce })
  const payout = { ...withdrawal, signer, nonce, txHashes: signed.map(({ txHash }) => txHash) }
  const state = await ctx.chain.payoutState(payout)
  switch (state.status) {
    case 'unknown':
      if (withdrawal.isMined) await noteMined(ctx, key, payout, null)
      await pursue(ctx, payout, signed, state.next)
      break
    case 'mined':
      if (!withdrawal.isMined || withdrawal.txHash !== state.txHash) await noteMined(ctx, key, payout, state.txHash)
      break
    case 'disputed':
      raiseAlarm(
        ctx,
        { area: 'payout', reason: 'nodes_disagree' },
        { withdrawalId: key.withdrawalId, txHash: state.txHash, nonce: String(nonce) },
      )
      break
    case 'unpaid':
      // Whether the payee has the money is for a person to find out: neither a second payment nor a refund is safe.
      if (withdrawal.unpaid !== null && withdrawal.unpaid !== 'open') {
        return endSent(ctx, key, payout, { status: endingOf[withdrawal.unpaid], mined: state })
      }
      raiseAlarm(
        ctx,
        { area: 'payout', reason: 'unpaid' },
        { withdrawalId: key.withdrawalId, txHash: state.txHash, token: withdrawal.token },
      )
      if (withdrawal.unpaid === null) await noteMined(ctx, key, payout, state.txHash, 'open')
      break
    case 'paid':
      return endSent(ctx, key, payout, { status: 'completed', mined: state })
    case 'reverted':
      return endSent(ctx, key, payout, { status: 'failed', mined: state })
    case 'replaced':
      raiseAlarm(
        ctx,
        { area: 'payout', reason: 'replaced' },
        { withdrawalId: key.withdrawalId, txHash: state.txHash, nonce: String(nonce) },
      )
      if (state.payout) await adoptPayout(ctx, { chainId: withdrawal.chainId, signer, nonce }, state, state.payout)
      return endSent(ctx, key, payout, { status: 'failed', mined: null })
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
    else raiseAlarm(ctx, { area: 'payout', reason: 'nonce_gap' }, { chainId, nonce: String(next), withdrawalId })
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
    raiseAlarm(ctx, { area: 'payout', reason: 'stuck' }, named)
    return newest
  }
  if (!(await insertFeeBump(ctx.db, payout, bump, higher, ctx.clock.now()))) return newest
  ctx.metrics.feeBumps.inc()
  ctx.log.warn({ ...named, txHash: higher.txHash }, 'a payout was not mined and offers more')
  return higher
}

const endingOf: Readonly<Record<UnpaidDecision, Ending['status']>> = {
  paid: 'completed',
  refund: 'failed',
  again: 'pending',
}

/** It stands in a block, or (null) no longer does; `open`: it is final there, and paid nothing, unless a person has decided. */
async function noteMined(
  ctx: Ctx,
  key: WithdrawalKey,
  payout: SentPayout,
  txHash: string | null,
  unpaid: 'open' | null = null,
): Promise<void> {
  await changeFollowed(ctx, key, payout, async (tx, { userId }, withdrawal) => {
    await writeChange(ctx, tx, userId, {
      ...withdrawal,
      isMined: txHash !== null,
      txHash: txHash ?? withdrawal.txHash,
      unpaid: unpaid === null ? null : (withdrawal.unpaid ?? unpaid),
    })
  })
}

async function endSent(ctx: Ctx, key: WithdrawalKey, payout: SentPayout, ending: Ending): Promise<void> {
  await changeFollowed(ctx, key, payout, (tx, account, withdrawal) => endPayment(ctx, tx, account, withdrawal, ending))
}

/** What the chain says counts for the payment that it was asked about: meanwhile there may be another one. */
async function changeFollowed(
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

function secondsSince(then: Date, now: Date): number {
  return (now.getTime() - then.getTime()) / 1000
}
