// pure
import { isIdOfName } from '../../lib/id.ts'
import { max, minorDigits, powerOfTen } from '../../lib/money.ts'

export const withdrawalStatuses = ['pending', 'processing', 'completed', 'failed'] as const
export type WithdrawalStatus = (typeof withdrawalStatuses)[number]

/** An operator's decision about an unpaid payout: it was paid by other means, is refunded, or is paid again. */
export const unpaidDecisions = ['paid', 'refund', 'again'] as const
export type UnpaidDecision = (typeof unpaidDecisions)[number]

export function isUnpaidDecision(word: string): word is UnpaidDecision {
  return unpaidDecisions.some((decision) => decision === word)
}

/**
 * A signed payout returns to `pending` only by an operator's decision, once it is final and paid nobody. Two changes
 * of a failed row bypass this table: a return is ordered again, or the payout of a withdrawal is found on the chain.
 */
const transitions: Readonly<Record<WithdrawalStatus, readonly WithdrawalStatus[]>> = {
  pending: ['processing', 'failed'],
  processing: ['completed', 'failed', 'pending'],
  completed: [],
  failed: [],
}

export function mayTransition(from: WithdrawalStatus, to: WithdrawalStatus): boolean {
  return transitions[from].includes(to)
}

/** Returns whether an id is the id of a return (see `returnIdOf`). */
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

/** The payout columns of a withdrawal without a payout. */
export const unsent = {
  status: 'pending',
  txHash: null,
  payoutSigner: null,
  payoutNonce: null,
  isMined: false,
  unpaid: null,
} as const

type Coin = { readonly symbol: string; readonly currency: string; readonly decimals: number }

/** Returns the statement item of a withdrawal. */
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

/**
 * Returns whether the payee may be paid on a chain. Elsewhere, the address of a contract wallet may have another owner.
 */
export function canBePaidOn(chainId: number, contractChainId: number | null): boolean {
  return contractChainId === null || contractChainId === chainId
}

/**
 * Returns the remainder of a daily cap in one token, in token units. Amounts are deducted in the scale of the token
 * with the most decimals, so none is rounded.
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

const minCheckSeconds = 2
const maxCheckSeconds = 60

/** Returns the seconds until a payout is checked again: a fifth of its age, but at least 2 and at most 60. */
export function secondsToNextCheck(ageSeconds: number): number {
  return Math.min(maxCheckSeconds, Math.max(minCheckSeconds, Math.floor(ageSeconds / 5)))
}

/**
 * A payout that is not mined after this many fee bumps has another problem, unless the fees of the chain have risen.
 */
export const maxBumps = 10

/** Only the wallet's lowest open nonce can be stuck because of its fee: the others wait for it. */
export function isBumpDue(
  { nonce, next, ageSeconds }: { nonce: bigint; next: bigint | null; ageSeconds: number },
  bumpSeconds: number,
): boolean {
  return nonce === next && ageSeconds >= bumpSeconds
}
