import { randomInt } from 'node:crypto'
import type { Ctx } from '../../context.ts'
import type { LockedAccount } from '../../ledger/ledger.ts'
import { type Balances, parseBalances } from '../../ledger/rules.ts'
import { addSeconds } from '../../lib/clock.ts'
import { Refusal } from '../../lib/errors.ts'
import type { Tx } from '../../platform/db/db.ts'
import type { ExchangeRates } from '../../providers/rates/rates.ts'
import { noticeSwitch } from '../../switches/switches.ts'
import { type LimitFacts, limitedCurrencies, type MerchantUse } from './limits.ts'
import { callLoadCardMessage, type LoadedRow, messagesOf, transactionsOf, useOf } from './load-sql.ts'
import { decisionOf, type StoredMessage } from './message-sql.ts'
import { type CardDecision, type CardMessage, hashCardMessage } from './messages.ts'
import type { Part } from './postings.ts'
import { mayBeDeclined, type Standing } from './rules.ts'
import type { CardTransaction } from './statement-item.ts'

/** The facts that a card message is decided by, read under the account's lock. */
export type MessageFacts = {
  readonly account: LockedAccount
  readonly card: ChargedCard
  /** The user's partner, to whom events are reported; null: none. */
  readonly partnerId: string | null
  /** Whether the kill switch lets authorizations be approved. */
  readonly mayApprove: boolean
  readonly balances: Balances
  /** The authorization code of the message: the one that its network id names, else its own, else a new one. */
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

/** The card that a message charges, and the states of its user. */
type ChargedCard = Omit<Standing, 'accountStatus'> &
  LimitFacts['card'] & {
    readonly cardId: string
    readonly cardToken: string | null
  }

export type LoadedTransaction = CardTransaction & { readonly parts: readonly Part[] }

/** Takes the user's lock and loads the facts of a message, or the stored decision of a repeated one. */
export async function load(
  ctx: Ctx,
  tx: Tx,
  userId: string,
  message: CardMessage,
): Promise<{ readonly repeated: CardDecision } | MessageFacts> {
  const row = await callFor(ctx, tx, userId, message)
  const stored = row.bodyHash === null ? null : { bodyHash: row.bodyHash, decision: decisionOf(row) }
  const repeated = repeatedDecision(ctx, stored, message)
  return repeated === null ? factsOf(ctx, userId, message, row) : { repeated }
}

/** Loads the facts of a stored message again, after writes. */
export async function reload(ctx: Ctx, tx: Tx, { account, code }: MessageFacts, message: CardMessage) {
  const { networkId: _, ...known } = { ...message, authorizationCode: code }
  return factsOf(ctx, account.userId, known, await callFor(ctx, tx, account.userId, known))
}

const daySeconds = 86_400
/**
 * On a card with 2,000 codes, a random code has a one-in-a-million chance of being taken. All three being taken is
 * practically impossible.
 */
const newCodeCount = 3

function callFor({ config, clock }: Ctx, tx: Tx, userId: string, message: CardMessage): Promise<LoadedRow> {
  const { cardLimits, tokens } = config
  const now = clock.now()
  const currencies = tokens.map(({ currency }) => currency)
  return callLoadCardMessage(tx, userId, {
    ...message,
    newCodes: message.authorizationCode === null ? Array.from({ length: newCodeCount }, newAuthorizationCode) : [],
    use: mayBeDeclined(message.type)
      ? {
          limitedCurrencies: limitedCurrencies(cardLimits, currencies),
          spentSince: addSeconds(now, -daySeconds),
          authorizedSince: addSeconds(now, -(cardLimits.velocity?.seconds ?? 0)),
        }
      : null,
  })
}

function factsOf(ctx: Ctx, userId: string, { cardId }: CardMessage, row: LoadedRow): MessageFacts {
  const { accountId, address, accountCurrency, accountStatus, code, mayApprove } = row
  if (code === null) throw new Error('the card has used every new authorization code')
  noticeSwitch(ctx, 'card-approvals', mayApprove)
  const { cardStatus, cardCurrency, cardToken, limitPerTransaction, limitDaily, userStatus, kycStatus } = row
  const transactions = transactionsOf(row)
  return {
    account: { userId, accountId, address, currency: accountCurrency, status: accountStatus },
    card: {
      cardId,
      cardStatus,
      currency: cardCurrency,
      cardToken,
      limitPerTransaction,
      limitDaily,
      userStatus,
      kycStatus,
    },
    partnerId: row.partnerId,
    mayApprove,
    balances: parseBalances(row.balances ?? []),
    code,
    messages: messagesOf(row),
    transactions,
    payment: transactions.find(({ kind, status }) => kind === 'Payment' && status !== 'declined') ?? null,
    use: useOf(row),
    wasDeclinedLate: row.bodyHash !== null,
    rates: ctx.rates?.current() ?? new Map(),
    // Read after the lock was taken, so that times are in the order of the locks.
    now: ctx.clock.now(),
  }
}

/** Returns the stored decision of a repeated message, or null. Rejects an event id that is reused with another body. */
export function repeatedDecision(
  ctx: Ctx,
  stored: { readonly bodyHash: string; readonly decision: CardDecision | null } | null,
  message: CardMessage,
): CardDecision | null {
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
