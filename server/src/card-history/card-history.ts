import type { CardTransaction } from '../cards/transactions/statement-item.ts'
import { findUserOfTransaction, findWithMessages, type HistoryMessage } from '../cards/transactions/transactions.ts'
import type { Ctx } from '../context.ts'
import { findUser, requireOwner } from '../identity/users/users.ts'
import { readMovementsOf, type StoredMovement } from '../ledger/ledger.ts'
import { Refusal } from '../lib/errors.ts'
import type { Queryable } from '../platform/db/db.ts'
import type { UserCaller } from '../platform/http/access.ts'
import { type DeliveredEvent, listEventsOfItem } from '../webhooks/read-events.ts'
import { cardTransactionHistory, type HistoryStep } from './rules.ts'

/**
 * The history of a card transaction. Owns no table. One function renders it for its three readers: operators and the
 * playground see all of it, the owner sees a part.
 */
export type OwnHistory = { readonly transaction: CardTransaction; readonly steps: readonly HistoryStep[] }

export type WholeHistory = OwnHistory & {
  readonly movements: readonly StoredMovement[]
  /** The events that reported the card transaction to the user's partner, while its log still has them. */
  readonly events: readonly DeliveredEvent[]
}

/** Returns the history that the owner sees. */
export async function readOwnHistory(ctx: Ctx, caller: UserCaller, cardTransactionId: string): Promise<OwnHistory> {
  return ctx.db.snapshot(async (db) => {
    await requireOwner(db, caller)
    return (await load(db, caller.userId, cardTransactionId)).history
  })
}

/** Returns the whole history, for operators. The caller has checked who asks. */
export async function readWholeHistory(ctx: Ctx, userId: string, cardTransactionId: string): Promise<WholeHistory> {
  return ctx.db.snapshot(async (db) => {
    const { history, messages } = await load(db, userId, cardTransactionId)
    const { createdAt } = history.transaction
    // Each change was made at the time of its message, or when a deferred refund became its own card transaction.
    const times = [createdAt, ...messages.map(({ at }) => at)]
    const movements = await readMovementsOf(db, userId, cardTransactionId, times)
    const { partnerId } = await findUser(db, userId)
    const item = { type: 'card_transaction' as const, id: cardTransactionId }
    const events = partnerId === null ? [] : await listEventsOfItem({ db }, { partnerId, userId }, item, createdAt)
    return { ...history, movements, events }
  })
}

/** Returns the whole history of any user's card transaction, for the playground. */
export async function readHistoryOfAnyUser(ctx: Ctx, cardTransactionId: string): Promise<WholeHistory> {
  const userId = await findUserOfTransaction(ctx, cardTransactionId)
  if (userId === null) throw new Refusal('CARD_TRANSACTION_NOT_FOUND')
  return readWholeHistory(ctx, userId, cardTransactionId)
}

async function load(
  db: Queryable,
  userId: string,
  cardTransactionId: string,
): Promise<{ history: OwnHistory; messages: readonly HistoryMessage[] }> {
  const found = await findWithMessages(db, userId, cardTransactionId)
  if (found === null) throw new Refusal('CARD_TRANSACTION_NOT_FOUND')
  const { transaction, messages } = found
  return { history: { transaction, steps: cardTransactionHistory(transaction, messages) }, messages }
}
