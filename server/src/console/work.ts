import type { ChainConfig } from '../config/chains.ts'
import type { Ctx } from '../context.ts'
import { lastId, timeOf } from '../lib/id.ts'
import { listRuns } from '../money/reconcile/runs.ts'
import { type ListedRows, type ListRequest, readList } from '../operators/pages.ts'
import { oldestOpenProposal } from '../operators/rules.ts'
import { readSignedPayout } from '../providers/chain/payout-call.ts'
import { readSwitches } from '../switches/switches.ts'
import { maxCounted } from './rules.ts'
import { requireUserExists } from './users.ts'
import {
  type ChainRow,
  type CountedWork,
  type DeadLetter,
  type DepositRow,
  findChains,
  findDepositsBefore,
  findPayoutWallets,
  findWithdrawalsBefore,
  type PayoutRow,
  type PayoutWalletRow,
  type ReviewRow,
  scanDueDeadLetters,
  scanDueDepositPage,
  scanDuePayoutPage,
  scanDueReviewPage,
  scanDueUnassignedPage,
  scanDueUnknownArrivalPage,
  scanDueWorkCounts,
  type UnassignedRow,
  type UnknownArrivalRow,
} from './work-sql.ts'

/** The work that waits for an operator, over all users. Owns no table. */
type WorkCtx = Pick<Ctx, 'db'>

export type { DeadLetter, DepositRow, PayoutRow, ReviewRow, UnknownArrivalRow }

/** The list of each kind of work. */
const lists = {
  reviews: '/operator/reviews',
  deferredMessages: '/operator/reviews',
  depositsWaiting: '/operator/deposits?state=waiting',
  depositsFrozen: '/operator/deposits?state=frozen',
  arrivalsUnknown: '/operator/deposits?state=untold',
  payoutsOpen: '/operator/payouts?state=open',
  payoutsUnpaid: '/operator/payouts?state=unpaid',
  payoutsUnassigned: '/operator/payouts?state=unassigned',
  webhooksDead: '/operator/webhooks/dead',
  partnersPending: '/operator/partners?status=pending',
  proposalsOpen: '/operator/proposals?status=open',
} as const satisfies Readonly<Record<CountedWork, string>>

export const workKinds = [...(Object.keys(lists) as CountedWork[]), 'badRows', 'switchesOff'] as const

export type WaitingWork = {
  readonly work: (typeof workKinds)[number]
  /** At most `maxCounted`. */
  readonly count: number
  readonly isMore: boolean
  readonly oldest: Date | null
  readonly path: string
}

/** Returns every kind of work, even if none of it waits. The cost does not grow with the amount of waiting work. */
export async function readOverview(
  ctx: Pick<Ctx, 'db' | 'clock' | 'caches' | 'log' | 'metrics'>,
): Promise<WaitingWork[]> {
  const now = ctx.clock.now()
  const [counts, [run], switches] = await Promise.all([
    scanDueWorkCounts(ctx.db, { now, oldestProposal: oldestOpenProposal(now) }),
    listRuns(ctx.db, lastId, 1),
    readSwitches(ctx, ctx.db),
  ])
  const off = switches.filter(({ isOn }) => !isOn)
  const [oldestOff = null] = off.flatMap(({ changedAt }) => changedAt ?? []).toSorted((a, b) => +a - +b)
  const short = run?.custody?.filter(({ isShort }) => isShort).length ?? 0
  const bad = (run?.badRows ?? 0) + short
  return [
    ...counts.map(({ work, count, oldest }) => ({
      ...{ work, count: Math.min(Number(count), maxCounted), isMore: count > maxCounted, oldest },
      path: lists[work],
    })),
    {
      ...{ work: 'badRows' as const, count: Math.min(bad, maxCounted), isMore: bad > maxCounted },
      ...{ oldest: run !== undefined && bad > 0 ? run.startedAt : null, path: '/operator/reconciliation' },
    },
    {
      ...{ work: 'switchesOff' as const, count: off.length, isMore: false },
      ...{ oldest: oldestOff, path: '/operator/switches' },
    },
  ]
}

const byTime = { parts: ['time', 'id'], from: 'oldest' } as const
const byTimeDown = { parts: ['time', 'id'], from: 'newest' } as const

export function listReviewPage({ db }: WorkCtx, request: ListRequest): Promise<ListedRows<ReviewRow>> {
  return readList(
    byTime,
    request,
    (beyond, limit) => scanDueReviewPage(db, beyond, limit),
    ({ createdAt, reviewId }) => [createdAt, reviewId],
  )
}

export const depositStates = ['waiting', 'frozen', 'untold'] as const

export function listWaitingDeposits(
  { db }: WorkCtx,
  state: 'waiting' | 'frozen',
  request: ListRequest,
): Promise<ListedRows<DepositRow>> {
  return readList(
    byTime,
    request,
    (beyond, limit) => scanDueDepositPage(db, state, beyond, limit),
    ({ createdAt, depositId }) => [createdAt, depositId],
  )
}

export function listUnknownArrivalPage({ db }: WorkCtx, request: ListRequest): Promise<ListedRows<UnknownArrivalRow>> {
  return readList(
    { parts: ['number', 'number', 'text', 'number'], from: 'oldest' },
    request,
    (beyond, limit) => scanDueUnknownArrivalPage(db, beyond, limit),
    ({ chainId, blockNumber, txHash, logPosition }) => [chainId, blockNumber, txHash, logPosition],
  )
}

export async function listDepositsOfUser(
  { db }: WorkCtx,
  userId: string,
  request: ListRequest,
): Promise<ListedRows<DepositRow>> {
  await requireUserExists(db, userId)
  return readList(
    byTimeDown,
    request,
    (beyond, limit) => findDepositsBefore(db, userId, beyond, limit),
    ({ createdAt, depositId }) => [createdAt, depositId],
  )
}

export const payoutStates = ['open', 'unpaid', 'unassigned'] as const

export async function listPayoutPage(
  ctx: WorkCtx,
  state: (typeof payoutStates)[number],
  request: ListRequest,
): Promise<ListedRows<PayoutRow>> {
  const keyOf = ({ createdAt, withdrawalId }: PayoutRow) => [createdAt, withdrawalId]
  if (state !== 'unassigned')
    return readList(byTime, request, (beyond, limit) => scanDuePayoutPage(ctx.db, state, beyond, limit), keyOf)
  const { rows, pagination } = await readList(
    { parts: ['id', 'text'], from: 'oldest' },
    request,
    (beyond, limit) => scanDueUnassignedPage(ctx.db, beyond, limit),
    ({ withdrawalId, txHash }) => [withdrawalId, txHash],
  )
  return { rows: rows.flatMap(payoutOf), pagination }
}

/** A transaction that is not a token transfer is not a payout. Only mined transactions are recovered. */
function payoutOf({ withdrawalId, chainId, txHash, nonce, signedTransaction }: UnassignedRow): PayoutRow[] {
  const signed = readSignedPayout(signedTransaction)
  if (signed === null) return []
  const { token, amount, toAddress } = signed
  const row: PayoutRow = {
    ...{ userId: null, depositId: null, withdrawalId, chainId, token, amount, toAddress, txHash },
    ...{ status: 'processing', payoutNonce: nonce, isMined: true, unpaid: null, attempts: 0 },
    createdAt: timeOf(withdrawalId),
  }
  return [row]
}

export async function listWithdrawalsOfUser(
  { db }: WorkCtx,
  userId: string,
  request: ListRequest,
): Promise<ListedRows<PayoutRow>> {
  await requireUserExists(db, userId)
  return readList(
    byTimeDown,
    request,
    (beyond, limit) => findWithdrawalsBefore(db, userId, beyond, limit),
    ({ createdAt, withdrawalId }) => [createdAt, withdrawalId],
  )
}

export function listDeadLetters({ db }: WorkCtx, request: ListRequest): Promise<ListedRows<DeadLetter>> {
  return readList(
    { parts: ['id', 'number'], from: 'oldest' },
    request,
    (beyond, limit) => scanDueDeadLetters(db, beyond, limit),
    ({ endpointId, position }) => [endpointId, position],
  )
}

export type ChainProgress = ChainRow & {
  readonly isWatched: boolean
  readonly wallets: readonly PayoutWalletRow[]
  /** Null for a chain that is no longer configured. */
  readonly configured: ChainConfig | null
}

/** Returns the progress of the watcher on each chain that it has read. */
export async function listChains({
  db,
  clock,
  config,
}: Pick<Ctx, 'db' | 'clock' | 'config'>): Promise<ChainProgress[]> {
  const [chains, wallets] = await Promise.all([findChains(db), findPayoutWallets(db)])
  const now = clock.now()
  return chains.map((chain) => ({
    ...chain,
    isWatched: chain.leasedUntil !== null && chain.leasedUntil > now,
    wallets: wallets.filter(({ chainId }) => chainId === chain.chainId),
    configured: config.chains.find(({ chainId }) => chainId === chain.chainId) ?? null,
  }))
}
