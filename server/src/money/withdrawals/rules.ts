import { idOfName, isIdOfName } from '../../lib/id.ts'
import { max, minorDigits, powerOfTen } from '../../lib/money.ts'

export type WithdrawalStatus = 'pending' | 'processing' | 'completed' | 'failed'

/** What a person says of a payment that is final and paid nobody: they were paid otherwise, it is given back, or paid again. */
const unpaidDecisions = ['paid', 'refund', 'again'] as const
export type UnpaidDecision = (typeof unpaidDecisions)[number]

export function isUnpaidDecision(word: string): word is UnpaidDecision {
  return unpaidDecisions.some((decision) => decision === word)
}

/** Back to `pending` only by a person's word, when the nonce was finally used for a transaction that paid nothing. */
const moves: Readonly<Record<WithdrawalStatus, readonly WithdrawalStatus[]>> = {
  pending: ['processing', 'failed'],
  processing: ['completed', 'failed', 'pending'],
  completed: [],
  failed: [],
}

export function mayTransition(from: WithdrawalStatus, to: WithdrawalStatus): boolean {
  return moves[from].includes(to)
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
 * The return of a transfer has one name, whatever a database remembers of it: the payment carries it on the chain, so a
 * deposit that is read again after a restore is known to have gone back already.
 */
export function returnIdOf({ chainId, txHash, logPosition, token, fromAddress, amount }: ReturnedTransfer): string {
  return idOfName(['return', chainId, txHash, logPosition, token, fromAddress, amount].join(':'))
}

export const isReturnId = isIdOfName

export type WithdrawalFacts = {
  readonly withdrawalId: string
  readonly chainId: number
  readonly amount: bigint
  readonly toAddress: string
  readonly status: WithdrawalStatus
  readonly txHash: string | null
  readonly createdAt: Date
}

/** What a row says of its payment while there is none. */
export const unsent = {
  status: 'pending',
  txHash: null,
  payoutSigner: null,
  payoutNonce: null,
  isMined: false,
  unpaid: null,
} as const

type Coin = { readonly symbol: string; readonly currency: string; readonly decimals: number }

export function withdrawalItem(withdrawal: WithdrawalFacts, token: Coin) {
  return {
    type: 'withdrawal' as const,
    id: withdrawal.withdrawalId,
    status: withdrawal.status,
    amount: String(withdrawal.amount),
    currency: token.symbol,
    decimals: token.decimals,
    fiatCurrency: token.currency,
    isCredit: false,
    createdAt: withdrawal.createdAt.toISOString(),
    description: `Withdrawal of ${token.symbol}`,
    txHash: withdrawal.txHash,
    toAddress: withdrawal.toAddress,
    chainId: withdrawal.chainId,
  }
}

/** An owner that is a contract has keys on the chain where it signed in; elsewhere the address may be anybody's. */
export function canBePaidOn(chainId: number, contractChainId: number | null): boolean {
  return contractChainId === null || contractChainId === chainId
}

/**
 * What a daily cap leaves of one token, in its units. Amounts of the currency's tokens are added up in the finest of
 * their scales, so that none is rounded.
 */
export function remainingOfCap(
  capMinor: bigint,
  requested: readonly { readonly amount: bigint; readonly decimals: number }[],
  token: Coin,
): bigint {
  const finest = Math.max(token.decimals, ...requested.map(({ decimals }) => decimals))
  const scaled = (amount: bigint, decimals: number) => amount * powerOfTen(finest - decimals)
  let left = scaled(capMinor, minorDigits(token.currency))
  for (const { amount, decimals } of requested) left -= scaled(amount, decimals)
  return max(0n, left) / powerOfTen(finest - token.decimals)
}

const shortestLookSeconds = 2
const longestLookSeconds = 60

/** A payment is looked at again after a fifth of its age: often while it is young, never less than once a minute. */
export function secondsToNextCheck(ageSeconds: number): number {
  return Math.min(longestLookSeconds, Math.max(shortestLookSeconds, Math.floor(ageSeconds / 5)))
}

/** More bids than these have a reason that a fee does not mend. */
export const maxBumps = 10

/** Only the lowest nonce can be stuck for its fee: the others wait for it. */
export function isBumpDue(
  { nonce, next, ageSeconds }: { nonce: bigint; next: bigint | null; ageSeconds: number },
  bumpSeconds: number,
): boolean {
  return nonce === next && ageSeconds >= bumpSeconds
}
