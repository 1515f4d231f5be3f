// pure
import { min } from '../lib/money.ts'
import { type Balances, balanceOf, type LedgerAccount, type Posting } from './rules.ts'

/**
 * Every way in which money moves: functions from an amount in token units to postings. Movements that can create or
 * repay debt also take the current balances. No other module creates postings.
 */
export const movementKinds = [
  'deposit_seen',
  'deposit_reorganized',
  'deposit_approved',
  'deposit_refused',
  'deposit_overturned',
  'deposit_returned',
  'deposit_lost',
  'deposit_recovered',
  'withdrawal_requested',
  'withdrawal_recovered',
  'withdrawal_cancelled',
  'withdrawal_completed',
  'withdrawal_reverted',
  'payout_gas',
  'card_authorization',
  'card_clearing',
  'card_reversal',
  'card_expiry',
  'card_refund',
  'card_refund_reversal',
  'card_clearing_cancellation',
] as const
export type MovementKind = (typeof movementKinds)[number]

/** One fact that moved money. */
export type Movement = {
  readonly kind: MovementKind
  /** the deposit, withdrawal or card transaction that moved the money */
  readonly refId: string
  readonly at: Date
  readonly postings: readonly Posting[]
}

// Deposits

/** The transfer is in a block, for the first time or again after a reorganization. */
export function depositSeen(token: string, amount: bigint): Posting[] {
  return move(token, 'unfinal', 'deposit_processing', amount)
}

/** A reorganization removed the transfer before it was credited or frozen. */
export function depositReorganized(token: string, amount: bigint): Posting[] {
  return move(token, 'deposit_processing', 'unfinal', amount)
}

/** The deposit is final, and screening approved it. */
export function depositApproved(balances: Balances, token: string, amount: bigint): Posting[] {
  return [...move(token, 'chain', 'unfinal', amount), ...credit(balances, token, 'deposit_processing', amount)]
}

/** The deposit is final, and screening refused it. The funds stay the user's, but cannot be spent. */
export function depositRefused(token: string, amount: bigint): Posting[] {
  return [...move(token, 'chain', 'unfinal', amount), ...move(token, 'deposit_processing', 'frozen', amount)]
}

/** The deposit was credited after its return to the sender, so the amount is debited even into debt. */
export function depositRefusedLate(balances: Balances, token: string, amount: bigint): Posting[] {
  return debit(balances, token, 'frozen', amount)
}

/** Screening approved a deposit that it had refused. */
export function depositOverturned(balances: Balances, token: string, amount: bigint): Posting[] {
  return credit(balances, token, 'frozen', amount)
}

/** The payout of the return is final. */
export function depositReturned(token: string, amount: bigint): Posting[] {
  return move(token, 'frozen', 'chain', amount)
}

/** A reorganization deeper than finality removed the deposit. `was` says where its funds were. */
export function depositLost(
  balances: Balances,
  token: string,
  amount: bigint,
  was: 'approved' | 'frozen' | 'returned',
): Posting[] {
  switch (was) {
    case 'approved':
      return debit(balances, token, 'chain', amount)
    case 'frozen':
      return move(token, 'frozen', 'chain', amount)
    case 'returned':
      return move(token, 'loss', 'chain', amount)
  }
}

/** A deposit that was returned and lost is final again, which offsets the loss. */
export function depositRecovered(token: string, amount: bigint): Posting[] {
  return [...move(token, 'chain', 'unfinal', amount), ...move(token, 'deposit_processing', 'loss', amount)]
}

// Withdrawals

/** The amount must be available: the request was checked under the same lock. */
export function withdrawalRequested(token: string, amount: bigint): Posting[] {
  return move(token, 'available', 'withdrawal_processing', amount)
}

/** A database restore had lost the payout. The user was paid, so the amount is debited even into debt. */
export function withdrawalRecovered(balances: Balances, token: string, amount: bigint): Posting[] {
  return debit(balances, token, 'withdrawal_processing', amount)
}

/** The payout was canceled before it was signed, or ended without paying. */
export function withdrawalGivenBack(balances: Balances, token: string, amount: bigint): Posting[] {
  return credit(balances, token, 'withdrawal_processing', amount)
}

/** The payout is final. */
export function withdrawalCompleted(token: string, amount: bigint): Posting[] {
  return move(token, 'withdrawal_processing', 'chain', amount)
}

/** The cost of a transaction, in the chain's native coin. */
export function gasSpent(nativeToken: string, amount: bigint): Posting[] {
  return move(nativeToken, 'gas', 'chain', amount)
}

// Cards

/** An authorization holds available funds. */
export function cardHeld(token: string, amount: bigint): Posting[] {
  return move(token, 'available', 'held', amount)
}

/** An advice: the network approved on our behalf, so the hold may create debt. */
export function cardHeldByForce(balances: Balances, token: string, amount: bigint): Posting[] {
  return debit(balances, token, 'held', amount)
}

/** A reversal, an expiry or a final clearing below the hold releases held funds. */
export function cardReleased(balances: Balances, token: string, amount: bigint): Posting[] {
  return credit(balances, token, 'held', amount)
}

/** A clearing debits the amount that its authorization holds. */
export function cardSettledFromHold(token: string, amount: bigint): Posting[] {
  return move(token, 'held', 'network', amount)
}

/** A clearing, a single message or a reversed refund debits an amount that no hold covers. */
export function cardSettledFromFunds(balances: Balances, token: string, amount: bigint): Posting[] {
  return debit(balances, token, 'network', amount)
}

/** A refund, or the reversal of a cleared payment. */
export function cardCredited(balances: Balances, token: string, amount: bigint): Posting[] {
  return credit(balances, token, 'network', amount)
}

// All movements consist of these three

function move(token: string, from: LedgerAccount, to: LedgerAccount, amount: bigint): Posting[] {
  return amount > 0n ? [{ token, from, to, amount }] : []
}

/** Credits the user. Debt is repaid first, because debt and available funds never coexist in one token (I5). */
function credit(balances: Balances, token: string, from: LedgerAccount, amount: bigint): Posting[] {
  const repaid = min(-balanceOf(balances, token).debt, amount)
  return [...move(token, from, 'debt', repaid), ...move(token, from, 'available', amount - repaid)]
}

/** Debits the user unconditionally: available funds first, then into debt. */
function debit(balances: Balances, token: string, to: LedgerAccount, amount: bigint): Posting[] {
  const paid = min(balanceOf(balances, token).available, amount)
  return [...move(token, 'available', to, paid), ...move(token, 'debt', to, amount - paid)]
}
