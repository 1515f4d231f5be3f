import { randomBytes, randomInt } from 'node:crypto'
import type { Ctx } from '../../context.ts'
import { type LockedAccount, postMovement, readBalances } from '../../ledger/ledger.ts'
import type { MovementKind } from '../../ledger/movements.ts'
import type { Balances } from '../../ledger/rules.ts'
import { Refusal } from '../../lib/errors.ts'
import { newId } from '../../lib/id.ts'
import type { Tx } from '../../platform/db/db.ts'
import { putItem } from '../../statement-items/statement-items.ts'
import { convert } from './convert.ts'
import type { NetworkMessage } from './messages.ts'
import type { Part, Posted } from './postings.ts'
import { type FoldMessage, isReturn, type MessageType } from './rules.ts'
import {
  type Card,
  findMessages,
  findParts,
  findTransactionsByCode,
  type StoredMessage,
  upsertParts,
  upsertTransaction,
} from './sql.ts'
import { type CardTransaction, statementItem } from './statement-item.ts'

/** What a message is judged by, read under the account's lock. */
export type Scene = {
  readonly account: LockedAccount
  readonly card: Card
  readonly balances: Balances
  readonly code: string
  readonly messages: readonly StoredMessage[]
  /** the statement's rows with the code, oldest first */
  readonly rows: readonly Row[]
  /** the one of them that is a payment and not declined */
  readonly payment: Row | null
  readonly now: Date
}

export type Row = CardTransaction & { readonly parts: readonly Part[] }

export async function readScene(
  ctx: Ctx,
  tx: Tx,
  { account, card, linkedCode }: { account: LockedAccount; card: Card; linkedCode: string | null },
  message: NetworkMessage,
): Promise<Scene> {
  const { userId } = account
  let code = linkedCode ?? message.authorizationCode ?? newAuthorizationCode()
  let [messages, balances] = await Promise.all([
    findMessages(tx, userId, message.cardId, code),
    readBalances(tx, userId),
  ])
  // A code of our own choice must be a new one on the card.
  while (linkedCode === null && message.authorizationCode === null && messages.length > 0) {
    code = newAuthorizationCode()
    messages = await findMessages(tx, userId, message.cardId, code)
  }
  return withRows(ctx, tx, { account, card, balances, code, messages }, message.cardId)
}

/** The same again, after what was written since. */
export async function rereadScene(ctx: Ctx, tx: Tx, { account, card, code }: Scene, cardId: string): Promise<Scene> {
  const messages = await findMessages(tx, account.userId, cardId, code)
  const balances = await readBalances(tx, account.userId)
  return withRows(ctx, tx, { account, card, balances, code, messages }, cardId)
}

async function withRows(
  ctx: Ctx,
  tx: Tx,
  found: Pick<Scene, 'account' | 'card' | 'balances' | 'code' | 'messages'>,
  cardId: string,
): Promise<Scene> {
  const { userId } = found.account
  const transactions = found.messages.length === 0 ? [] : await findTransactionsByCode(tx, userId, cardId, found.code)
  const ids = transactions.map(({ cardTransactionId }) => cardTransactionId)
  const parts = ids.length === 0 ? [] : await findParts(tx, userId, ids)
  const rows = transactions.map((transaction) => ({
    ...transaction,
    parts: parts.filter(({ cardTransactionId }) => cardTransactionId === transaction.cardTransactionId),
  }))
  const payment = rows.find(({ kind, status }) => kind === 'Payment' && status !== 'declined') ?? null
  return { ...found, rows, payment, now: ctx.clock.now() }
}

/** The message's amount in the card's currency. */
export function billedMinor(
  { rates }: Pick<Ctx, 'rates'>,
  { card }: Scene,
  { amount, billed }: NetworkMessage,
): bigint | null {
  if (billed && billed.currency !== card.currency) throw new Refusal('BILLING_AMOUNT_NEEDED')
  if (billed) return billed.minor
  return amount === null ? null : convert(rates?.current() ?? new Map(), amount.minor, amount.currency, card.currency)
}

/** Writes a transaction, what it posts and its statement row. */
export async function save(
  tx: Tx,
  { account, now }: Scene,
  row: CardTransaction,
  { posted, type, dueAt }: { posted: Posted | null; type: MessageType; dueAt: Date | null },
): Promise<void> {
  const { userId } = account
  const saved = { ...row, updatedAt: now }
  const refId = row.cardTransactionId
  const { postings, parts } = posted ?? { postings: [], parts: [] }
  await Promise.all([
    upsertTransaction(tx, userId, saved, dueAt),
    postings.length === 0 ? null : upsertParts(tx, userId, refId, parts),
    postMovement(tx, account, { kind: movementKinds[type], refId, at: now, postings }),
    putItem(tx, userId, statementItem(saved), now),
  ])
}

const movementKinds: Readonly<Record<MessageType, MovementKind>> = {
  authorization: 'card_authorization',
  incremental: 'card_authorization',
  replacement: 'card_authorization',
  advice: 'card_authorization',
  single_message: 'card_clearing',
  clearing: 'card_clearing',
  reversal: 'card_reversal',
  expiry: 'card_expiry',
  refund: 'card_refund',
  refund_reversal: 'card_refund_reversal',
  clearing_cancellation: 'card_clearing_cancellation',
}

/** A row before its amounts are known. What the message does not say of the merchant, the linked row does. */
export function newRow(
  { card, code, now }: Scene,
  message: NetworkMessage,
  opening: {
    kind: CardTransaction['kind']
    authorizationId: bigint | null
    linked?: CardTransaction | null | undefined
    approvedPart?: bigint | undefined
  },
): CardTransaction {
  const { cardId, amount, entryMode } = message
  const { kind, linked = null } = opening
  return {
    cardTransactionId: newId(now),
    cardId,
    cardToken: card.cardToken,
    authorizationId: opening.authorizationId ?? newAuthorizationId(),
    authorizationCode: code,
    kind,
    status: 'settled',
    isCredit: false,
    currency: card.currency,
    amountMinor: 0n,
    originalCurrency: amount?.currency ?? card.currency,
    originalAmountMinor: opening.approvedPart ?? amount?.minor ?? 0n,
    ...merchantOf(message, linked),
    entryMode: entryMode ?? 'ecommerce',
    declineCode: null,
    linkedId: linked?.cardTransactionId ?? null,
    needsReview: false,
    createdAt: now,
    updatedAt: now,
    clearedAt: null,
  }
}

type Merchant = Pick<CardTransaction, 'merchantName' | 'merchantCity' | 'merchantCountry' | 'mcc'>

export function merchantOf({ source, merchant }: NetworkMessage, linked: Merchant | null): Merchant {
  const other = linked ?? (source === 'sandbox' ? testMerchant : unknownMerchant)
  return {
    merchantName: merchant.name ?? other.merchantName,
    merchantCity: merchant.city ?? other.merchantCity,
    merchantCountry: merchant.country ?? other.merchantCountry,
    mcc: merchant.mcc ?? other.mcc,
  }
}

/** What the simulator's messages do not say. */
const testMerchant: Merchant = {
  merchantName: 'Test Merchant',
  merchantCity: null,
  merchantCountry: 'DE',
  mcc: '5999',
}
/** What a network's do not; `ZZ` is a code of ISO 3166 that no country has. */
const unknownMerchant: Merchant = {
  merchantName: 'Unknown merchant',
  merchantCity: null,
  merchantCountry: 'ZZ',
  mcc: '0000',
}

/** The messages that the fold counts: of payments, and not declined. */
export function counted(message: StoredMessage): (FoldMessage & { messageId: string | null })[] {
  const { type, outcome } = message
  return isReturn(type) || outcome === 'declined' ? [] : [{ ...message, type }]
}

/** Random and below 2^53, so that a JSON number holds it exactly and it says nothing about how many there are. */
export function newAuthorizationId(): bigint {
  return randomBytes(8).readBigUInt64BE() >> 11n
}

const codeLetters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'

function newAuthorizationCode(): string {
  return Array.from({ length: 6 }, () => codeLetters[randomInt(codeLetters.length)]).join('')
}
