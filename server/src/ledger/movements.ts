import { min } from '../lib/money.ts'
import { type Balances, balanceOf, type LedgerAccount, type Posting } from './rules.ts'

/**
 * Every way money moves, on one page: pure functions from an amount in token units (and the present balances, where
 * debt plays a part) to postings. Nothing else makes postings. The kinds are what `movement.kind` may say.
 */
export type MovementKind =
  | 'deposit_seen'
  | 'deposit_reorganized'
  | 'deposit_approved'
  | 'deposit_refused'
  | 'deposit_overturned'
  | 'deposit_returned'
  | 'deposit_lost'
  | 'deposit_recovered'
  | 'withdrawal_requested'
  | 'withdrawal_recovered'
  | 'withdrawal_cancelled'
  | 'withdrawal_completed'
  | 'withdrawal_reverted'
  | 'payout_gas'
  | 'card_authorization'
  | 'card_clearing'
  | 'card_reversal'
  | 'card_expiry'
  | 'card_refund'
  | 'card_refund_reversal'
  | 'card_clearing_cancellation'

/** One fact that moves money. */
export type Movement = {
  readonly kind: MovementKind
  /** the deposit, withdrawal or card transaction that moved */
  readonly refId: string
  readonly at: Date
  readonly postings: readonly Posting[]
}

// Deposits

/** Seen in a block, or mined again after a reorganization. */
export function depositSeen(token: string, amount: bigint): Posting[] {
  return move(token, 'unfinal', 'deposit_processing', amount)
}

/** Its block was reorganized away before the deposit was credited or frozen. */
export function depositReorganized(token: string, amount: bigint): Posting[] {
  return move(token, 'deposit_processing', 'unfinal', amount)
}

/** Final on the chain, and screening let it pass. */
export function depositApproved(balances: Balances, token: string, amount: bigint): Posting[] {
  return [...move(token, 'chain', 'unfinal', amount), ...credit(balances, token, 'deposit_processing', amount)]
}

/** Final on the chain, and screening refused it: it stays the user's, out of reach. */
export function depositRefused(token: string, amount: bigint): Posting[] {
  return [...move(token, 'chain', 'unfinal', amount), ...move(token, 'deposit_processing', 'frozen', amount)]
}

export function depositOverturned(balances: Balances, token: string, amount: bigint): Posting[] {
  return credit(balances, token, 'frozen', amount)
}

/** The return to its sender is final on the chain. */
export function depositReturned(token: string, amount: bigint): Posting[] {
  return move(token, 'frozen', 'chain', amount)
}

/** A reorganization deeper than finality took it away, from wherever it stood by then. */
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

/** Sent back to its sender, lost, and there again after all: it makes good for what was lost. */
export function depositRecovered(token: string, amount: bigint): Posting[] {
  return [...move(token, 'chain', 'unfinal', amount), ...move(token, 'deposit_processing', 'loss', amount)]
}

// Withdrawals

/** The amount must fit in `available`: the request was checked under the same lock. */
export function withdrawalRequested(token: string, amount: bigint): Posting[] {
  return move(token, 'available', 'withdrawal_processing', amount)
}

/** The chain has paid what the books, set back, do not know: the user has it, whether it is still free or not. */
export function withdrawalRecovered(balances: Balances, token: string, amount: bigint): Posting[] {
  return debit(balances, token, 'withdrawal_processing', amount)
}

/** Refused before it was sent, or reverted on the chain. */
export function withdrawalGivenBack(balances: Balances, token: string, amount: bigint): Posting[] {
  return credit(balances, token, 'withdrawal_processing', amount)
}

/** Mined and final. */
export function withdrawalCompleted(token: string, amount: bigint): Posting[] {
  return move(token, 'withdrawal_processing', 'chain', amount)
}

/** What the transaction cost, in the chain's native coin. */
export function gasSpent(nativeToken: string, amount: bigint): Posting[] {
  return move(nativeToken, 'gas', 'chain', amount)
}

// Cards

/** An authorization reserves what is free. */
export function cardHeld(token: string, amount: bigint): Posting[] {
  return move(token, 'available', 'held', amount)
}

/** An advice: the network approved in our place, so the hold may use debt. */
export function cardHeldByForce(balances: Balances, token: string, amount: bigint): Posting[] {
  return debit(balances, token, 'held', amount)
}

export function cardReleased(balances: Balances, token: string, amount: bigint): Posting[] {
  return credit(balances, token, 'held', amount)
}

/** A clearing takes what its authorization held. */
export function cardSettledFromHold(token: string, amount: bigint): Posting[] {
  return move(token, 'held', 'network', amount)
}

/** A clearing, a single message or a reversed refund takes what no hold covers. */
export function cardSettledFromFunds(balances: Balances, token: string, amount: bigint): Posting[] {
  return debit(balances, token, 'network', amount)
}

/** A refund, or a cleared payment that the network takes back. */
export function cardCredited(balances: Balances, token: string, amount: bigint): Posting[] {
  return credit(balances, token, 'network', amount)
}

// The three shapes that all of them have

function move(token: string, from: LedgerAccount, to: LedgerAccount, amount: bigint): Posting[] {
  return amount > 0n ? [{ token, from, to, amount }] : []
}

/** Money that comes to the user repays debt first: free funds beside debt never exist in one token. */
function credit(balances: Balances, token: string, from: LedgerAccount, amount: bigint): Posting[] {
  const repaid = min(-balanceOf(balances, token).debt, amount)
  return [...move(token, from, 'debt', repaid), ...move(token, from, 'available', amount - repaid)]
}

/** Money that goes whether the user has it or not: free funds first, then debt. */
function debit(balances: Balances, token: string, to: LedgerAccount, amount: bigint): Posting[] {
  const paid = min(balanceOf(balances, token).available, amount)
  return [...move(token, 'available', to, paid), ...move(token, 'debt', to, amount - paid)]
}
