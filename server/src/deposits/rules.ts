/** Where the transfer stands on its chain, and what screening says of it. */
export type ChainState = 'unfinal' | 'final' | 'reorganised'
export type Screening = 'pending' | 'approved' | 'rejected'
export type DepositStatus = 'pending' | 'approved' | 'rejected'

/**
 * The status is what the two say together: nothing is credited or refused before it is final **and** screened.
 * A transfer that a reorganisation took away is rejected until it is mined again.
 */
export function depositStatus(chainState: ChainState, screening: Screening): DepositStatus {
  if (chainState === 'reorganised') return 'rejected'
  return chainState === 'final' ? screening : 'pending'
}

/** `unfinal` again only when the transfer was mined again. */
const chainMoves: Readonly<Record<ChainState, readonly ChainState[]>> = {
  unfinal: ['final', 'reorganised'],
  final: ['reorganised'],
  reorganised: ['unfinal'],
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

export function mayBeScreened(chainState: ChainState, from: Screening, to: Screening): boolean {
  return chainState !== 'reorganised' && (from === to || screeningMoves[from].includes(to))
}

/** Where the money is: `outside` the user's balances, not yet theirs, free, or refused by screening and still theirs. */
export type Place = 'outside' | 'processing' | 'credited' | 'frozen'

export function placeOf(chainState: ChainState, screening: Screening): Place {
  if (chainState === 'reorganised') return 'outside'
  if (chainState === 'unfinal' || screening === 'pending') return 'processing'
  return screening === 'approved' ? 'credited' : 'frozen'
}

export type DepositFacts = {
  readonly depositId: string
  readonly chainId: number
  readonly txHash: string
  readonly amount: bigint
  readonly fromAddress: string
  readonly status: DepositStatus
  readonly chainState: ChainState
  readonly createdAt: Date
}

type Coin = { readonly symbol: string; readonly currency: string; readonly decimals: number }

export function statementItem(deposit: DepositFacts, token: Coin) {
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
    description:
      deposit.chainState === 'reorganised' ? `Deposit of ${token.symbol} (REORGED)` : `Deposit of ${token.symbol}`,
    txHash: deposit.txHash,
    fromAddress: deposit.fromAddress,
    chainId: deposit.chainId,
  }
}
