import { randomBytes } from 'node:crypto'
import { newId } from '../../lib/id.ts'
import type { MessageFacts } from './load.ts'
import { authorizationIdFrom, type CardMessage, type Merchant } from './messages.ts'
import type { TransactionKind } from './rules.ts'
import type { CardTransaction } from './statement-item.ts'

/** Returns a card transaction without its amount. Merchant fields that the message lacks come from the linked one. */
export function newTransaction(
  { card, code, now }: MessageFacts,
  message: CardMessage,
  opening: {
    readonly kind: TransactionKind
    readonly authorizationId: bigint
    readonly linked?: CardTransaction | null | undefined
    readonly approvedAmount?: bigint | null
  },
): CardTransaction {
  const { cardId, amount, entryMode } = message
  const { kind, authorizationId, linked = null, approvedAmount } = opening
  return {
    cardTransactionId: newId(now),
    cardId,
    cardToken: card.cardToken,
    authorizationId,
    authorizationCode: code,
    kind,
    status: 'settled',
    isCredit: false,
    currency: card.currency,
    amountMinor: 0n,
    originalCurrency: amount?.currency ?? card.currency,
    originalAmountMinor: approvedAmount ?? amount?.minor ?? 0n,
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

export function merchantOf({ merchant, fallbackMerchant }: CardMessage, linked: Merchant | null): Merchant {
  const other = linked ?? fallbackMerchant
  return {
    merchantName: merchant.name ?? other.merchantName,
    merchantCity: merchant.city ?? other.merchantCity,
    merchantCountry: merchant.country ?? other.merchantCountry,
    mcc: merchant.mcc ?? other.mcc,
  }
}

/** Returns a random id. A counter would reveal the number of authorizations. */
export function newAuthorizationId(): bigint {
  return authorizationIdFrom(randomBytes(8))
}
