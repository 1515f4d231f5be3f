import { findToken, type Token, tokenOf } from '../../config/stablecoins.ts'
import type { Ctx, ReadCtx } from '../../context.ts'
import { lockAccount, requireAccount } from '../../identity/users/users.ts'
import { postMovement, readBalances } from '../../ledger/ledger.ts'
import { withdrawalRequested } from '../../ledger/movements.ts'
import { tokenSpendable } from '../../ledger/rules.ts'
import { addSeconds } from '../../lib/clock.ts'
import { Refusal } from '../../lib/errors.ts'
import { newId } from '../../lib/id.ts'
import { min } from '../../lib/money.ts'
import type { Queryable, Tx } from '../../platform/db/db.ts'
import type { UserCaller } from '../../platform/http/access.ts'
import type { WithdrawalItem } from '../../statement-items/schemas.ts'
import { putItem, type StatementRow, statementRow } from '../../statement-items/statement-items.ts'
import { freeFunds } from './payout-wallet.ts'
import { canBePaidOn, leftOfCap, secondsToNextLook, statementItem, unsent } from './rules.ts'
import {
  findPayee,
  findReadableWithdrawals,
  findRequestedSince,
  findWithdrawal,
  findWithdrawalKey,
  findWithdrawals,
  insertWithdrawal,
  type SentWithdrawal,
  updateWithdrawal,
  type Withdrawal,
  type WithdrawalKey,
} from './sql.ts'

/**
 * Money that leaves: its request, and what users see of it. Owns `withdrawal`; `payouts.ts` pays, `ending.ts` ends.
 * A refused deposit that goes back is a row, too, with a `depositId` (`returns.ts`); users see it as their deposit alone.
 * pending → processing → completed or failed; `rules.ts` has the table.
 * Invariants: the payee is the owner that asked, fixed at the request, and still one when it is signed; the amount left
 * `available` in the request's own transaction; only the chain's final word ends one that was sent.
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
  const token = findToken(ctx.config.tokens, tokenAddress)
  if (!token) throw new Refusal('TOKEN_NOT_SUPPORTED')
  const payee = await findPayee(tx, caller.userId, caller.signerAddress)
  if (!canBePaidOn(token.chainId, payee?.contractChainId ?? null)) throw new Refusal('PAYEE_NOT_ON_CHAIN')
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
    ...unsent,
    depositId: null,
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
    const { currency, decimals } = tokenOf(ctx.config.tokens, address)
    return currency === token.currency ? [{ amount, decimals }] : []
  })
  return leftOfCap(cap, sameCurrency, token)
}

/** By token, what would be paid at once if the user had it: the payout wallet's funds, within the user's daily cap. */
export async function instantLimits(ctx: Ctx, userId: string): Promise<ReadonlyMap<string, bigint>> {
  const free = await freeFunds(ctx)
  const isCapped = Object.keys(ctx.config.dailyWithdrawalCaps).length > 0
  return isCapped ? cappedLimits(ctx, userId, free) : free
}

async function cappedLimits(ctx: Ctx, userId: string, funds: ReadonlyMap<string, bigint>) {
  const limits = ctx.config.tokens.map(async (token) => {
    const free = funds.get(token.address) ?? 0n
    const left = await leftToday(ctx, ctx.db, userId, token)
    return [token.address, left === null ? free : min(free, left)] as const
  })
  return new Map(await Promise.all(limits))
}

/** The row and what users see of it, in the transaction that changes it. One that was sent is soon looked at again. */
export async function writeChange(
  ctx: Pick<Ctx, 'config' | 'clock'>,
  tx: Tx,
  userId: string,
  withdrawal: Withdrawal,
): Promise<void> {
  const now = ctx.clock.now()
  const dueAt = { pending: now, processing: addSeconds(now, secondsToNextLook(0)), completed: null, failed: null }
  await updateWithdrawal(tx, userId, withdrawal, { now, dueAt: dueAt[withdrawal.status] })
  if (withdrawal.depositId === null) await putItem(tx, userId, itemOf(ctx, withdrawal), now)
}

function itemOf(ctx: Pick<ReadCtx, 'config'>, withdrawal: Withdrawal): WithdrawalItem {
  return statementItem(withdrawal, tokenOf(ctx.config.tokens, withdrawal.token))
}

export async function requireWithdrawal(db: Queryable, key: WithdrawalKey): Promise<Withdrawal> {
  const withdrawal = await findWithdrawal(db, key)
  if (!withdrawal) throw new Error(`withdrawal ${key.withdrawalId} is gone`)
  return withdrawal
}

/** The withdrawal with this id, whoever requested it. */
export async function findAnyWithdrawal(
  ctx: Pick<Ctx, 'db'>,
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
  return withdrawals.map((withdrawal) => ({
    ...withdrawal,
    symbol: tokenOf(ctx.config.tokens, withdrawal.token).symbol,
  }))
}

/** The statement's rows of a user's withdrawals, made again from the facts. */
export async function rebuildItems(ctx: ReadCtx, userId: string): Promise<StatementRow[]> {
  return (await findWithdrawals(ctx.db, userId)).map((withdrawal) => statementRow(itemOf(ctx, withdrawal)))
}
