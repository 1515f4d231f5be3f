import type { Ctx, ReadCtx } from '../../context.ts'
import { type StatementRow, statementRow } from '../../statement-items/statement-items.ts'
import { findUserOfCard } from '../cards/cards.ts'
import { repeatedDecision } from './load.ts'
import { countCardMessages, findStoredDecision, insertLateDecline } from './message-sql.ts'
import { type CardDecision, type CardMessage, hashCardMessage } from './messages.ts'
import { findTransactions } from './sql.ts'
import { cardStatementItem } from './statement-item.ts'

/**
 * Card messages and the card transactions that they make. `receive.ts` takes a message, `holds.ts` ends expired holds,
 * `reviews.ts` lists what operators should check, `verify-fold.ts` proves the books. Owns `card_message`,
 * `card_transaction`, `card_transaction_part`, `late_decline`.
 *
 * Each message is stored once. All messages of an authorization are folded into the amounts that should be held and
 * settled, and only the difference is posted. Duplicates, any order of arrival, late clearings and expiry are therefore
 * one path. States: `pending` → `settled` | `cancelled` → `settled` …; `declined` is final.
 *
 * Invariants: a card and an authorization code have at most one payment that is not declined. Declined authorizations,
 * refunds, refund reversals and canceled clearings are card transactions of their own.
 */

/**
 * Declines a message as late, before it has had its turn under the lock. From now on it is declined whenever its turn
 * comes. Returns the decision that the message got meanwhile, or null.
 */
export async function declineLate(ctx: Ctx, userId: string, message: CardMessage): Promise<CardDecision | null> {
  await insertLateDecline(ctx.db, userId, message, { bodyHash: hashCardMessage(message), now: ctx.clock.now() })
  return repeatedDecision(ctx, await findStoredDecision(ctx.db, userId, message), message)
}

/** Returns the number of messages of a card so far. */
export async function countMessages({ db }: Pick<Ctx, 'db'>, cardId: string): Promise<bigint> {
  const userId = await findUserOfCard(db, cardId)
  return userId === null ? 0n : countCardMessages(db, userId, cardId)
}

/** Makes the user's statement rows again from the card transactions. */
export async function rebuildCardItems(ctx: ReadCtx, userId: string): Promise<StatementRow[]> {
  return (await findTransactions(ctx.db, userId)).map((transaction) => statementRow(cardStatementItem(transaction)))
}
