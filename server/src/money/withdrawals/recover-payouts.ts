import type { Ctx } from '../../context.ts'
import { findOwnerOf, lockAccount } from '../../identity/users/users.ts'
import { type LockedAccount, postMovement, readBalances } from '../../ledger/ledger.ts'
import { withdrawalRecovered } from '../../ledger/movements.ts'
import { timeOf } from '../../lib/id.ts'
import { max, min } from '../../lib/money.ts'
import type { Tx } from '../../platform/db/db.ts'
import { raiseAlarm } from '../../platform/observability/alarms.ts'
import type { MinedPayout, SignedPayout } from '../../providers/chain/chain.ts'
import { claimReturns } from './returns.ts'
import { isReturnId, mayMove, unsent } from './rules.ts'
import {
  findLastNonce,
  findUnreadNonce,
  findWithdrawal,
  findWithdrawalKey,
  insertPayout,
  insertWithdrawal,
  type PayoutKey,
  type PayoutWallet,
  putUnreadNonce,
  type Withdrawal,
} from './sql.ts'
import { writeChange } from './withdrawals.ts'

/**
 * A database that was set back knows less than the chain: payouts were sent whose nonces it has not stored. To pay on would
 * pay them twice. Each transaction names its withdrawal, so the chain says what the books have lost.
 */

/** The wallet and the nonce that its next payout takes; null while something that it sent before is not known. */
export async function nextNonce(ctx: Ctx, chainId: number): Promise<PayoutKey | null> {
  const signer = await ctx.chain.payoutSigner(chainId)
  const wallet = { chainId, signer }
  // The chain's count first: what another process stores and sends meanwhile is then not taken for a stranger's.
  const sent = await ctx.chain.payoutNonce(chainId)
  const last = await findLastNonce(ctx.db, wallet)
  if (!(await readPast(ctx, wallet, { last, to: sent }))) return null
  return { ...wallet, nonce: last === null ? sent : max(sent, last + 1n) }
}

/** Also when nothing waits to be paid: what was paid must not be spent again. */
export async function findLostPayouts(ctx: Ctx): Promise<void> {
  for (const chainId of new Set(ctx.config.tokens.map((token) => token.chainId))) await nextNonce(ctx, chainId)
  await claimReturns(ctx)
}

/** So many are looked up well within the lease of due work. The rest is read later, from where this ended. */
const mostReadAtOnce = 50n

/**
 * Looks at every nonce before `to` that neither the books nor an earlier look know. True when none is left. What a wallet
 * sent before its first payout is its past, not an alarm; a restored database may know no payout either.
 */
async function readPast(
  ctx: Ctx,
  wallet: PayoutWallet,
  { last, to }: { last: bigint | null; to: bigint },
): Promise<boolean> {
  const unread = await findUnreadNonce(ctx.db, wallet)
  const known = max(unread ?? -1n, last === null ? -1n : last + 1n)
  const from = known === -1n ? await ctx.chain.firstNonce(wallet.chainId) : known
  const until = min(to, from + mostReadAtOnce)
  for (let nonce = from; nonce < until; nonce++) {
    const mined = await ctx.chain.payoutAt(wallet.chainId, nonce)
    const about = { ...wallet, nonce: String(nonce), txHash: mined?.txHash, withdrawalId: mined?.payout?.withdrawalId }
    if (last !== null || mined === null || mined.payout !== null)
      raiseAlarm(ctx, { area: 'payout', reason: 'unknown_nonce' }, about)
    if (mined === null) return false
    if (mined.payout !== null) await adoptPayout(ctx, { ...wallet, nonce }, mined, mined.payout)
    await putUnreadNonce(ctx.db, wallet, nonce + 1n)
  }
  return until >= to
}

/** Books it for whom it paid; where they are not known it is kept as nobody's. Its nonce may be stored as another's. */
export async function adoptPayout(
  ctx: Ctx,
  key: PayoutKey,
  mined: MinedPayout,
  payout: NonNullable<MinedPayout['payout']>,
): Promise<void> {
  const { withdrawalId, toAddress } = payout
  const known = await findWithdrawalKey(ctx.db, withdrawalId)
  const isReturn = isReturnId(withdrawalId)
  const userId = known?.userId ?? (isReturn ? null : await findPaidUser(ctx, withdrawalId, toAddress))
  const isOurs = ctx.config.tokens.some(({ address, chainId }) => address === payout.token && chainId === key.chainId)
  if (userId === null || !isOurs) {
    const about = { ...key, ...payout, nonce: String(key.nonce), amount: String(payout.amount), txHash: mined.txHash }
    if (!isReturn) ctx.log.error(about, 'a payout belongs to no user')
    await insertPayout(ctx.db, { userId: null, withdrawalId }, key, mined, ctx.clock.now())
    return
  }
  await ctx.db.transaction((tx) => takeOver(ctx, tx, userId, key, mined, payout))
}

export type PaidOut = Pick<Withdrawal, 'withdrawalId' | 'token' | 'toAddress' | 'amount'>

/** Books a payment that the chain has seen as the user's. From here on it is followed like any other. */
export async function takeOver(
  ctx: Pick<Ctx, 'config' | 'clock'>,
  tx: Tx,
  userId: string,
  key: PayoutKey,
  signed: SignedPayout,
  payout: PaidOut,
): Promise<void> {
  const { withdrawalId } = payout
  const account = await lockAccount(tx, userId)
  const found = await findWithdrawal(tx, { userId, withdrawalId })
  if (isReturnId(withdrawalId) && found?.status === 'failed') {
    await insertPayout(tx, { userId: null, withdrawalId }, key, signed, ctx.clock.now())
    return
  }
  const isLost = found === null || found.status === 'failed'
  if (!isLost && !isNewer(found, key)) return
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
}

/** One who registered after it was paid has none of the deposits that it was paid from. */
async function findPaidUser(ctx: Ctx, withdrawalId: string, toAddress: string): Promise<string | null> {
  const userId = await findOwnerOf(ctx.db, toAddress)
  return userId !== null && timeOf(userId) <= timeOf(withdrawalId) ? userId : null
}

/** What was paid again had not been paid before: the last payment counts. */
function isNewer({ status, payoutNonce }: Withdrawal, { nonce }: PayoutKey): boolean {
  return mayMove(status, 'processing') || (status === 'processing' && payoutNonce !== null && payoutNonce < nonce)
}

/**
 * The request is lost as well: its id says when it was made, the transaction for whom and how much. Or it was called off
 * before anybody knew that it was paid: what the user got back then is taken again.
 */
async function recoverWithdrawal(
  ctx: Pick<Ctx, 'clock'>,
  tx: Tx,
  account: LockedAccount,
  payout: PaidOut & Pick<Withdrawal, 'chainId'>,
  failed: Withdrawal | null,
): Promise<Withdrawal> {
  const { withdrawalId, token, amount } = payout
  const withdrawal = failed ?? { ...payout, ...unsent, depositId: null, createdAt: timeOf(withdrawalId) }
  if (failed === null) await insertWithdrawal(tx, account.userId, withdrawal)
  const postings = withdrawalRecovered(await readBalances(tx, account.userId), token, amount)
  await postMovement(tx, account, { kind: 'withdrawal_recovered', refId: withdrawalId, at: ctx.clock.now(), postings })
  return withdrawal
}
