import type { Ctx } from '../../context.ts'
import { findOwnerOf, lockAccount } from '../../identity/users/users.ts'
import { type LockedAccount, postMovement, readBalances } from '../../ledger/ledger.ts'
import { withdrawalRecovered } from '../../ledger/movements.ts'
import { tryEach } from '../../lib/attempts.ts'
import { timeOf } from '../../lib/id.ts'
import { max, min } from '../../lib/money.ts'
import type { Tx } from '../../platform/db/db.ts'
import { raiseAlarm } from '../../platform/observability/alarms.ts'
import type { MinedPayout, SignedPayout } from '../../providers/chain/chain.ts'
import { readSignedPayout } from '../../providers/chain/payout-call.ts'
import { listCreditedDeposits } from '../deposits/deposits.ts'
import { returnIdOf } from '../deposits/rules.ts'
import { recoverReturns } from './returns.ts'
import { isReturnId, unsent } from './rules.ts'
import {
  findLastNonce,
  findUnreadNonce,
  findUsersOf,
  findWithdrawal,
  findWithdrawalKey,
  insertPayout,
  insertWithdrawal,
  type PayoutKey,
  type PayoutWallet,
  putUnreadNonce,
  scanDueUnassigned,
  type UnassignedWithdrawal,
  type Withdrawal,
} from './sql.ts'
import { writeChange } from './withdrawals.ts'

/**
 * Recovers payouts that a restored database lacks. Owns the table `payout_wallet`: the progress of reading each payout
 * wallet's transactions from its chain.
 *
 * A database that was restored from a backup has lost payouts that were sent since, and would pay them twice. Each
 * payout names its withdrawal on the chain, so the lost rows can be written again from there.
 * Invariant: no nonce is used for a payout while an earlier transaction of the wallet is unread.
 *
 * A lost payout that is in no block may be unknown to every node. Another withdrawal then gets its nonce, and the
 * withdrawal of the lost payout is signed again. If the lost payout is mined after all, it is recovered
 * (`settleReplaced`). If both payouts of that withdrawal are mined, it was paid twice, and an alarm reports it.
 */

/** Returns the payout wallet and its next nonce; null while an earlier transaction of the wallet is unread. */
export async function nextNonce(ctx: Ctx, chainId: number): Promise<PayoutKey | null> {
  const signer = await ctx.chain.payoutSigner(chainId)
  const wallet = { chainId, signer }
  // The chain's count is read first, so payouts that another process stores and sends later do not appear unknown.
  const sent = await ctx.chain.payoutNonce(chainId)
  const last = await findLastNonce(ctx.db, wallet)
  if (!(await readUnknownNonces(ctx, wallet, { last, to: sent }))) return null
  return { ...wallet, nonce: last === null ? sent : max(sent, last + 1n) }
}

/**
 * Reads the payout wallets of all chains, even if nothing is queued: the funds of a lost payout must not be spent
 * again. An unreachable chain does not delay the others.
 */
export async function findLostPayouts(ctx: Ctx): Promise<void> {
  const chainIds = new Set(ctx.config.tokens.map((token) => token.chainId))
  await tryEach(chainIds, (chainId) => nextNonce(ctx, chainId))
    .finally(() => recordUnassigned(ctx))
    .finally(() => recoverReturns(ctx))
}

/** Records the payouts that had to wait for the end of another payout of the same withdrawal. */
async function recordUnassigned(ctx: Ctx): Promise<void> {
  const unassigned = await scanDueUnassigned(ctx.db)
  if (unassigned.length === 0) return
  const users = await findUsersOf(
    ctx.db,
    unassigned.map(({ withdrawalId }) => withdrawalId),
  )
  await tryEach(unassigned, async (found) => {
    const userId = users.get(found.withdrawalId)
    const payout = readSignedPayout(found.signedTransaction)
    if (userId === undefined || payout === null) return
    const isRecorded = await ctx.db.transaction((tx) => recordPayout(ctx, tx, userId, found, found, payout))
    // Its withdrawal was recovered from another payout, so no operator has to find the user.
    if (!isRecorded && found.needsUser)
      await insertPayout(ctx.db, { ...found, needsUser: false }, found, found, ctx.clock.now())
  })
}

/** This many lookups take far less time than a lease of due work. The next run continues with the next nonce. */
const maxReadAtOnce = 50n

/**
 * Reads at most `maxReadAtOnce` of the nonces below `to` that are neither stored nor read yet. Returns whether none is
 * left. A mined transaction that pays no withdrawal raises an alarm only if a payout of the wallet is stored. A payout
 * always raises one, because a restored database may lack all payouts.
 */
async function readUnknownNonces(
  ctx: Ctx,
  wallet: PayoutWallet,
  { last, to }: { last: bigint | null; to: bigint },
): Promise<boolean> {
  const from = await firstUnread(ctx, wallet, { last, sent: to })
  // Stores the first nonce, so that `firstNonce` runs at most once: nodes prune the state that it reads.
  if (last === null) await putUnreadNonce(ctx.db, wallet, from)
  const until = min(to, from + maxReadAtOnce)
  for (let nonce = from; nonce < until; nonce++) {
    const mined = await ctx.chain.payoutAt(wallet.chainId, nonce)
    const about = { ...wallet, nonce: String(nonce), txHash: mined?.txHash, withdrawalId: mined?.payout?.withdrawalId }
    if (last !== null || mined === null || mined.payout !== null)
      raiseAlarm(ctx, { area: 'payout', reason: 'unknown_nonce' }, about)
    if (mined === null) return false
    if (mined.payout !== null) await recoverPayout(ctx, { ...wallet, nonce }, mined, mined.payout)
    await putUnreadNonce(ctx.db, wallet, nonce + 1n)
  }
  return until >= to
}

/** Returns the first nonce that is neither stored nor read. `sent` is the chain's next nonce. */
async function firstUnread(
  ctx: Ctx,
  wallet: PayoutWallet,
  { last, sent }: { last: bigint | null; sent: bigint },
): Promise<bigint> {
  const unread = await findUnreadNonce(ctx.db, wallet)
  const known = max(unread ?? -1n, last === null ? -1n : last + 1n)
  if (known !== -1n) return known
  return sent === 0n ? 0n : ctx.chain.firstNonce(wallet.chainId)
}

/** Returns whether the payout wallet has sent a transaction that is not read yet. Reads no transaction. */
export async function hasUnreadPayouts(ctx: Ctx, chainId: number): Promise<boolean> {
  const wallet = { chainId, signer: await ctx.chain.payoutSigner(chainId) }
  const sent = await ctx.chain.payoutNonce(chainId)
  const last = await findLastNonce(ctx.db, wallet)
  return (await firstUnread(ctx, wallet, { last, sent })) < sent
}

/**
 * Records an on-chain payout for the user that it paid. Calls `storeUnassigned` to store it without a user if the user
 * or the token is unknown, or if `recordPayout` cannot record it. A return is first stored that way in any case. The
 * default `storeUnassigned` is for a nonce that no stored payout has.
 */
export async function recoverPayout(
  ctx: Ctx,
  key: PayoutKey,
  mined: MinedPayout,
  payout: NonNullable<MinedPayout['payout']>,
  storeUnassigned = async (withdrawal: UnassignedWithdrawal): Promise<void> => {
    await insertPayout(ctx.db, withdrawal, key, mined, ctx.clock.now())
  },
): Promise<void> {
  const { withdrawalId, toAddress } = payout
  const known = await findWithdrawalKey(ctx.db, withdrawalId)
  const isReturn = isReturnId(withdrawalId)
  const unassigned = { userId: null, withdrawalId, needsUser: known === null && !isReturn }
  const userId = known?.userId ?? (isReturn ? null : await findPaidUser(ctx, withdrawalId, toAddress))
  const isOurs = ctx.config.tokens.some(({ address, chainId }) => address === payout.token && chainId === key.chainId)
  if (userId === null || !isOurs) {
    const about = { ...key, ...payout, nonce: String(key.nonce), amount: String(payout.amount), txHash: mined.txHash }
    if (!isReturn) ctx.log.error(about, 'payout of an unknown user or token found')
    await storeUnassigned(unassigned)
    // Last, because this search reads all deposits: if it times out, the payout is already stored.
    if (isReturn) await reportCredited(ctx, key, payout)
    return
  }
  // If the return is ordered again in the meantime, the order finds this payout and signs no second one.
  if (isReturn) await storeUnassigned(unassigned)
  const isRecorded = await ctx.db.transaction((tx) => recordPayout(ctx, tx, userId, key, mined, payout))
  if (!isRecorded) await storeUnassigned(unassigned)
}

/**
 * Raises an alarm if the deposit of a return is credited: its screening ended before the return was found. A failed
 * search also raises the alarm, without a deposit, because the search is never repeated.
 */
async function reportCredited(
  ctx: Ctx,
  { chainId }: PayoutKey,
  { withdrawalId, toAddress, ...paid }: RecoveredPayout,
): Promise<void> {
  const alarm = { area: 'payout', reason: 'credited_return' } as const
  try {
    const credited = await listCreditedDeposits(ctx, { ...paid, chainId, fromAddress: toAddress })
    const deposit = credited.find((each) => returnIdOf(each) === withdrawalId)
    if (deposit) raiseAlarm(ctx, alarm, { depositId: deposit.depositId, txHash: deposit.txHash, withdrawalId })
  } catch (error) {
    ctx.log.error({ err: error, withdrawalId }, 'search for the deposit of a return failed')
    raiseAlarm(ctx, alarm, { ...paid, amount: String(paid.amount), withdrawalId })
  }
}

export type RecoveredPayout = Pick<Withdrawal, 'withdrawalId' | 'token' | 'toAddress' | 'amount'>

/**
 * Records an on-chain payout for a user. Due work then follows it like any other payout. Returns false if the
 * withdrawal has another payout, whose end is not known yet: only a payout that paid nobody may be replaced. Also
 * returns false for a second payment that cannot be stored (`recordSecondPayment`).
 */
export async function recordPayout(
  ctx: Pick<Ctx, 'config' | 'clock' | 'log' | 'metrics'>,
  tx: Tx,
  userId: string,
  key: PayoutKey,
  signed: SignedPayout,
  payout: RecoveredPayout,
): Promise<boolean> {
  const { withdrawalId } = payout
  const account = await lockAccount(tx, userId)
  const found = await findWithdrawal(tx, { userId, withdrawalId })
  // A failed return takes its unassigned payout when it is ordered again (`recoverReturns`).
  if (isReturnId(withdrawalId) && found?.status === 'failed') return true
  const isLost = found === null || found.status === 'failed'
  if (!isLost && found.payoutNonce !== null) {
    if (found.payoutSigner === key.signer && found.payoutNonce === key.nonce) return true
    if (found.status === 'completed') return recordSecondPayment(ctx, tx, userId, key, signed, found)
    if (found.unpaid === null) return false
  }
  const withdrawal = isLost
    ? await recoverWithdrawal(ctx, tx, account, { ...payout, chainId: key.chainId }, found)
    : found
  await insertPayout(tx, { userId, withdrawalId }, key, signed, ctx.clock.now())
  await writeChange(ctx, tx, userId, {
    ...withdrawal,
    status: 'processing',
    txHash: signed.txHash,
    payoutSigner: key.signer,
    payoutNonce: key.nonce,
    isMined: false,
    unpaid: null,
  })
  return true
}

/**
 * Stores a second payment of a completed withdrawal, and raises an alarm. Returns false if the row of its nonce belongs
 * to another payout.
 */
async function recordSecondPayment(
  ctx: Pick<Ctx, 'clock' | 'log' | 'metrics'>,
  tx: Tx,
  userId: string,
  key: PayoutKey,
  signed: SignedPayout,
  { withdrawalId, txHash }: Withdrawal,
): Promise<boolean> {
  if (!(await insertPayout(tx, { userId, withdrawalId }, key, signed, ctx.clock.now()))) return false
  const about = { withdrawalId, chainId: key.chainId, txHash, secondTxHash: signed.txHash }
  tx.afterCommit(() => raiseAlarm(ctx, { area: 'payout', reason: 'paid_twice' }, about))
  return true
}

/** Returns the user whose wallet was paid, unless they registered after the payout was requested. */
async function findPaidUser(ctx: Ctx, withdrawalId: string, toAddress: string): Promise<string | null> {
  const userId = await findOwnerOf(ctx.db, toAddress)
  return userId !== null && timeOf(userId) <= timeOf(withdrawalId) ? userId : null
}

/**
 * Restores the withdrawal and its movement. A lost request is restored from the payout, and its time from its id. A
 * request that failed before the payout was known debits the user again, because its failure released the funds.
 */
async function recoverWithdrawal(
  ctx: Pick<Ctx, 'clock'>,
  tx: Tx,
  account: LockedAccount,
  payout: RecoveredPayout & Pick<Withdrawal, 'chainId'>,
  failed: Withdrawal | null,
): Promise<Withdrawal> {
  const { withdrawalId, token, amount } = payout
  const withdrawal = failed ?? { ...payout, ...unsent, depositId: null, createdAt: timeOf(withdrawalId) }
  if (failed === null) await insertWithdrawal(tx, account.userId, withdrawal)
  const postings = withdrawalRecovered(await readBalances(tx, account.userId), token, amount)
  await postMovement(tx, account, { kind: 'withdrawal_recovered', refId: withdrawalId, at: ctx.clock.now(), postings })
  return withdrawal
}
