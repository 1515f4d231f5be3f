import { randomInt } from 'node:crypto'
import type { Ctx } from '../../context.ts'
import { lockAccount } from '../../identity/users/users.ts'
import { type LockedAccount, readBalances } from '../../ledger/ledger.ts'
import type { Balances } from '../../ledger/rules.ts'
import { addSeconds } from '../../lib/clock.ts'
import { Refusal } from '../../lib/errors.ts'
import type { Tx } from '../../platform/db/db.ts'
import type { ExchangeRates } from '../../providers/rates/rates.ts'
import { mayApproveCards } from '../../switches/switches.ts'
import { type MerchantUse, needsUse } from './limits.ts'
import {
  findLinkedCode,
  findMessages,
  findStoredDecision,
  type StoredDecision,
  type StoredMessage,
} from './message-sql.ts'
import { type CardDecision, type CardMessage, hashCardMessage } from './messages.ts'
import type { Part } from './postings.ts'
import type { MessageType } from './rules.ts'
import { type ChargedCard, findChargedCard, findParts, findTransactionsByCode, findUse } from './sql.ts'
import type { CardTransaction } from './statement-item.ts'

/** The facts that a card message is decided by, read under the account's lock. */
export type MessageFacts = {
  readonly account: LockedAccount
  readonly card: ChargedCard
  /** Whether the kill switch lets authorizations be approved. */
  readonly mayApprove: boolean
  readonly balances: Balances
  /** The authorization code of the message: its own, the one that its network id names, or a new one. */
  readonly code: string
  /** The messages with the code, oldest first. */
  readonly messages: readonly StoredMessage[]
  /** The card transactions with the code, oldest first. */
  readonly transactions: readonly LoadedTransaction[]
  /** The payment among them that was not declined. A card has at most one per code. */
  readonly payment: LoadedTransaction | null
  /** Empty unless a limit depends on it. */
  readonly use: readonly MerchantUse[]
  /** Whether the message was already declined as late while it waited for the lock. */
  readonly wasDeclinedLate: boolean
  /** Empty: the network bills every amount in the card's currency. */
  readonly rates: ExchangeRates
  readonly now: Date
}

export type LoadedTransaction = CardTransaction & { readonly parts: readonly Part[] }

/** Takes the user's lock and loads the facts of a message, or the stored decision of a repeated one. */
export async function load(
  ctx: Ctx,
  tx: Tx,
  userId: string,
  message: CardMessage,
): Promise<{ readonly repeated: CardDecision } | MessageFacts> {
  // Sent together to save round trips. They run in this order, so the reads see the state under the lock.
  // The switch comes first: other requests may share its result, so it must not wait for this user's lock.
  const [mayApprove, account, stored, card, linkedCode] = await Promise.all([
    mayApproveCards(ctx, tx),
    lockAccount(tx, userId),
    findStoredDecision(tx, userId, message),
    findChargedCard(tx, userId, message.cardId),
    findLinkedCode(tx, userId, message),
  ])
  const repeated = repeatedDecision(ctx, stored, message)
  if (repeated !== null) return { repeated }

  const given = linkedCode ?? message.authorizationCode
  let code = given ?? newAuthorizationCode()
  let [messages, balances] = await Promise.all([findMessages(tx, userId, card.cardId, code), readBalances(tx, userId)])
  // The random code may already be in use on this card.
  while (given === null && messages.length > 0) {
    code = newAuthorizationCode()
    messages = await findMessages(tx, userId, card.cardId, code)
  }
  const found = { account, card, mayApprove, balances, code, messages, wasDeclinedLate: stored !== null }
  return withTransactions(ctx, tx, { ...found, rates: ctx.rates?.current() ?? new Map() }, message.type)
}

/** Loads the facts again, after writes. */
export async function reload(ctx: Ctx, tx: Tx, facts: MessageFacts, type: MessageType): Promise<MessageFacts> {
  const { userId } = facts.account
  const [messages, balances] = await Promise.all([
    findMessages(tx, userId, facts.card.cardId, facts.code),
    readBalances(tx, userId),
  ])
  return withTransactions(ctx, tx, { ...facts, messages, balances }, type)
}

async function withTransactions(
  ctx: Ctx,
  tx: Tx,
  found: Omit<MessageFacts, 'transactions' | 'payment' | 'use' | 'now'>,
  type: MessageType,
): Promise<MessageFacts> {
  const { account, card, code } = found
  const { userId } = account
  const now = ctx.clock.now()
  const isNew = found.messages.length === 0
  const [stored, parts, use] = await Promise.all([
    isNew ? [] : findTransactionsByCode(tx, userId, card.cardId, code),
    isNew ? [] : findParts(tx, userId, card.cardId, code),
    loadUse(ctx, tx, found, type, now),
  ])
  const transactions = stored.map((transaction) => ({
    ...transaction,
    parts: parts.filter(({ cardTransactionId }) => cardTransactionId === transaction.cardTransactionId),
  }))
  const payment = transactions.find(({ kind, status }) => kind === 'Payment' && status !== 'declined') ?? null
  return { ...found, transactions, payment, use, now }
}

const daySeconds = 86_400

async function loadUse(
  { config }: Ctx,
  tx: Tx,
  { account, card, code }: Pick<MessageFacts, 'account' | 'card' | 'code'>,
  type: MessageType,
  now: Date,
): Promise<readonly MerchantUse[]> {
  if (!needsUse(config.cardLimits, type, card)) return []
  return findUse(tx, account.userId, {
    currency: card.currency,
    spentSince: addSeconds(now, -daySeconds),
    authorizedSince: addSeconds(now, -(config.cardLimits.velocity?.seconds ?? 0)),
    exceptCardId: card.cardId,
    exceptCode: code,
  })
}

/** Returns the stored decision of a repeated message, or null. Rejects an event id that is reused with another body. */
export function repeatedDecision(ctx: Ctx, stored: StoredDecision | null, message: CardMessage): CardDecision | null {
  if (stored !== null && stored.bodyHash !== hashCardMessage(message)) {
    ctx.metrics.eventConflicts.inc({ source: message.source })
    ctx.log.warn({ source: message.source, eventId: message.eventId }, 'event id reused with another body')
    throw new Refusal('EVENT_ID_REUSED')
  }
  return stored?.decision ?? null
}

const codeLetters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'

function newAuthorizationCode(): string {
  return Array.from({ length: 6 }, () => codeLetters[randomInt(codeLetters.length)]).join('')
}
