import type { Ctx, ReadCtx } from '../../context.ts'
import { lockAccount } from '../../identity/users/users.ts'
import { addSeconds, secondsSince } from '../../lib/clock.ts'
import { Refusal } from '../../lib/errors.ts'
import { newId } from '../../lib/id.ts'
import type { Tx } from '../../platform/db/db.ts'
import { type StatementRow, statementRow } from '../../statement-items/statement-items.ts'
import { findUserOfCard } from '../cards/cards.ts'
import { addToPayment } from './apply-payment.ts'
import { addReturn, postWaiting } from './apply-refund.ts'
import {
  answerOf,
  answerUnknownCard,
  hashOf,
  type NetworkAnswer,
  type NetworkMessage,
  textOf,
  type Verdict,
} from './messages.ts'
import { observeAnswer } from './report-decision.ts'
import { foldPayment, holdExpiry, isReturn } from './rules.ts'
import { counted, readScene } from './scene.ts'
import {
  countCardMessages,
  findAnswer,
  findCard,
  findLinkedCode,
  findMessages,
  findTransaction,
  findTransactions,
  insertLateDecline,
  insertMessage,
  scanDueHolds,
  setDueAt,
} from './sql.ts'
import { statementItem } from './statement-item.ts'

/**
 * Network messages and what they make of an authorization. Owns `card_message`, `card_transaction`,
 * `card_transaction_part`, `late_decline`.
 *
 * Nothing is posted because a message says so: each is stored once, all messages of the authorization are folded into
 * what should be held and settled, and the difference is posted. Duplicates, any order of arrival, late clearings and
 * expiry are therefore one path. States: pending → settled | cancelled → settled …; declined, for ever.
 *
 * A card and an authorization code have at most one payment that is not declined. A declined authorization, a refund,
 * a refund taken back and a cleared payment taken back are rows of their own.
 *
 * `userId` is whose card it is, as the directory says; null: the card is nobody's. `isLate` is asked under the lock, last
 * before a decision: a late one is declined and nothing is posted.
 */
export async function receiveMessage(
  ctx: Ctx,
  tx: Tx,
  userId: string | null,
  message: NetworkMessage,
  isLate: () => boolean = () => false,
): Promise<NetworkAnswer> {
  const startedAt = performance.now()
  const { answer, outcome } = await answerMessage(ctx, tx, userId, message, isLate)
  tx.afterCommit(() => observeAnswer(ctx, message, answer, outcome, startedAt))
  return answer
}

type Answered = { readonly answer: NetworkAnswer; readonly outcome: Verdict['outcome'] | 'repeated' }

async function answerMessage(
  ctx: Ctx,
  tx: Tx,
  userId: string | null,
  message: NetworkMessage,
  isLate: () => boolean,
): Promise<Answered> {
  if (userId === null) return { answer: answerUnknownCard(message), outcome: 'declined' }
  // Sent together, so that they are one round trip; run in this order, so that what follows the lock is read under it.
  const [account, stored, card, linkedCode] = await Promise.all([
    lockAccount(tx, userId),
    findAnswer(tx, userId, message),
    findCard(tx, userId, message.cardId),
    findLinkedCode(tx, userId, message),
  ])
  const repeated = answerBefore(ctx, stored, message)
  if (repeated !== null) return { answer: repeated, outcome: 'repeated' }

  const scene = await readScene(ctx, tx, { account, card, linkedCode }, message)
  const verdict = isReturn(message.type)
    ? await addReturn(ctx, tx, scene, message, message.type)
    : await addToPayment(ctx, tx, scene, message, message.type, stored === null ? isLate : () => true)
  const answer = answerOf(message, scene.code, verdict)
  await insertMessage(tx, userId, {
    messageId: newId(scene.now),
    source: message.source,
    eventId: message.eventId,
    bodyHash: hashOf(message),
    cardId: message.cardId,
    authorizationCode: scene.code,
    networkId: message.networkId ?? null,
    authorizationId: verdict.authorizationId,
    type: message.type,
    amount: verdict.amount,
    isFinal: message.isFinal,
    outcome: verdict.outcome,
    waiting: verdict.outcome === 'kept' ? textOf(message) : null,
    answer: JSON.stringify(answer),
    at: scene.now,
  })
  await postWaiting(ctx, tx, scene, message.cardId)
  return { answer, outcome: verdict.outcome }
}

type Stored = Awaited<ReturnType<typeof findAnswer>>

/** What the message was answered, if it has had its turn; refused when another one had its event id. */
function answerBefore(ctx: Ctx, stored: Stored, message: NetworkMessage): NetworkAnswer | null {
  if (stored !== null && stored.bodyHash !== hashOf(message)) {
    ctx.metrics.eventConflicts.inc({ source: message.source })
    ctx.log.warn({ source: message.source, eventId: message.eventId }, 'an event id came again with another body')
    throw new Refusal('EVENT_ID_REUSED')
  }
  return stored?.answer ? JSON.parse(stored.answer) : null
}

/**
 * Lets a message be told that it is too late, though it has not had its turn under the lock: from here on it is declined
 * whenever it has. The answer that it got all the same meanwhile; null: none, so that may be said.
 */
export async function declineLate(ctx: Ctx, userId: string, message: NetworkMessage): Promise<NetworkAnswer | null> {
  await insertLateDecline(ctx.db, userId, message, { bodyHash: hashOf(message), now: ctx.clock.now() })
  return answerBefore(ctx, await findAnswer(ctx.db, userId, message), message)
}

/** Ends a hold whose time is over, by a message of our own: the same path as the network's. */
export async function expireHold(ctx: Ctx, userId: string, cardTransactionId: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockAccount(tx, userId)
    const row = await findTransaction(tx, userId, cardTransactionId)
    if (row?.status !== 'pending') return setDueAt(tx, userId, cardTransactionId, null)
    const messages = await findMessages(tx, userId, row.cardId, row.authorizationCode)
    const { lastApprovedAt } = foldPayment(messages.flatMap(counted))
    const expiresAt = holdExpiry(lastApprovedAt ?? row.createdAt, row.mcc, ctx.config.holdDays)
    if (expiresAt > ctx.clock.now()) return setDueAt(tx, userId, cardTransactionId, expiresAt)
    await receiveMessage(ctx, tx, userId, {
      source: 'purser',
      eventId: `expiry:${cardTransactionId}`,
      type: 'expiry',
      cardId: row.cardId,
      authorizationCode: row.authorizationCode,
      amount: null,
      isFinal: true,
      isPartialAllowed: false,
      merchant: { name: null, city: null, country: null, mcc: null },
    })
  })
}

const dueGraceSeconds = 60
const longestBackOffSeconds = 3600

/** A hold is overdue when due work should long have ended it, or has tried to and could not. */
export async function measureHolds(ctx: Ctx): Promise<void> {
  const now = ctx.clock.now()
  const { holds, oldest } = await scanDueHolds(ctx.db, {
    overdueSince: addSeconds(now, -dueGraceSeconds),
    triedUntil: addSeconds(now, longestBackOffSeconds),
  })
  ctx.metrics.overdueHolds.set(Number(holds))
  ctx.metrics.overdueHoldSeconds.set(secondsSince(oldest, now))
}

/** How many messages of a card were taken so far. */
export async function countMessages({ db }: Pick<Ctx, 'db'>, cardId: string): Promise<bigint> {
  const userId = await findUserOfCard(db, cardId)
  return userId === null ? 0n : countCardMessages(db, userId, cardId)
}

/** The user's statement rows, made again from the facts. */
export async function rebuildItems(ctx: ReadCtx, userId: string): Promise<StatementRow[]> {
  return (await findTransactions(ctx.db, userId)).map((transaction) => statementRow(statementItem(transaction)))
}
