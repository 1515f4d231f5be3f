import type { Token } from '../config.ts'
import type { Ctx, ReadCtx } from '../context.ts'
import type { Queryable, Tx } from '../db/db.ts'
import type { UserCaller } from '../http/access.ts'
import type { DueKey } from '../jobs/jobs.ts'
import { postMovement, readBalances } from '../ledger/ledger.ts'
import { withdrawalCompleted, withdrawalGivenBack, withdrawalRequested } from '../ledger/movements.ts'
import { tokenSpendable } from '../ledger/rules.ts'
import { addSeconds } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { min } from '../lib/money.ts'
import { Refusal } from '../lib/refusal.ts'
import type { WithdrawalItem } from '../statement-items/schemas.ts'
import { putItem, type StatementRow, statementRow } from '../statement-items/statement-items.ts'
import { lockAccount, requireAccount } from '../users/users.ts'
import { freeFunds, inTurn, preparePayout, type ReadyPayout } from './payout-wallet.ts'
import { canBePaidOn, leftOfCap, mayMove, statementItem } from './rules.ts'
import {
  findContractChain,
  findReadableWithdrawals,
  findRequestedSince,
  findSignedTransaction,
  findWithdrawal,
  findWithdrawalKey,
  findWithdrawals,
  insertPayout,
  insertWithdrawal,
  type SentWithdrawal,
  updateWithdrawal,
  type Withdrawal,
  type WithdrawalKey,
} from './sql.ts'

/**
 * Money that leaves. Owns `withdrawal` and `payout_transaction`.
 * pending → processing → completed or failed; `rules.ts` has the table.
 * Invariants: the payee is the owner that asked, fixed at the request; the amount left `available` in the request's own
 * transaction; nothing is sent before its nonce and its signed bytes are stored, so a withdrawal is never paid twice;
 * only the chain's final word ends one that was sent.
 */

const mostListed = 1000
const capSeconds = 24 * 3600

/** Answers the new withdrawal's id. In the caller's transaction, which holds the account's lock from here on. */
export async function requestWithdrawal(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  { tokenAddress, amount }: { tokenAddress: string; amount: bigint },
): Promise<string> {
  const account = await lockAccount(tx, caller)
  if (account.status !== 'active') throw new Refusal('ACCOUNT_NOT_ACTIVE')
  const token = ctx.config.tokens.find(({ address }) => address === tokenAddress)
  if (!token) throw new Refusal('TOKEN_NOT_SUPPORTED')
  const contractChain = await findContractChain(tx, caller.userId, caller.signerAddress)
  if (!canBePaidOn(token.chainId, contractChain)) throw new Refusal('PAYEE_NOT_ON_CHAIN')
  const left = await leftToday(ctx, tx, caller.userId, token)
  if (left !== null && amount > left) throw new Refusal('DAILY_LIMIT_EXCEEDED')
  const balances = await readBalances(tx, caller.userId)
  if (amount > tokenSpendable(ctx.config.tokens, balances, token)) throw new Refusal('INSUFFICIENT_FUNDS')

  const now = ctx.clock.now()
  const withdrawal: Withdrawal = {
    withdrawalId: newId(now),
    chainId: token.chainId,
    token: token.address,
    amount,
    toAddress: caller.signerAddress,
    status: 'pending',
    txHash: null,
    payoutSigner: null,
    payoutNonce: null,
    createdAt: now,
  }
  await insertWithdrawal(tx, caller.userId, withdrawal)
  const postings = withdrawalRequested(token.address, amount)
  await postMovement(tx, account, { kind: 'withdrawal_requested', refId: withdrawal.withdrawalId, at: now, postings })
  await putItem(tx, caller.userId, itemOf(ctx, withdrawal), now)
  return withdrawal.withdrawalId
}

/** What the daily cap of the token's currency leaves the user, in token units; null without a cap. */
async function leftToday(ctx: Ctx, db: Queryable, userId: string, token: Token): Promise<bigint | null> {
  const cap = ctx.config.dailyWithdrawalCaps[token.currency]
  if (cap === undefined) return null
  const requested = await findRequestedSince(db, userId, addSeconds(ctx.clock.now(), -capSeconds))
  const sameCurrency = requested.flatMap(({ token: address, amount }) => {
    const { currency, decimals } = tokenOf(ctx, address)
    return currency === token.currency ? [{ amount, decimals }] : []
  })
  return leftOfCap(cap, sameCurrency, token)
}

/** By token, what would be paid at once if the user had it: the payout wallet's funds, within the user's daily cap. */
export async function instantLimits(ctx: Ctx, userId: string): Promise<ReadonlyMap<string, bigint>> {
  const funds = await freeFunds(ctx)
  if (Object.keys(ctx.config.dailyWithdrawalCaps).length === 0) return funds
  const limits = ctx.config.tokens.map(async (token) => {
    const free = funds.get(token.address) ?? 0n
    const left = await leftToday(ctx, ctx.db, userId, token)
    return [token.address, left === null ? free : min(free, left)] as const
  })
  return new Map(await Promise.all(limits))
}

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

async function reservePayout(ctx: Ctx, key: WithdrawalKey, withdrawal: Withdrawal): Promise<void> {
  for (let tries = 0; tries < mostNonces; tries++) {
    const payout = await preparePayout(ctx, withdrawal)
    if (payout === null) {
      ctx.log.warn({ withdrawalId: key.withdrawalId, token: withdrawal.token }, 'the payout wallet has too little')
      return
    }
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

/** A transaction that the chain does not know proves nothing: the same bytes go out again, whoever sent them before. */
async function followPayout(ctx: Ctx, key: WithdrawalKey, withdrawal: Withdrawal): Promise<void> {
  const { chainId, txHash, payoutSigner: signer, payoutNonce: nonce } = withdrawal
  if (txHash === null || signer === null || nonce === null)
    throw new Error('a withdrawal was sent without a transaction')
  const state = await ctx.chain.payoutState(chainId, txHash)
  if (state === 'unknown') {
    await ctx.chain.sendPayout(chainId, await findSignedTransaction(ctx.db, { chainId, signer, nonce }))
  } else {
    await endWithdrawal(ctx, key, state === 'paid' ? 'completed' : 'failed')
  }
}

async function endWithdrawal(ctx: Ctx, key: WithdrawalKey, status: 'completed' | 'failed'): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const account = await lockAccount(tx, key.userId)
    const withdrawal = await requireWithdrawal(tx, key)
    if (!mayMove(withdrawal.status, status)) return
    const { token, amount } = withdrawal
    const movement =
      status === 'completed'
        ? { kind: 'withdrawal_completed' as const, postings: withdrawalCompleted(token, amount) }
        : {
            kind: 'withdrawal_reverted' as const,
            postings: withdrawalGivenBack(await readBalances(tx, key.userId), token, amount),
          }
    await postMovement(tx, account, { ...movement, refId: key.withdrawalId, at: ctx.clock.now() })
    await writeChange(ctx, tx, key, { ...withdrawal, status })
  })
}

async function writeChange(ctx: Ctx, tx: Tx, { userId }: WithdrawalKey, withdrawal: Withdrawal): Promise<void> {
  const isOwedWork = withdrawal.status === 'processing'
  const now = ctx.clock.now()
  await updateWithdrawal(tx, userId, withdrawal, { now, isOwedWork })
  await putItem(tx, userId, itemOf(ctx, withdrawal), now)
}

function itemOf(ctx: ReadCtx, withdrawal: Withdrawal): WithdrawalItem {
  return statementItem(withdrawal, tokenOf(ctx, withdrawal.token))
}

function tokenOf(ctx: ReadCtx, address: string): Token {
  const token = ctx.config.tokens.find((token) => token.address === address)
  if (!token) throw new Error(`a withdrawal is in ${address}, which is not a configured token`)
  return token
}

async function requireWithdrawal(db: Queryable, key: WithdrawalKey): Promise<Withdrawal> {
  const withdrawal = await findWithdrawal(db, key)
  if (!withdrawal) throw new Error(`withdrawal ${key.withdrawalId} is gone`)
  return withdrawal
}

/** The withdrawal with this id, whoever requested it. */
export async function findAnyWithdrawal(
  ctx: Ctx,
  withdrawalId: string,
): Promise<{ userId: string; withdrawal: Withdrawal }> {
  const key = await findWithdrawalKey(ctx.db, withdrawalId)
  if (key === null) throw new Refusal('WITHDRAWAL_NOT_FOUND')
  return { userId: key.userId, withdrawal: await requireWithdrawal(ctx.db, key) }
}

export type ListedWithdrawal = SentWithdrawal & { readonly symbol: string }

/** Those that have a transaction, newest first. */
export async function listWithdrawals(ctx: Ctx, caller: UserCaller): Promise<ListedWithdrawal[]> {
  const withdrawals = await findReadableWithdrawals(ctx.db.reader, caller, mostListed)
  if (withdrawals.length === 0) await requireAccount(ctx.db, caller)
  return withdrawals.map((withdrawal) => ({ ...withdrawal, symbol: tokenOf(ctx, withdrawal.token).symbol }))
}

/** The statement's rows of a user's withdrawals, made again from the facts. */
export async function rebuildItems(ctx: ReadCtx, userId: string): Promise<StatementRow[]> {
  return (await findWithdrawals(ctx.db, userId)).map((withdrawal) => statementRow(itemOf(ctx, withdrawal)))
}
