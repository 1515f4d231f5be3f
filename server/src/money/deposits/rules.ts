// pure
import { idOfName } from '../../lib/id.ts'
import { entryOf } from '../../lib/states.ts'

/** The state of a transfer on its chain. */
export const chainStates = ['unfinal', 'final', 'reorganized'] as const
export type ChainState = (typeof chainStates)[number]

/** The results of screening. */
export const screenings = ['pending', 'approved', 'rejected'] as const
export type Screening = (typeof screenings)[number]

export const depositStatuses = ['pending', 'approved', 'rejected'] as const
export type DepositStatus = (typeof depositStatuses)[number]

/**
 * The return of a rejected deposit. `signed`: ordered, so its payout may be signed. `returned`: its payout is final.
 */
export const returnStates = ['signed', 'returned'] as const
export type ReturnState = (typeof returnStates)[number]

export type DepositState = {
  readonly chainState: ChainState
  readonly screening: Screening
  readonly returnState: ReturnState | null
}

/** A transfer becomes `unfinal` again only when it is mined again. */
const chainTransitions: Readonly<Record<ChainState, readonly ChainState[]>> = {
  unfinal: ['final', 'reorganized'],
  final: ['reorganized'],
  reorganized: ['unfinal'],
}

/** A rejection can be overturned. An approval cannot: the funds may be spent. */
const screeningTransitions: Readonly<Record<Screening, readonly Screening[]>> = {
  pending: ['approved', 'rejected'],
  rejected: ['approved'],
  approved: [],
}

/** A return that paid nobody goes back to `none`, so that it can be retried or the rejection overturned. */
const returnTransitions: Readonly<Record<ReturnState | 'none', readonly (ReturnState | 'none')[]>> = {
  none: ['signed'],
  signed: ['returned', 'none'],
  returned: [],
}

/**
 * Returns the status that follows from both states: pending until the deposit is final and screened. A deposit that a
 * reorganization removed is rejected until it is mined again.
 */
export function depositStatus({
  chainState,
  screening,
}: Pick<DepositState, 'chainState' | 'screening'>): DepositStatus {
  if (chainState === 'reorganized') return 'rejected'
  return chainState === 'final' ? screening : 'pending'
}

export function mayMoveOnChain(from: ChainState, to: ChainState): boolean {
  return chainTransitions[from].includes(to)
}

/** Returns whether a screening result may be applied. During and after a return, no rejection can be overturned. */
export function mayBeScreened({ chainState, screening, returnState }: DepositState, to: Screening): boolean {
  if (chainState === 'reorganized' || returnState !== null) return false
  return screening === to || screeningTransitions[screening].includes(to)
}

/**
 * Returns whether a return may change to `to`. A return begins only for a deposit that is final and rejected. Once its
 * payout is signed, only the chain decides how it ends, independently of the deposit.
 */
export function mayReturn(deposit: DepositState, to: ReturnState | null): boolean {
  if (!returnTransitions[deposit.returnState ?? 'none'].includes(to ?? 'none')) return false
  return to !== 'signed' || placeOf(deposit) === 'frozen'
}

/** Returns whether the deposit's transfer is in the chain. */
export function isStanding({ chainState }: Pick<DepositState, 'chainState'>): boolean {
  return chainState !== 'reorganized'
}

type ReturnedTransfer = {
  readonly chainId: number
  readonly txHash: string
  readonly logPosition: number
  readonly token: string
  readonly fromAddress: string
  readonly amount: bigint
}

/**
 * Returns the id of a transfer's return, which is derived from the transfer alone and is part of the payout. After a
 * restore, the chain therefore shows whether a deposit was returned.
 */
export function returnIdOf({ chainId, txHash, logPosition, token, fromAddress, amount }: ReturnedTransfer): string {
  return idOfName(['return', chainId, txHash, logPosition, token, fromAddress, amount].join(':'))
}

/**
 * The place of a deposit's funds.
 * - `outside`: not in the user's balances
 * - `processing`: not the user's yet
 * - `credited`: spendable
 * - `frozen`: refused by screening, but still the user's
 * - `returned`: back at the sender
 * - `lost`: returned, although a reorganization removed the deposit
 * - `recovering`: lost, and mined again
 */
export type Place = 'outside' | 'processing' | 'credited' | 'frozen' | 'returned' | 'lost' | 'recovering'

type PlaceByReturn = Readonly<Record<ReturnState | 'none', Place>>

const outside: PlaceByReturn = { none: 'outside', signed: 'outside', returned: 'lost' }
const processing: PlaceByReturn = { none: 'processing', signed: 'processing', returned: 'recovering' }
const credited: PlaceByReturn = { none: 'credited', signed: 'credited', returned: 'credited' }
const frozen: PlaceByReturn = { none: 'frozen', signed: 'frozen', returned: 'returned' }

const places: Readonly<Record<ChainState, Readonly<Record<Screening, PlaceByReturn>>>> = {
  unfinal: { pending: processing, approved: processing, rejected: processing },
  final: { pending: processing, approved: credited, rejected: frozen },
  reorganized: { pending: outside, approved: outside, rejected: outside },
}

export function placeOf({ chainState, screening, returnState }: DepositState): Place {
  return entryOf(entryOf(entryOf(places, chainState), screening), returnState ?? 'none')
}

/** Returns whether due work must check the chain or screening. The watcher reports the state of a watched chain. */
function isOpen(deposit: DepositState, isWatched: boolean): boolean {
  if (deposit.chainState === 'reorganized') return false
  return deposit.screening === 'pending' || (deposit.chainState === 'unfinal' && !isWatched)
}

/** The time of the next check. `as leased`: when the current lease of the due work expires. */
export type NextCheck = 'now' | 'never' | 'as leased'

export function nextCheck(before: DepositState, after: DepositState, isWatched: boolean): NextCheck {
  if (!isOpen(after, isWatched)) return 'never'
  return isOpen(before, isWatched) ? 'as leased' : 'now'
}

/** One step of a deposit. `before` is null for a new deposit. */
export type DepositChange<D> = { readonly before: D | null; readonly after: D }

type Content = { readonly token: string; readonly amount: bigint; readonly fromAddress: string }
type Sighted = Content & { readonly chainState: ChainState }

/**
 * Returns the steps from the known deposits of a transfer to its current state on the chain.
 *
 * A deposit is counted again in three cases: it was reorganized away, it was final and is now in another block, or its
 * transaction now makes a different transfer. If it still counts, it is reversed first. So at most one known deposit is
 * in the chain.
 *
 * A deposit never changes its token or sender, nor its amount once it has a return. A different transfer in its place
 * becomes another deposit, so that a late screening result of the first deposit does not apply to the other one. If the
 * chain switches back, the first deposit is restored.
 */
export function sightingSteps<D extends DepositState & Content>(
  known: readonly D[],
  sighting: Sighted,
  begin: () => D,
): DepositChange<D>[] {
  const { token, amount, fromAddress, chainState } = sighting
  const standing = known.find(isStanding)
  if (chainState === 'reorganized') return standing ? move(standing, 'reorganized') : []
  const alike = known.filter((each) => each.token === token && each.fromAddress === fromAddress)
  const same = alike.find((each) => each.amount === amount)
  const deposit = same ?? alike.find(({ returnState }) => returnState === null)
  const replaced = standing && standing !== deposit ? move(standing, 'reorganized') : []
  if (!deposit) return [...replaced, ...stepsTo(null, begin(), chainState)]
  const isAnew = !same || (deposit.chainState === 'final' && chainState === 'unfinal')
  if (isStanding(deposit) && !isAnew) return move(deposit, chainState)
  const gone: D = { ...deposit, chainState: 'reorganized' }
  // The screening result of another amount does not apply to this one.
  const again: D = same ? gone : { ...gone, amount, screening: 'pending' }
  const taken = [...replaced, ...move(deposit, 'reorganized')]
  return [...taken, ...stepsTo(gone, { ...again, chainState: 'unfinal' }, chainState)]
}

/** A transfer passes through `unfinal`, even if it is already final when first seen. */
function stepsTo<D extends DepositState>(before: D | null, seen: D, chainState: ChainState): DepositChange<D>[] {
  return [{ before, after: seen }, ...move(seen, chainState)]
}

function move<D extends DepositState>(before: D, chainState: ChainState): DepositChange<D>[] {
  return mayMoveOnChain(before.chainState, chainState) ? [{ before, after: { ...before, chainState } }] : []
}

export type DepositFacts = {
  readonly depositId: string
  readonly chainId: number
  readonly txHash: string
  readonly amount: bigint
  readonly fromAddress: string
  readonly status: DepositStatus
  readonly chainState: ChainState
  readonly returnState: ReturnState | null
  readonly createdAt: Date
}

type Coin = { readonly symbol: string; readonly currency: string; readonly decimals: number }

/** Returns the statement item of a deposit. */
export function depositItem(deposit: DepositFacts, token: Coin) {
  return {
    type: 'deposit' as const,
    id: deposit.depositId,
    status: deposit.status,
    amount: String(deposit.amount),
    currency: token.symbol,
    decimals: token.decimals,
    fiatCurrency: token.currency,
    isCredit: true,
    createdAt: deposit.createdAt.toISOString(),
    description: `Deposit of ${token.symbol}${noteOf(deposit)}`,
    txHash: deposit.txHash,
    fromAddress: deposit.fromAddress,
    chainId: deposit.chainId,
  }
}

function noteOf({ chainState, returnState }: DepositFacts): string {
  if (chainState === 'reorganized') return ' (REORGED)'
  return returnState === 'returned' ? ' (RETURNED)' : ''
}
