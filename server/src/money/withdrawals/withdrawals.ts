import { findToken, type Token, tokenOf } from '../../config/stablecoins.ts'
import type { Ctx, ReadCtx } from '../../context.ts'
import { lockAccount, requireAccount, requireOwner } from '../../identity/users/users.ts'
import { type LockedAccount, postMovement, readBalances } from '../../ledger/ledger.ts'
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
import { canBePaidOn, remainingOfCap, secondsToNextCheck, unsent, withdrawalItem } from './rules.ts'
import {
  findPayee,
  findReadableWithdrawal,
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
 * Withdrawals: requests of users to send funds to the chain. Owns the table `withdrawal`, which also holds returns of
 * rejected deposits (`returns.ts`); users see a return only as its deposit. `payouts.ts` pays both,
 * `settle-payout.ts` ends them, and `cancel-withdrawal.ts` lets users cancel their own. Operators order those of closed
 * users (`order-payout.ts`).
 *
 * States: pending → processing → completed or failed, or pending → failed without a payout. A withdrawal with an unpaid
 * payout can go back to pending (see `rules.ts`). A failed withdrawal is processing again if its payout is found on the
 * chain (`recover-payouts.ts`). A failed return is pending again if it is ordered again.
 * Invariants: the payee is an owner, and must still be one when the payout is stored. A withdrawal that a user requests
 * pays the wallet that made the request. The amount leaves `available` in the transaction of the request. Only a final
 * block ends a payout that was signed.
 */

const maxListed = 1000
const capSeconds = 24 * 3600

/** Requests a withdrawal in the caller's transaction, and returns its id. Takes the account's lock. */
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
  const left = await remainingToday(ctx, tx, caller.userId, token)
  if (left !== null && amount > left) throw new Refusal('DAILY_LIMIT_EXCEEDED')
  const spendable = tokenSpendable(ctx.config.tokens, await readBalances(tx, caller.userId), token)
  if (amount > spendable) throw new Refusal('INSUFFICIENT_FUNDS')
  const minimum = ctx.config.withdrawalMinimums[token.address] ?? 0n
  // A smaller remainder can be withdrawn completely, because an account must be empty before it can be closed.
  if (amount < minimum && amount < spendable) {
    throw new Refusal('WITHDRAWAL_TOO_SMALL', null, `The minimum is ${minimum} token units.`)
  }

  const { withdrawalId } = await createWithdrawal(ctx, tx, account, { token, amount, toAddress: caller.signerAddress })
  return withdrawalId
}

/** Inserts a pending withdrawal, and takes its amount from `available`. */
export async function createWithdrawal(
  ctx: Pick<Ctx, 'config' | 'clock'>,
  tx: Tx,
  account: LockedAccount,
  { token, amount, toAddress }: { token: Token; amount: bigint; toAddress: string },
): Promise<Withdrawal> {
  const now = ctx.clock.now()
  const withdrawal: Withdrawal = {
    withdrawalId: newId(now),
    chainId: token.chainId,
    token: token.address,
    amount,
    toAddress,
    ...unsent,
    depositId: null,
    createdAt: now,
  }
  await insertWithdrawal(tx, account.userId, withdrawal)
  const postings = withdrawalRequested(token.address, amount)
  await postMovement(tx, account, { kind: 'withdrawal_requested', refId: withdrawal.withdrawalId, at: now, postings })
  await putItem(tx, account.userId, itemOfWithdrawal(ctx, withdrawal), now)
  return withdrawal
}

/** Returns the remainder of the daily cap of the token's currency, in token units; null without a cap. */
async function remainingToday(ctx: Ctx, db: Queryable, userId: string, token: Token): Promise<bigint | null> {
  const cap = ctx.config.dailyWithdrawalCaps[token.currency]
  if (cap === undefined) return null
  const requested = await findRequestedSince(db, userId, addSeconds(ctx.clock.now(), -capSeconds))
  const sameCurrency = requested.flatMap(({ token: address, amount }) => {
    const { currency, decimals } = tokenOf(ctx.config.tokens, address)
    return currency === token.currency ? [{ amount, decimals }] : []
  })
  return remainingOfCap(cap, sameCurrency, token)
}

/** Returns the amount per token that would be paid at once: the payout wallet's free funds, within the daily cap. */
export async function instantLimits(ctx: Ctx, userId: string): Promise<ReadonlyMap<string, bigint>> {
  const free = await freeFunds(ctx)
  const isCapped = Object.keys(ctx.config.dailyWithdrawalCaps).length > 0
  return isCapped ? cappedLimits(ctx, userId, free) : free
}

async function cappedLimits(ctx: Ctx, userId: string, funds: ReadonlyMap<string, bigint>) {
  const limits = ctx.config.tokens.map(async (token) => {
    const free = funds.get(token.address) ?? 0n
    const left = await remainingToday(ctx, ctx.db, userId, token)
    return [token.address, left === null ? free : min(free, left)] as const
  })
  return new Map(await Promise.all(limits))
}

/** Writes a changed withdrawal and its statement item. A newly signed payout is checked soon. */
export async function writeChange(
  ctx: Pick<Ctx, 'config' | 'clock'>,
  tx: Tx,
  userId: string,
  withdrawal: Withdrawal,
): Promise<void> {
  const now = ctx.clock.now()
  const dueAt = { pending: now, processing: addSeconds(now, secondsToNextCheck(0)), completed: null, failed: null }
  await updateWithdrawal(tx, userId, withdrawal, { now, dueAt: dueAt[withdrawal.status] })
  if (withdrawal.depositId === null) await putItem(tx, userId, itemOfWithdrawal(ctx, withdrawal), now)
}

function itemOfWithdrawal(ctx: Pick<ReadCtx, 'config'>, withdrawal: Withdrawal): WithdrawalItem {
  return withdrawalItem(withdrawal, tokenOf(ctx.config.tokens, withdrawal.token))
}

export async function requireWithdrawal(db: Queryable, key: WithdrawalKey): Promise<Withdrawal> {
  const withdrawal = await findWithdrawal(db, key)
  if (!withdrawal) throw new Error(`withdrawal ${key.withdrawalId} has no row`)
  return withdrawal
}

/** Finds a withdrawal by its id alone, with its user. */
export async function findWithdrawalById(
  ctx: Pick<Ctx, 'db'>,
  withdrawalId: string,
): Promise<{ userId: string; withdrawal: Withdrawal }> {
  const key = await findWithdrawalKey(ctx.db, withdrawalId)
  if (key === null) throw new Refusal('WITHDRAWAL_NOT_FOUND')
  return { userId: key.userId, withdrawal: await requireWithdrawal(ctx.db, key) }
}

export type ListedWithdrawal = SentWithdrawal & { readonly symbol: string }

/** Returns the caller's withdrawals that have a transaction, newest first. */
export async function listWithdrawals(ctx: Ctx, caller: UserCaller): Promise<ListedWithdrawal[]> {
  const withdrawals = await findReadableWithdrawals(ctx.db.reader, caller, maxListed)
  if (withdrawals.length === 0) await requireAccount(ctx.db, caller)
  return withdrawals.map((withdrawal) => ({
    ...withdrawal,
    symbol: tokenOf(ctx.config.tokens, withdrawal.token).symbol,
  }))
}

/** Returns one of the caller's withdrawals as the statement shows it. */
export async function readWithdrawal(ctx: Ctx, caller: UserCaller, withdrawalId: string): Promise<WithdrawalItem> {
  const withdrawal = await findReadableWithdrawal(ctx.db, caller, withdrawalId)
  if (withdrawal !== null) return itemOfWithdrawal(ctx, withdrawal)
  await requireOwner(ctx.db, caller)
  throw new Refusal('WITHDRAWAL_NOT_FOUND')
}

/** Rebuilds the statement items of a user's withdrawals from the table. */
export async function rebuildWithdrawalItems(ctx: ReadCtx, userId: string): Promise<StatementRow[]> {
  return (await findWithdrawals(ctx.db, userId)).map((withdrawal) => statementRow(itemOfWithdrawal(ctx, withdrawal)))
}
