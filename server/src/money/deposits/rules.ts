/** Where the transfer stands on its chain, and what screening says of it. */
export type ChainState = 'unfinal' | 'final' | 'reorganized'
export type Screening = 'pending' | 'approved' | 'rejected'
export type DepositStatus = 'pending' | 'approved' | 'rejected'

/** A refused deposit goes back to its sender: it was decided, and will be signed; the payment is final on its chain. */
export type ReturnState = 'signed' | 'returned'

export type DepositState = {
  readonly chainState: ChainState
  readonly screening: Screening
  readonly returnState: ReturnState | null
}

/**
 * The status is what chain and screening say together: nothing is credited or refused before it is final **and** screened.
 * A transfer that a reorganization took away is rejected until it is mined again.
 */
export function depositStatus({
  chainState,
  screening,
}: Pick<DepositState, 'chainState' | 'screening'>): DepositStatus {
  if (chainState === 'reorganized') return 'rejected'
  return chainState === 'final' ? screening : 'pending'
}

/** `unfinal` again only when the transfer was mined again. */
const chainMoves: Readonly<Record<ChainState, readonly ChainState[]>> = {
  unfinal: ['final', 'reorganized'],
  final: ['reorganized'],
  reorganized: ['unfinal'],
}

/** A refusal may be overturned, an approval may not: the money may be spent. */
const screeningMoves: Readonly<Record<Screening, readonly Screening[]>> = {
  pending: ['approved', 'rejected'],
  rejected: ['approved'],
  approved: [],
}

export function mayMoveOnChain(from: ChainState, to: ChainState): boolean {
  return chainMoves[from].includes(to)
}

/** Nor may a refusal be overturned once the money is on its way back. */
export function mayBeScreened({ chainState, screening, returnState }: DepositState, to: Screening): boolean {
  if (chainState === 'reorganized' || returnState !== null) return false
  return screening === to || screeningMoves[screening].includes(to)
}

/**
 * Only what is final and refused goes back. What was signed ends on its chain, whatever becomes of the deposit meanwhile:
 * returned, or (null) not, so that it may be tried again, or overturned.
 */
export function mayReturn(deposit: DepositState, to: ReturnState | null): boolean {
  if (to !== 'signed') return deposit.returnState === 'signed'
  return deposit.returnState === null && placeOf(deposit) === 'frozen'
}

/**
 * Where the money is: `outside` the user's balances, not yet theirs, free, refused by screening and still theirs, back at
 * its sender; `lost`: sent back, though it never came; `recovering`: sent back, and on its way to us once more.
 */
export type Place = 'outside' | 'processing' | 'credited' | 'frozen' | 'returned' | 'lost' | 'recovering'

export function placeOf({ chainState, screening, returnState }: DepositState): Place {
  const isBack = returnState === 'returned'
  if (chainState === 'reorganized') return isBack ? 'lost' : 'outside'
  if (chainState === 'unfinal' || screening === 'pending') return isBack ? 'recovering' : 'processing'
  if (screening === 'approved') return 'credited'
  return isBack ? 'returned' : 'frozen'
}

/** Whether chain or screening still owe a deposit an answer; a watched chain says its part unasked. */
function isOwedAnswer(deposit: DepositState, isWatched: boolean): boolean {
  if (deposit.chainState === 'reorganized') return false
  return deposit.screening === 'pending' || (deposit.chainState === 'unfinal' && !isWatched)
}

/** When it is next looked at: `now`, never, or when the claim of the work has said. */
export function nextCheck(
  before: DepositState,
  after: DepositState,
  isWatched: boolean,
): 'now' | 'never' | 'as claimed' {
  if (!isOwedAnswer(after, isWatched)) return 'never'
  return isOwedAnswer(before, isWatched) ? 'as claimed' : 'now'
}

/** One step of a deposit; `before` null: it begins. */
export type DepositChange<D> = { readonly before: D | null; readonly after: D }

type Content = { readonly token: string; readonly amount: bigint; readonly fromAddress: string }
type Sighted = Content & { readonly chainState: ChainState }

/**
 * From what is known of a transfer to what its chain says now. What was taken away, or stands in another block after it was
 * final, or moves something else than before (a transaction that is mined again may), is taken back before it counts anew.
 * What goes back to its sender, or went, keeps what it moved: another transfer in its place is another deposit, and it
 * is itself again when the chain comes back to it. So one of those that are known stands in the chain, at most.
 */
export function sightingSteps<D extends DepositState & Content>(
  known: readonly D[],
  sighting: Sighted,
  begin: () => D,
): DepositChange<D>[] {
  const { token, amount, fromAddress, chainState } = sighting
  const standing = known.find((each) => each.chainState !== 'reorganized')
  if (chainState === 'reorganized') return standing ? move(standing, 'reorganized') : []
  const same = known.find((each) => each.token === token && each.amount === amount && each.fromAddress === fromAddress)
  const deposit = same ?? known.find(({ returnState }) => returnState === null)
  const replaced = standing && standing !== deposit ? move(standing, 'reorganized') : []
  if (!deposit) return [...replaced, ...stepsTo(null, begin(), chainState)]
  const isAnew = !same || (deposit.chainState === 'final' && chainState === 'unfinal')
  if (deposit.chainState !== 'reorganized' && !isAnew) return move(deposit, chainState)
  const gone: D = { ...deposit, chainState: 'reorganized' }
  // What another transfer was judged for says nothing about this one.
  const again: D = same ? gone : { ...gone, token, amount, fromAddress, screening: 'pending' }
  const taken = [...replaced, ...move(deposit, 'reorganized')]
  return [...taken, ...stepsTo(gone, { ...again, chainState: 'unfinal' }, chainState)]
}

/** A transfer is seen before it is final, also when both are found out at once. */
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
