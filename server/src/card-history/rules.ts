// pure
import { countsInFold, foldPayment } from '../cards/transactions/fold.ts'
import type {
  DeclineCode,
  MessageOutcome,
  MessageType,
  TransactionKind,
  TransactionStatus,
} from '../cards/transactions/rules.ts'

type Transaction = {
  readonly authorizationId: bigint
  readonly kind: TransactionKind
  readonly status: TransactionStatus
  readonly amountMinor: bigint
}

/** A stored card message. Amounts are minor units of the card's currency. */
type Message = {
  readonly messageId: string
  readonly source: string
  readonly eventId: string
  readonly authorizationId: bigint
  readonly type: MessageType
  /**
   * For the type `replacement`, the change of the approved amount, which can be negative. Null: an expiry, or a full
   * reversal without its authorization.
   */
  readonly amount: bigint | null
  readonly isFinal: boolean
  readonly outcome: MessageOutcome
  readonly declineCode: DeclineCode | null
  readonly at: Date
}

export type Amounts = { readonly held: bigint; readonly settled: bigint }

/** One message of a card transaction, with the amounts before and after it. */
export type HistoryStep = Message & { readonly before: Amounts; readonly after: Amounts }

/**
 * Returns the history of a card transaction: its messages in order of arrival, each with its decision and with the
 * amounts before and after it. `messages` are all messages of the card and authorization code, oldest first. The
 * amounts come from the fold that posted them, so the last step ends at the amounts that are booked.
 */
export function cardTransactionHistory(transaction: Transaction, messages: readonly Message[]): HistoryStep[] {
  const isOpen = transaction.kind === 'Payment' && transaction.status !== 'declined'
  const own = messages.filter(
    (message) => message.authorizationId === transaction.authorizationId || (isOpen && countsInFold(message)),
  )
  const settledAtOnce = transaction.status === 'declined' ? 0n : transaction.amountMinor
  let folded = foldPayment([])
  let before: Amounts = { held: 0n, settled: 0n }
  return own.map((message) => {
    if (countsInFold(message)) folded = foldPayment([message], folded)
    // A refund, a refund reversal, a clearing cancellation or a declined payment has no fold: its own message decides it
    // at once.
    const { held, settled } = isOpen ? folded : { held: 0n, settled: settledAtOnce }
    const step = { ...message, before, after: { held, settled } }
    before = step.after
    return step
  })
}
