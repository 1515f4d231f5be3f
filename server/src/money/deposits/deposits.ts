import { tokenOf } from '../../config/stablecoins.ts'
import type { Ctx, ReadCtx } from '../../context.ts'
import { findAccount, lockAccount, requireAccount } from '../../identity/users/users.ts'
import type { LockedAccount } from '../../ledger/ledger.ts'
import { tryEach } from '../../lib/attempts.ts'
import { secondsSince } from '../../lib/clock.ts'
import { Refusal } from '../../lib/errors.ts'
import { newId } from '../../lib/id.ts'
import type { Queryable, Tx } from '../../platform/db/db.ts'
import type { UserCaller } from '../../platform/http/access.ts'
import type { DueKey } from '../../platform/jobs/jobs.ts'
import { raiseAlarm } from '../../platform/observability/alarms.ts'
import type { Transfer, TransferKey } from '../../providers/chain/chain.ts'
import type { ScreeningReport } from '../../providers/screening/screening.ts'
import { type StatementRow, statementRow } from '../../statement-items/statement-items.ts'
import {
  type ChainState,
  isStanding,
  mayBeScreened,
  mayMoveOnChain,
  mayReturn,
  placeOf,
  type ReturnState,
  returnIdOf,
  sightingSteps,
} from './rules.ts'
import {
  type Deposit,
  type DepositContent,
  type DepositKey,
  findDeposit,
  findDepositKey,
  findDeposits,
  findDepositsById,
  findDepositsOf,
  findDueDeposits,
  findReadableDeposits,
  findUnbookedReturns,
  findUserByAddress,
  scanDueCredited,
  scanDueFrozen,
  scanDueScreenings,
  scanDueUnswept,
  type Unswept,
  updateSwept,
} from './sql.ts'
import { type BooksCtx, itemOf, writeChanges } from './write-changes.ts'

/**
 * Deposits: transfers from the chain to accounts. Owns the table `deposit`.
 *
 * A deposit has two states, and its status follows from both:
 * - on the chain: unfinal → final, either → reorganized, reorganized → unfinal;
 * - in screening: pending → approved or rejected, rejected → approved, approved → rejected if its return is on the
 *   chain, any → pending if the amount changes.
 * A rejected deposit can be returned to its sender: null → signed → returned, or signed → null if nobody was paid.
 *
 * Invariants: at most one deposit per (chain, transaction, log position) is in the chain. Funds are spendable only
 * once the deposit is final and approved. Funds that screening refuses are frozen, but still belong to the user. No
 * funds are credited or frozen before the deposit is final and screened.
 */

const maxListed = 1000
const maxConcurrentChecks = 50

export type { BooksCtx, DepositKey, Unswept }

/** A transfer and its current state on the chain. */
export type Sighting = Transfer & { readonly chainState: ChainState }

// The chain reports transfers

/**
 * Records a transfer that is in a block. Returns null if the address belongs to no user. Idempotent: a repeated
 * report changes nothing. A transfer that is mined again after a reorganization is counted again.
 */
export async function seeDeposit(ctx: Ctx, transfer: Transfer): Promise<DepositKey | null> {
  const userId = await findUserByAddress(ctx.db, transfer.toAddress)
  if (userId === null) return null
  return ctx.db.transaction(async (tx) => {
    const account = await lockAccount(tx, userId)
    const known = (await findDepositsOf(tx, userId, [transfer])).find(isStanding)
    if (known) return { userId, depositId: known.depositId }
    const changed = await followTransfers(ctx, tx, account, [{ ...transfer, chainState: 'unfinal' }])
    const deposit = changed.find(isStanding)
    if (!deposit) throw new Error('a transfer in a block created no deposit')
    return { userId, depositId: deposit.depositId }
  })
}

/**
 * Updates one user's deposits to the current state of their transfers, and returns the deposits that changed. A new
 * transfer becomes a deposit. After a reorganization, the same transaction can make a different transfer. The earlier
 * deposit is reversed first. A transfer from another sender becomes a new deposit, so that a late screening result for
 * the earlier deposit does not apply to it.
 */
export async function followTransfers(
  ctx: Ctx,
  tx: Tx,
  account: LockedAccount,
  sightings: readonly Sighting[],
): Promise<Deposit[]> {
  const known = Map.groupBy(await findDepositsOf(tx, account.userId, sightings), keyOf)
  const changes = sightings.flatMap((sighting) =>
    sightingSteps(known.get(keyOf(sighting)) ?? [], sighting, () => newDeposit(sighting, ctx.clock.now())),
  )
  return writeChanges(ctx, tx, account, changes)
}

function keyOf({ chainId, txHash, logPosition }: TransferKey): string {
  return `${chainId}:${txHash}:${logPosition}`
}

function newDeposit({ chainState: _, toAddress: __, ...transfer }: Sighting, now: Date): Deposit {
  const unscreened = { screening: 'pending', riskScore: 0, riskTier: 'unknown', returnState: null } as const
  return { ...transfer, ...unscreened, depositId: newId(now), chainState: 'unfinal', status: 'pending', createdAt: now }
}

/** Moves one deposit to the state of its transfer on the chain. Ignores invalid transitions. */
export async function followTransfer(ctx: Ctx, key: DepositKey, chainState: ChainState): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const account = await lockAccount(tx, key.userId)
    const before = await requireDeposit(tx, key)
    if (!mayMoveOnChain(before.chainState, chainState)) return
    await writeChanges(ctx, tx, account, [{ before, after: { ...before, chainState } }])
  })
}

// Screening reports results

/**
 * Applies a screening result to the deposit with this id. Idempotent. An approval can overturn a rejection. Rejects any
 * other result that contradicts the stored one, and every result for a deposit that was reorganized away or has a
 * return.
 */
export async function applyScreeningResultById(
  ctx: Ctx,
  tx: Tx,
  depositId: string,
  screening: ScreeningReport,
): Promise<Deposit> {
  const key = await findDepositKey(tx, depositId)
  if (key === null) throw new Refusal('DEPOSIT_NOT_FOUND')
  const account = await lockAccount(tx, key.userId)
  const before = await requireDeposit(tx, key)
  const after = screened(before, screening, await unbookedReturnsOf(tx, [before]))
  if (!mayBeScreened(before, after.screening)) throw new Refusal('INVALID_DEPOSIT_STATUS')
  if (before.screening === after.screening) return before
  const [changed] = await writeChanges(ctx, tx, account, [{ before, after }])
  return changed ?? before
}

/**
 * Applies the screening result of a provider's callback. A result that cannot be applied raises an alarm, unless the
 * deposit already has it. The response is the same for every result, so that the caller learns nothing about existing
 * deposits and does not retry forever.
 */
export async function receiveScreeningResult(ctx: Ctx, depositId: string, screening: ScreeningReport): Promise<void> {
  try {
    await ctx.db.transaction((tx) => applyScreeningResultById(ctx, tx, depositId, screening))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (await hasResult(ctx.db, depositId, screening)) return
    const reason = error.code === 'DEPOSIT_NOT_FOUND' ? 'unknown_deposit' : 'contradiction'
    raiseAlarm(ctx, { area: 'screening', reason }, { depositId, result: screening.result })
  }
}

/** Returns whether the deposit, in any state, already has this result. A repeated result contradicts nothing. */
async function hasResult(db: Queryable, depositId: string, { result }: ScreeningReport): Promise<boolean> {
  const key = await findDepositKey(db, depositId)
  return key !== null && (await requireDeposit(db, key)).screening === result
}

/**
 * Returns the id of each return of these deposits that is on the chain but not in the books. After a restore from a
 * backup that is older than a return, only its recovered payout shows the return (`withdrawals/recover-payouts.ts`).
 */
async function unbookedReturnsOf(tx: Tx, deposits: readonly Deposit[]): Promise<ReadonlySet<string>> {
  return new Set(await findUnbookedReturns(tx, deposits.map(returnIdOf)))
}

/**
 * Returns the deposit with a screening result. A deposit that is back at its sender is rejected again, as it was before
 * the restore: an approval would credit funds that have left. `recoverReturns` then orders its return again.
 */
function screened(
  deposit: Deposit,
  { result, riskScore, riskTier }: ScreeningReport,
  unbookedReturns: ReadonlySet<string>,
): Deposit {
  return { ...deposit, screening: unbookedReturns.has(returnIdOf(deposit)) ? 'rejected' : result, riskScore, riskTier }
}

// Rejected deposits go back to their senders

/**
 * Moves a rejected deposit along its return. From `signed` on, the screening result cannot be overturned. `returned`:
 * the payout is final, and the funds are no longer the user's. null: the payout paid nobody. Idempotent.
 *
 * A credited deposit is rejected first if its return is already on the chain, as after a restore.
 */
export async function returnDeposit(
  ctx: BooksCtx,
  tx: Tx,
  depositId: string,
  returnState: ReturnState | null,
): Promise<Deposit & { userId: string }> {
  const key = await findDepositKey(tx, depositId)
  if (key === null) throw new Refusal('DEPOSIT_NOT_FOUND')
  const account = await lockAccount(tx, key.userId)
  const before = await requireDeposit(tx, key)
  if (before.returnState === returnState) return { ...before, ...key }
  const isAtSender = placeOf(before) === 'credited' && (await unbookedReturnsOf(tx, [before])).size > 0
  const rejected: Deposit = isAtSender ? { ...before, screening: 'rejected' } : before
  if (!mayReturn(rejected, returnState)) throw new Refusal('INVALID_DEPOSIT_STATUS')
  const [after] = await writeChanges(ctx, tx, account, [{ before, after: { ...rejected, returnState } }])
  return { ...(after ?? before), ...key }
}

/**
 * Returns whether the funds can still be returned. A reorganization may have removed the deposit since its rejection.
 */
export async function isFrozen(tx: Tx, key: DepositKey): Promise<boolean> {
  return placeOf(await requireDeposit(tx, key)) === 'frozen'
}

/** Returns all deposits that are final and rejected and have no return. */
export function listFrozenDeposits({ db }: Pick<Ctx, 'db'>): Promise<Deposit[]> {
  return scanDueFrozen(db)
}

/** Returns the credited deposits with this chain, token, amount and sender. */
export function listCreditedDeposits({ db }: Pick<Ctx, 'db'>, content: DepositContent): Promise<Deposit[]> {
  return scanDueCredited(db, content)
}

// Due work checks the chain and screening

/** Checks one deposit with the chain and the screening provider, unless both results are known. */
export async function advanceDeposit(ctx: Ctx, { userId, id: depositId }: DueKey): Promise<Deposit> {
  const key = { userId, depositId }
  await checkDeposits(ctx, userId, [await requireDeposit(ctx.db, key)])
  return requireDeposit(ctx.db, key)
}

/**
 * Checks all due deposits of a user, even if some checks fail. Deposits that stay open are checked again when they are
 * next due.
 */
export async function advanceDeposits(ctx: Ctx, userId: string): Promise<void> {
  const due = await findDueDeposits(ctx.db, userId)
  const starts = Array.from({ length: Math.ceil(due.length / maxConcurrentChecks) }, (_, i) => i * maxConcurrentChecks)
  await tryEach(starts, (start) => checkDeposits(ctx, userId, due.slice(start, start + maxConcurrentChecks)))
}

/** Writes every result that arrived, then throws the error of the first failed check. */
async function checkDeposits(ctx: Ctx, userId: string, deposits: readonly Deposit[]): Promise<void> {
  const checks = await Promise.allSettled([
    ...deposits.map((deposit) => checkChain(ctx, userId, deposit)),
    screenDeposits(ctx, userId, deposits),
  ])
  for (const check of checks) if (check.status === 'rejected') throw check.reason
}

/**
 * Reads the state of a deposit from the chain. On a watched chain (`transferState` is null), the watcher reports it.
 */
async function checkChain(ctx: Ctx, userId: string, deposit: Deposit): Promise<void> {
  if (ctx.chain.transferState === null || deposit.chainState !== 'unfinal') return
  await followTransfer(ctx, { userId, depositId: deposit.depositId }, await ctx.chain.transferState(deposit))
}

async function screenDeposits(ctx: Ctx, userId: string, deposits: readonly Deposit[]): Promise<void> {
  const open = deposits.filter((deposit) => deposit.screening === 'pending' && isStanding(deposit))
  if (open.length === 0) return
  const { address: toAddress } = await findAccount(ctx.db, userId)
  const screenings = await Promise.allSettled(
    open.map((deposit) => ctx.screening.screen({ ...deposit, userId, toAddress, seenAt: deposit.createdAt })),
  )
  const results = new Map<string, Screened>()
  open.forEach(({ depositId, amount }, i) => {
    const one = screenings[i]
    if (one?.status === 'fulfilled' && one.value.result !== 'pending') results.set(depositId, { ...one.value, amount })
  })
  if (results.size > 0) await applyScreeningResults(ctx, userId, results)
  for (const one of screenings) if (one.status === 'rejected') throw one.reason
}

/** A screening result, and the amount of the deposit that was screened. */
type Screened = ScreeningReport & { readonly amount: bigint }

/** Applies screening results. A callback or reorganization that was committed in the meantime takes precedence. */
async function applyScreeningResults(ctx: Ctx, userId: string, results: ReadonlyMap<string, Screened>): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const account = await lockAccount(tx, userId)
    const deposits = await findDepositsById(tx, userId, [...results.keys()])
    const unbookedReturns = await unbookedReturnsOf(tx, deposits)
    const changes = deposits.flatMap((before) => {
      const result = results.get(before.depositId)
      if (!result || before.amount !== result.amount || before.screening !== 'pending') return []
      const after = screened(before, result, unbookedReturns)
      return mayBeScreened(before, after.screening) ? [{ before, after }] : []
    })
    await writeChanges(ctx, tx, account, changes)
  })
}

// Reads

async function requireDeposit(db: Queryable, key: DepositKey): Promise<Deposit> {
  const deposit = await findDeposit(db, key)
  if (!deposit) throw new Error(`deposit ${key.depositId} has no row`)
  return deposit
}

/** Returns the deposit of a transfer, preferably the one that is in the chain; null if there is none (yet). */
export async function findDepositByTransfer(ctx: Ctx, userId: string, transfer: TransferKey): Promise<Deposit | null> {
  const deposits = await findDepositsOf(ctx.db, userId, [transfer])
  return deposits.find(isStanding) ?? deposits[0] ?? null
}

/** Returns accounts whose deposits may be worth sweeping. Only the chain knows what their addresses hold. */
export function findUnsweptDeposits(ctx: Ctx, of: Parameters<typeof scanDueUnswept>[1]): Promise<Unswept[]> {
  return scanDueUnswept(ctx.db, of)
}

/**
 * Records that all tokens of these deposits except `held` have left their address. The ledger does not change: only
 * custody moved.
 */
export function markSwept(ctx: Ctx, unswept: Unswept, held: bigint): Promise<void> {
  return updateSwept(ctx.db, unswept, { held, at: ctx.clock.now() })
}

/** Records that the tokens of these deposits stay at their address, because it belongs to an earlier factory. */
export function markUnsweepable(ctx: Ctx, unswept: Unswept): Promise<void> {
  return updateSwept(ctx.db, unswept, { held: 0n, at: 'infinity' })
}

export type ListedDeposit = Deposit & { readonly symbol: string }

/** Returns the caller's deposits, newest first. */
export async function listDeposits(ctx: Ctx, caller: UserCaller): Promise<ListedDeposit[]> {
  const deposits = await findReadableDeposits(ctx.db.reader, caller, maxListed)
  if (deposits.length === 0) await requireAccount(ctx.db, caller)
  return deposits.map((deposit) => ({ ...deposit, symbol: tokenOf(ctx.config.tokens, deposit.token).symbol }))
}

/** Measures the number and age of pending screenings, because an unresponsive provider holds funds back. */
export async function measureScreenings({ db, clock, metrics }: Ctx): Promise<void> {
  const { deposits, oldest } = await scanDueScreenings(db)
  metrics.waitingScreenings.set(Number(deposits))
  metrics.waitingScreeningSeconds.set(secondsSince(oldest, clock.now()))
}

/** Rebuilds the statement items of a user's deposits from the table. */
export async function rebuildDepositItems(ctx: ReadCtx, userId: string): Promise<StatementRow[]> {
  return (await findDeposits(ctx.db, userId)).map((deposit) => statementRow(itemOf(ctx, deposit)))
}
