import type { Ctx, ReadCtx } from '../../context.ts'
import type { Queryable } from '../../platform/db/db.ts'
import { type StatementRow, statementRow } from '../../statement-items/statement-items.ts'
import { findUserOfCard } from '../cards/cards.ts'
import { repeatedDecision } from './load.ts'
import {
  callAwaitCardMessage,
  countCardMessages,
  findHistory,
  findStoredDecision,
  type HistoryMessage,
  insertLateDecline,
} from './message-sql.ts'
import { type CardDecision, type CardMessage, hashCardMessage } from './messages.ts'
import { findTransaction, findTransactions, scanDueTransactionUser } from './sql.ts'
import { type CardTransaction, cardStatementItem } from './statement-item.ts'

export type { HistoryMessage }

/**
 * Card messages and their card transactions. `receive.ts` takes a message, `holds.ts` ends expired holds, `reviews.ts`
 * lists the reviews, `verify-fold.ts` compares card transactions with their messages. Owns `card_message`,
 * `card_transaction`, `card_transaction_part`, `late_decline`.
 *
 * Each message is stored once. All messages of an authorization are folded into the amounts that should be held and
 * settled, and only the difference is posted. So duplicates, any order of arrival, late clearings and expiry all take
 * one path. A payment is `pending`, then `settled` or `cancelled`. A late clearing settles a `cancelled` one.
 * `declined` is final.
 *
 * Invariants: for each authorization code, a card has at most one payment that was not declined. Each declined
 * authorization, refund, refund reversal and clearing cancellation is a separate card transaction.
 */

/**
 * Declines a message as late while it still waits for the lock. The stored decline makes sure that it is also declined
 * when it is processed. Returns the decision if the message was processed meanwhile, otherwise null.
 */
export async function declineLate(ctx: Ctx, userId: string, message: CardMessage): Promise<CardDecision | null> {
  await insertLateDecline(ctx.db, userId, message, { bodyHash: hashCardMessage(message), now: ctx.clock.now() })
  // A concurrent transaction may have loaded its facts before this decline. It stores its own decision, unless
  // `record_card_message` finds the decline. So wait while it stores the message.
  await callAwaitCardMessage(ctx.db, userId, message)
  return repeatedDecision(ctx, await findStoredDecision(ctx.db, userId, message), message)
}

/** Returns the number of messages of a card so far. */
export async function countMessages({ db }: Pick<Ctx, 'db'>, cardId: string): Promise<bigint> {
  const userId = await findUserOfCard(db, cardId)
  return userId === null ? 0n : countCardMessages(db, userId, cardId)
}

/** Returns a card transaction with all messages of its authorization code, oldest first; null if the user has none. */
export async function findWithMessages(
  db: Queryable,
  userId: string,
  cardTransactionId: string,
): Promise<{ transaction: CardTransaction; messages: readonly HistoryMessage[] } | null> {
  const transaction = await findTransaction(db, userId, cardTransactionId)
  if (transaction === null) return null
  return { transaction, messages: await findHistory(db, userId, transaction.cardId, transaction.authorizationCode) }
}

/** Returns the user of a card transaction. It searches all users, so only the sandbox calls it. */
export function findUserOfTransaction({ db }: Pick<Ctx, 'db'>, cardTransactionId: string): Promise<string | null> {
  return scanDueTransactionUser(db, cardTransactionId)
}

/** Rebuilds the user's statement rows from the card transactions. */
export async function rebuildCardItems(ctx: ReadCtx, userId: string): Promise<StatementRow[]> {
  return (await findTransactions(ctx.db, userId)).map((transaction) => statementRow(cardStatementItem(transaction)))
}
