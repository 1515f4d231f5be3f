import { tokenOf } from '../../config/stablecoins.ts'
import type { Ctx, ReadCtx } from '../../context.ts'
import { findAccount, lockAccount, requireAccount } from '../../identity/users/users.ts'
import { type LockedAccount, type Movement, postMovements, readBalances } from '../../ledger/ledger.ts'
import {
  depositApproved,
  depositLost,
  depositOverturned,
  depositRecovered,
  depositRefused,
  depositReorganised,
  depositReturned,
  depositSeen,
} from '../../ledger/movements.ts'
import { applyPostings, type Balances } from '../../ledger/rules.ts'
import { secondsSince } from '../../lib/clock.ts'
import { Refusal } from '../../lib/errors.ts'
import { newId } from '../../lib/id.ts'
import type { Queryable, Tx } from '../../platform/db/db.ts'
import type { UserCaller } from '../../platform/http/access.ts'
import type { DueKey } from '../../platform/jobs/jobs.ts'
import { raiseAlarm } from '../../platform/observability/alarms.ts'
import type { Transfer, TransferKey } from '../../providers/chain/chain.ts'
import type { ScreeningReport } from '../../providers/screening/screening.ts'
import type { DepositItem } from '../../statement-items/schemas.ts'
import { putItems, type StatementRow, statementRow } from '../../statement-items/statement-items.ts'
import {
  type ChainState,
  type Change,
  depositStatus,
  lookAfter,
  mayBeScreened,
  mayMoveOnChain,
  mayReturn,
  type Place,
  placeOf,
  type ReturnState,
  sightingSteps,
  statementItem,
} from './rules.ts'
import {
  type Deposit,
  type DepositKey,
  findDeposit,
  findDepositKey,
  findDeposits,
  findDepositsById,
  findDepositsOf,
  findOwedDeposits,
  findReadableDeposits,
  findUserByAddress,
  insertDeposits,
  scanDueFrozen,
  scanDueScreenings,
  scanDueUnswept,
  type Unswept,
  updateDeposits,
  updateSwept,
} from './sql.ts'

/**
 * Transfers into the accounts. Owns `deposit`.
 * A deposit is where its transfer stands on the chain (unfinal → final, either → reorganised → unfinal) and what
 * screening says of it (pending → approved or rejected, rejected → approved); its status follows from the two.
 * Invariants: one deposit that stands for each (chain, transaction, log position); nothing is spendable before it is final **and**
 * approved; what screening refuses stays the user's, frozen; without an answer of the chain or of screening nothing moves.
 */

/** What changing a deposit needs; an operator's command has no chain to ask, and is not asked for metrics. */
export type BooksCtx = Pick<Ctx, 'config' | 'clock' | 'log' | 'metrics'> & {
  readonly chain: Pick<Ctx['chain'], 'transferState'>
}

const mostListed = 1000
const mostAskedAtOnce = 50

export type { DepositKey, Unswept }

/** A transfer, and where it stands on its chain now. */
export type Sighting = Transfer & { readonly chainState: ChainState }

/** A transfer stands in a block. Null when its address is nobody's. Repeatable; after a reorganisation it counts again. */
export async function seeDeposit(ctx: Ctx, transfer: Transfer): Promise<DepositKey | null> {
  const userId = await findUserByAddress(ctx.db, transfer.toAddress)
  if (userId === null) return null
  return ctx.db.transaction(async (tx) => {
    const account = await lockAccount(tx, userId)
    const known = (await findDepositsOf(tx, userId, [transfer])).find(isStanding)
    // A feed that is replayed says nothing new.
    if (known) return { userId, depositId: known.depositId }
    const changed = await followTransfers(ctx, tx, account, [{ ...transfer, chainState: 'unfinal' }])
    const deposit = changed.find(isStanding)
    if (!deposit) throw new Error('a transfer that is seen makes a deposit')
    return { userId, depositId: deposit.depositId }
  })
}

/**
 * The chain says where transfers to one user stand now; what it said before changes nothing. One that is seen for the
 * first time becomes a deposit. One that a reorganisation made another (the same transaction may do something else in
 * another block) is taken back first. Returns the deposits that this changes.
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

function isStanding({ chainState }: Deposit): boolean {
  return chainState !== 'reorganised'
}

function keyOf({ chainId, txHash, logPosition }: TransferKey): string {
  return `${chainId}:${txHash}:${logPosition}`
}

function newDeposit({ chainState: _, toAddress: __, ...transfer }: Sighting, now: Date): Deposit {
  const unscreened = { screening: 'pending', riskScore: 0, riskTier: 'unknown', returnState: null } as const
  return { ...transfer, ...unscreened, depositId: newId(now), chainState: 'unfinal', status: 'pending', createdAt: now }
}

/** The chain says where the transfer stands now. What it said before, or cannot say, changes nothing. */
export async function followTransfer(ctx: Ctx, key: DepositKey, chainState: ChainState): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const account = await lockAccount(tx, key.userId)
    const before = await requireDeposit(tx, key)
    if (!mayMoveOnChain(before.chainState, chainState)) return
    await writeChanges(ctx, tx, account, [{ before, after: { ...before, chainState } }])
  })
}

/** A verdict by the deposit's id alone, as a person or a provider's callback brings it: for the first time, or again. */
export async function applyVerdictById(
  ctx: Ctx,
  tx: Tx,
  depositId: string,
  verdict: ScreeningReport,
): Promise<Deposit> {
  const key = await findDepositKey(tx, depositId)
  if (key === null) throw new Refusal('DEPOSIT_NOT_FOUND')
  const account = await lockAccount(tx, key.userId)
  const before = await requireDeposit(tx, key)
  if (!mayBeScreened(before, verdict.result)) throw new Refusal('INVALID_DEPOSIT_STATUS')
  if (before.screening === verdict.result) return before
  const [after] = await writeChanges(ctx, tx, account, [{ before, after: screened(before, verdict) }])
  return after ?? before
}

/**
 * A provider's callback. One that cannot count is answered like any other, so that nobody learns what exists and no
 * provider repeats it for ever; a person is told.
 */
export async function takeVerdict(ctx: Ctx, depositId: string, verdict: ScreeningReport): Promise<void> {
  try {
    await ctx.db.transaction((tx) => applyVerdictById(ctx, tx, depositId, verdict))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const reason = error.code === 'DEPOSIT_NOT_FOUND' ? 'unknown_deposit' : 'contradiction'
    raiseAlarm(ctx, { area: 'screening', reason }, { depositId, result: verdict.result })
  }
}

/**
 * A refused deposit goes back to its sender. `signed`: from here on the refusal cannot be overturned; `returned`: the payment
 * is final on its chain, and the money is no longer the user's; null: it was not paid. Repeatable.
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
  if (!mayReturn(before, returnState)) throw new Refusal('INVALID_DEPOSIT_STATUS')
  const [after] = await writeChanges(ctx, tx, account, [{ before, after: { ...before, returnState } }])
  return { ...(after ?? before), ...key }
}

/** Whether its money is still there to go back: a reorganisation may have taken it away since that was decided. */
export async function isFrozen(tx: Tx, key: DepositKey): Promise<boolean> {
  return placeOf(await requireDeposit(tx, key)) === 'frozen'
}

/** Refused, final, and nobody has sent them back. */
export function frozenDeposits({ db }: Pick<Ctx, 'db'>): Promise<Deposit[]> {
  return scanDueFrozen(db)
}

function screened(deposit: Deposit, { result: screening, riskScore, riskTier }: ScreeningReport): Deposit {
  return { ...deposit, screening, riskScore, riskTier }
}

/** Asks the chain and screening for what is still open of one deposit. */
export async function advanceDeposit(ctx: Ctx, { userId, id: depositId }: DueKey): Promise<Deposit> {
  const key = { userId, depositId }
  await askFor(ctx, userId, [await requireDeposit(ctx.db, key)])
  return requireDeposit(ctx.db, key)
}

/** The same for all of a user's deposits that are owed an answer. What stays open is asked again when next due. */
export async function advanceDeposits(ctx: Ctx, userId: string): Promise<void> {
  const owed = await findOwedDeposits(ctx.db, userId)
  for (let i = 0; i < owed.length; i += mostAskedAtOnce) await askFor(ctx, userId, owed.slice(i, i + mostAskedAtOnce))
}

/** What was answered is kept, also when another question failed: its error is thrown at the end. */
async function askFor(ctx: Ctx, userId: string, deposits: readonly Deposit[]): Promise<void> {
  const answers = await Promise.allSettled([
    ...deposits.map((deposit) => askChain(ctx, userId, deposit)),
    screenDeposits(ctx, userId, deposits),
  ])
  for (const answer of answers) if (answer.status === 'rejected') throw answer.reason
}

/** Where the chain is watched, its blocks say so without being asked. */
async function askChain(ctx: Ctx, userId: string, deposit: Deposit): Promise<void> {
  if (ctx.chain.transferState === null || deposit.chainState !== 'unfinal') return
  await followTransfer(ctx, { userId, depositId: deposit.depositId }, await ctx.chain.transferState(deposit))
}

async function screenDeposits(ctx: Ctx, userId: string, deposits: readonly Deposit[]): Promise<void> {
  const open = deposits.filter(({ screening, chainState }) => screening === 'pending' && chainState !== 'reorganised')
  if (open.length === 0) return
  const { address: toAddress } = await findAccount(ctx.db, userId)
  const answers = await Promise.allSettled(
    open.map((deposit) => ctx.screening.screen({ ...deposit, userId, toAddress, seenAt: deposit.createdAt })),
  )
  const verdicts = new Map<string, ScreeningReport>()
  open.forEach(({ depositId }, i) => {
    const answer = answers[i]
    if (answer?.status === 'fulfilled' && answer.value.result !== 'pending') verdicts.set(depositId, answer.value)
  })
  if (verdicts.size > 0) await applyVerdicts(ctx, userId, verdicts)
  for (const answer of answers) if (answer.status === 'rejected') throw answer.reason
}

/** A callback, or a reorganisation, may have come first: it counts. */
async function applyVerdicts(ctx: Ctx, userId: string, verdicts: ReadonlyMap<string, ScreeningReport>): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const account = await lockAccount(tx, userId)
    const deposits = await findDepositsById(tx, userId, [...verdicts.keys()])
    const changes = deposits.flatMap((before) => {
      const verdict = verdicts.get(before.depositId)
      if (!verdict || before.screening !== 'pending' || !mayBeScreened(before, verdict.result)) return []
      return [{ before, after: screened(before, verdict) }]
    })
    await writeChanges(ctx, tx, account, changes)
  })
}

/**
 * The one way deposits change, in order: their rows, the money to where each new state puts it, and what the statement
 * shows. Statements on arrays: their number does not grow with the number of deposits.
 */
async function writeChanges(
  ctx: BooksCtx,
  tx: Tx,
  account: LockedAccount,
  changes: readonly Change<Deposit>[],
): Promise<Deposit[]> {
  if (changes.length === 0) return []
  const now = ctx.clock.now()
  const isWatched = ctx.chain.transferState === null
  const results = new Map<string, Change<Deposit>>()
  const movements: Movement[] = []
  let balances = await readBalances(tx, account.userId)
  for (const { before, after: changed } of changes) {
    const after = { ...changed, status: depositStatus(changed) }
    const first = results.get(after.depositId)
    results.set(after.depositId, { before: first ? first.before : before, after })
    const [from, to] = [before === null ? 'outside' : placeOf(before), placeOf(after)]
    if (from === to) continue
    const movement = movementOf(from, to, balances, after)
    movements.push({ ...movement, refId: after.depositId, at: now })
    balances = applyPostings(balances, movement.postings)
    if (movement.kind === 'deposit_lost') tx.afterCommit(() => pageOperator(ctx, after, from))
  }
  const made = [...results.values()].flatMap(({ before, after }) => (before === null ? [after] : []))
  const changed = [...results.values()].flatMap(({ before, after }) =>
    before === null ? [] : [{ ...after, look: lookAfter(before, after, isWatched) }],
  )
  // What another stands in the place of leaves it first.
  const { gone = [], standing = [] } = Object.groupBy(changed, (one) => (isStanding(one) ? 'standing' : 'gone'))
  for (const part of [gone, standing]) if (part.length > 0) await updateDeposits(tx, account.userId, part, now)
  if (made.length > 0) await insertDeposits(tx, account.userId, made)
  await postMovements(tx, account, movements)
  const written = [...results.values()].map(({ after }) => after)
  const noticed = new Set(written.filter((one) => isNoticed(ctx, one)).map(({ depositId }) => depositId))
  const items = written.map((deposit) => itemOf(ctx, deposit))
  await putItems(tx, account.userId, items, now, ({ id }) => noticed.has(id))
  return written
}

/** Money that was final is gone: nobody planned for this, and somebody must look into it. */
function pageOperator(
  { log, metrics }: BooksCtx,
  { depositId, chainId, txHash, token, amount }: Deposit,
  was: Place,
): void {
  log.error({ depositId, chainId, txHash, token, amount: String(amount), was }, 'a final deposit was reorganised away')
  metrics.lostDeposits.inc({ was })
}

function movementOf(
  from: Place,
  to: Place,
  balances: Balances,
  { token, amount }: Deposit,
): Pick<Movement, 'kind' | 'postings'> {
  switch (`${from} → ${to}` as const) {
    case 'outside → processing':
    case 'lost → recovering':
      return { kind: 'deposit_seen', postings: depositSeen(token, amount) }
    case 'processing → outside':
    case 'recovering → lost':
      return { kind: 'deposit_reorganised', postings: depositReorganised(token, amount) }
    case 'processing → credited':
      return { kind: 'deposit_approved', postings: depositApproved(balances, token, amount) }
    case 'processing → frozen':
      return { kind: 'deposit_refused', postings: depositRefused(token, amount) }
    case 'frozen → credited':
      return { kind: 'deposit_overturned', postings: depositOverturned(balances, token, amount) }
    case 'frozen → returned':
      return { kind: 'deposit_returned', postings: depositReturned(token, amount) }
    case 'frozen → outside':
      return { kind: 'deposit_lost', postings: depositLost(balances, token, amount, 'frozen') }
    case 'credited → outside':
      return { kind: 'deposit_lost', postings: depositLost(balances, token, amount, 'approved') }
    case 'returned → lost':
    case 'outside → lost':
    case 'processing → recovering':
      return { kind: 'deposit_lost', postings: depositLost(balances, token, amount, 'returned') }
    case 'recovering → returned':
      return { kind: 'deposit_recovered', postings: depositRecovered(token, amount) }
    default:
      throw new Error(`no deposit moves from ${from} to ${to}`)
  }
}

function isNoticed({ config }: Pick<ReadCtx, 'config'>, { token, amount }: Deposit): boolean {
  return amount >= (config.depositNoticeMinimums[token] ?? 0n)
}

function itemOf(ctx: Pick<ReadCtx, 'config'>, deposit: Deposit): DepositItem {
  return statementItem(deposit, tokenOf(ctx.config.tokens, deposit.token))
}

async function requireDeposit(db: Queryable, key: DepositKey): Promise<Deposit> {
  const deposit = await findDeposit(db, key)
  if (!deposit) throw new Error(`deposit ${key.depositId} is gone`)
  return deposit
}

/** What has become of a transfer to a user; null: it is not a deposit, or not yet. */
export async function findDepositOf(ctx: Ctx, userId: string, transfer: TransferKey): Promise<Deposit | null> {
  const deposits = await findDepositsOf(ctx.db, userId, [transfer])
  return deposits.find(isStanding) ?? deposits[0] ?? null
}

/** Accounts whose coins may be worth moving: what they hold is for the chain to say. */
export function unsweptDeposits(ctx: Ctx, of: Parameters<typeof scanDueUnswept>[1]): Promise<Unswept[]> {
  return scanDueUnswept(ctx.db, of)
}

/** The address was found empty: the coins of these deposits have left it. No money moves, only its place. */
export function markSwept(ctx: Ctx, unswept: Unswept): Promise<void> {
  return updateSwept(ctx.db, unswept, ctx.clock.now())
}

export type ListedDeposit = Deposit & { readonly symbol: string }

/** Newest first. */
export async function listDeposits(ctx: Ctx, caller: UserCaller): Promise<ListedDeposit[]> {
  const deposits = await findReadableDeposits(ctx.db.reader, caller, mostListed)
  if (deposits.length === 0) await requireAccount(ctx.db, caller)
  return deposits.map((deposit) => ({ ...deposit, symbol: tokenOf(ctx.config.tokens, deposit.token).symbol }))
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
