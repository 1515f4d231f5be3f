import type { Token } from '../config.ts'
import type { Ctx, ReadCtx } from '../context.ts'
import type { Queryable, Tx } from '../db/db.ts'
import type { UserCaller } from '../http/access.ts'
import type { DueKey } from '../jobs/jobs.ts'
import { type LockedAccount, type Movement, postMovement, readBalances } from '../ledger/ledger.ts'
import {
  depositApproved,
  depositLost,
  depositOverturned,
  depositRefused,
  depositReorganised,
  depositSeen,
} from '../ledger/movements.ts'
import type { Balances } from '../ledger/rules.ts'
import { secondsSince } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { Refusal } from '../lib/refusal.ts'
import type { Transfer } from '../providers/chain/chain.ts'
import type { Verdict } from '../providers/screening/screening.ts'
import type { DepositItem } from '../statement-items/schemas.ts'
import { putItem, type StatementRow, statementRow } from '../statement-items/statement-items.ts'
import { findAccount, lockAccount, requireAccount } from '../users/users.ts'
import {
  type ChainState,
  depositStatus,
  mayBeScreened,
  mayMoveOnChain,
  type Place,
  placeOf,
  statementItem,
} from './rules.ts'
import {
  claimTransfer,
  type Deposit,
  type DepositKey,
  findDeposit,
  findDepositKey,
  findDeposits,
  findReadableDeposits,
  findUserByAddress,
  insertDeposit,
  scanDueScreenings,
  updateDeposit,
} from './sql.ts'

/**
 * Transfers into the accounts. Owns `deposit`.
 * A deposit is where its transfer stands on the chain (unfinal → final, either → reorganised → unfinal) and what
 * screening says of it (pending → approved or rejected, rejected → approved); its status follows from the two.
 * Invariants: one deposit for each (chain, transaction, log position); nothing is spendable before it is final **and**
 * approved; what screening refuses stays the user's, frozen; without an answer of the chain or of screening nothing moves.
 */

const mostListed = 1000

/** A transfer stands in a block. Null when its address is nobody's. Repeatable; after a reorganisation it counts again. */
export async function seeDeposit(ctx: Ctx, transfer: Transfer): Promise<DepositKey | null> {
  const userId = await findUserByAddress(ctx.db, transfer.toAddress)
  if (userId === null) return null
  return ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now()
    const depositId = newId(now)
    const key = await claimTransfer(tx, transfer, userId, depositId)
    const account = await lockAccount(tx, key.userId)
    if (key.depositId !== depositId) {
      await changeOnChain(ctx, tx, account, await requireDeposit(tx, key), 'unfinal')
      return key
    }
    const { toAddress: _, ...rest } = transfer
    const deposit: Deposit = {
      ...rest,
      depositId,
      status: 'pending',
      chainState: 'unfinal',
      screening: 'pending',
      riskScore: 0,
      riskTier: 'unknown',
      createdAt: now,
    }
    await insertDeposit(tx, userId, deposit)
    await moveMoney(ctx, tx, account, deposit, 'outside')
    await putItem(tx, userId, itemOf(ctx, deposit), now)
    return key
  })
}

/** The chain says where the transfer stands now. What it said before, or cannot say, changes nothing. */
export async function followTransfer(ctx: Ctx, key: DepositKey, chainState: ChainState): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const account = await lockAccount(tx, key.userId)
    await changeOnChain(ctx, tx, account, await requireDeposit(tx, key), chainState)
  })
}

/** Screening says what it thinks of the money, for the first time or again. */
async function applyVerdict(ctx: Ctx, tx: Tx, key: DepositKey, verdict: Verdict): Promise<Deposit> {
  const account = await lockAccount(tx, key.userId)
  const deposit = await requireDeposit(tx, key)
  if (!mayBeScreened(deposit.chainState, deposit.screening, verdict.result)) throw new Refusal('INVALID_DEPOSIT_STATUS')
  if (deposit.screening === verdict.result) return deposit
  const { result: screening, riskScore, riskTier } = verdict
  return writeChange(ctx, tx, account, deposit, { screening, riskScore, riskTier })
}

/** A verdict by the deposit's id alone, as a provider's callback brings it. */
export async function applyVerdictById(ctx: Ctx, tx: Tx, depositId: string, verdict: Verdict): Promise<Deposit> {
  const key = await findDepositKey(tx, depositId)
  if (key === null) throw new Refusal('DEPOSIT_NOT_FOUND')
  return applyVerdict(ctx, tx, key, verdict)
}

/** Asks the chain and screening for what is still open. What stays open is asked again when the row is next due. */
export async function advanceDeposit(ctx: Ctx, { userId, id: depositId }: DueKey): Promise<Deposit> {
  const key = { userId, depositId }
  const deposit = await requireDeposit(ctx.db, key)
  if (deposit.chainState === 'unfinal') await followTransfer(ctx, key, await ctx.chain.transferState(deposit))
  if (deposit.screening === 'pending' && deposit.chainState !== 'reorganised') await screen(ctx, key, deposit)
  return requireDeposit(ctx.db, key)
}

async function screen(ctx: Ctx, key: DepositKey, deposit: Deposit): Promise<void> {
  const { address } = await findAccount(ctx.db, key.userId)
  const verdict = await ctx.screening.screen({ ...deposit, toAddress: address })
  if (verdict.result === 'pending') return
  await ctx.db.transaction(async (tx) => {
    try {
      await applyVerdict(ctx, tx, key, verdict)
    } catch (error) {
      // A callback, or a reorganisation, came first: it counts.
      if (!(error instanceof Refusal)) throw error
    }
  })
}

async function changeOnChain(ctx: Ctx, tx: Tx, account: LockedAccount, deposit: Deposit, chainState: ChainState) {
  if (mayMoveOnChain(deposit.chainState, chainState)) await writeChange(ctx, tx, account, deposit, { chainState })
}

/** The one way a deposit changes: its row, the money to where the new state puts it, and what the statement shows. */
async function writeChange(
  ctx: Ctx,
  tx: Tx,
  account: LockedAccount,
  before: Deposit,
  change: Partial<Pick<Deposit, 'chainState' | 'screening' | 'riskScore' | 'riskTier'>>,
): Promise<Deposit> {
  const changed = { ...before, ...change }
  const after = { ...changed, status: depositStatus(changed.chainState, changed.screening) }
  const now = ctx.clock.now()
  await updateDeposit(tx, account.userId, after, { now, dueAt: lookAfter(before, after, now) })
  await moveMoney(ctx, tx, account, after, placeOf(before.chainState, before.screening))
  await putItem(tx, account.userId, itemOf(ctx, after), now)
  return after
}

/** Nothing is owed once the money has its place; undefined leaves the look where the claim of the work has put it. */
function lookAfter(before: Deposit, after: Deposit, now: Date): Date | null | undefined {
  if (placeOf(after.chainState, after.screening) !== 'processing') return null
  return before.chainState === 'reorganised' ? now : undefined
}

async function moveMoney(ctx: Ctx, tx: Tx, account: LockedAccount, deposit: Deposit, from: Place): Promise<void> {
  const to = placeOf(deposit.chainState, deposit.screening)
  if (from === to) return
  const balances = await readBalances(tx, account.userId)
  const movement = movementOf(from, to, balances, deposit)
  await postMovement(tx, account, { ...movement, refId: deposit.depositId, at: ctx.clock.now() })
}

function movementOf(
  from: Place,
  to: Place,
  balances: Balances,
  { token, amount }: Deposit,
): Pick<Movement, 'kind' | 'postings'> {
  switch (`${from} → ${to}` as const) {
    case 'outside → processing':
      return { kind: 'deposit_seen', postings: depositSeen(token, amount) }
    case 'processing → outside':
      return { kind: 'deposit_reorganised', postings: depositReorganised(token, amount) }
    case 'processing → credited':
      return { kind: 'deposit_approved', postings: depositApproved(balances, token, amount) }
    case 'processing → frozen':
      return { kind: 'deposit_refused', postings: depositRefused(token, amount) }
    case 'frozen → credited':
      return { kind: 'deposit_overturned', postings: depositOverturned(balances, token, amount) }
    case 'frozen → outside':
      return { kind: 'deposit_lost', postings: depositLost(balances, token, amount, 'frozen') }
    case 'credited → outside':
      return { kind: 'deposit_lost', postings: depositLost(balances, token, amount, 'approved') }
    default:
      throw new Error(`no deposit moves from ${from} to ${to}`)
  }
}

function itemOf(ctx: ReadCtx, deposit: Deposit): DepositItem {
  return statementItem(deposit, tokenOf(ctx, deposit.token))
}

function tokenOf(ctx: ReadCtx, address: string): Token {
  const token = ctx.config.tokens.find((token) => token.address === address)
  if (!token) throw new Error(`a deposit is in ${address}, which is not a configured token`)
  return token
}

async function requireDeposit(db: Queryable, key: DepositKey): Promise<Deposit> {
  const deposit = await findDeposit(db, key)
  if (!deposit) throw new Error(`deposit ${key.depositId} is gone`)
  return deposit
}

export type ListedDeposit = Deposit & { readonly symbol: string }

/** Newest first. */
export async function listDeposits(ctx: Ctx, caller: UserCaller): Promise<ListedDeposit[]> {
  const deposits = await findReadableDeposits(ctx.db.reader, caller, mostListed)
  if (deposits.length === 0) await requireAccount(ctx.db, caller)
  return deposits.map((deposit) => ({ ...deposit, symbol: tokenOf(ctx, deposit.token).symbol }))
}

/** Screening that does not answer holds money back: fails closed, so somebody must see it age. */
export async function measureScreenings({ db, clock, metrics }: Ctx): Promise<void> {
  const { deposits, oldest } = await scanDueScreenings(db)
  metrics.waitingScreenings.set(Number(deposits))
  metrics.waitingScreeningSeconds.set(secondsSince(oldest, clock.now()))
}

/** The statement's rows of a user's deposits, made again from the facts. */
export async function rebuildItems(ctx: ReadCtx, userId: string): Promise<StatementRow[]> {
  return (await findDeposits(ctx.db, userId)).map((deposit) => statementRow(itemOf(ctx, deposit)))
}
