import { type Currency, minorDigits } from '../../lib/money.ts'
import type { CardTransactionItem } from '../../statement-items/schemas.ts'
import {
  type DeclineCode,
  declineMessages,
  type EntryMode,
  type TransactionKind,
  type TransactionStatus,
} from './rules.ts'

/** A card transaction as it is stored. Amounts are minor units. A declined transaction has the requested amount. */
export type CardTransaction = {
  readonly cardTransactionId: string
  readonly cardId: string
  /** The issuer's id of the card when the transaction began. */
  readonly cardToken: string | null
  readonly authorizationId: bigint
  readonly authorizationCode: string
  readonly kind: TransactionKind
  readonly status: TransactionStatus
  readonly isCredit: boolean
  readonly currency: Currency
  readonly amountMinor: bigint
  readonly originalCurrency: Currency
  readonly originalAmountMinor: bigint
  readonly merchantName: string
  readonly merchantCity: string | null
  readonly merchantCountry: string
  readonly mcc: string
  readonly entryMode: EntryMode
  readonly declineCode: DeclineCode | null
  /** The payment that a refund or reversal belongs to, or the refund that a reversal takes back. */
  readonly linkedId: string | null
  readonly needsReview: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly clearedAt: Date | null
}

/** Not taken from `Intl`: a rebuilt statement row must have the same bytes on every version of Node. */
const currencyNames: Readonly<Record<Currency, readonly [symbol: string, name: string]>> = {
  AUD: ['A$', 'Australian Dollar'],
  BRL: ['R$', 'Brazilian Real'],
  CAD: ['CA$', 'Canadian Dollar'],
  CHF: ['CHF', 'Swiss Franc'],
  CZK: ['Kč', 'Czech Koruna'],
  DKK: ['kr', 'Danish Krone'],
  EUR: ['€', 'Euro'],
  GBP: ['£', 'British Pound'],
  HUF: ['Ft', 'Hungarian Forint'],
  JPY: ['¥', 'Japanese Yen'],
  KWD: ['KD', 'Kuwaiti Dinar'],
  MXN: ['MX$', 'Mexican Peso'],
  NOK: ['kr', 'Norwegian Krone'],
  PLN: ['zł', 'Polish Zloty'],
  SEK: ['kr', 'Swedish Krona'],
  USD: ['$', 'US Dollar'],
}

/** Renders a card transaction as the statement shows it. */
export function cardStatementItem(transaction: CardTransaction): CardTransactionItem {
  const { currency, originalCurrency, declineCode } = transaction
  const amount = String(transaction.amountMinor)
  return {
    type: 'card_transaction',
    id: transaction.cardTransactionId,
    status: transaction.status,
    amount,
    currency,
    decimals: minorDigits(currency),
    originalAmount: String(transaction.originalAmountMinor),
    originalCurrency,
    originalDecimals: minorDigits(originalCurrency),
    isCredit: transaction.isCredit,
    createdAt: transaction.createdAt.toISOString(),
    updatedAt: transaction.updatedAt.toISOString(),
    description: transaction.merchantName,
    // Below 2^53, so a JSON number holds it exactly.
    authorizationId: Number(transaction.authorizationId),
    mcc: transaction.mcc,
    authorizationCode: transaction.authorizationCode,
    merchant: {
      name: transaction.merchantName,
      city: transaction.merchantCity,
      country: transaction.merchantCountry,
      categoryCode: transaction.mcc,
    },
    entryMode: transaction.entryMode,
    billing: { billingAmount: amount, billingCurrency: currencyMetadata(currency) },
    transactionCurrency: currencyMetadata(originalCurrency),
    cardId: transaction.cardId,
    cardToken: transaction.cardToken,
    clearedAt: transaction.clearedAt?.toISOString() ?? null,
    isPending: transaction.status === 'pending',
    kind: transaction.kind,
    // On-chain legs only. Settlement with the network is off chain.
    transactions: [],
    declineReason: declineCode === null ? null : { code: declineCode, message: declineMessages[declineCode] },
    wallet: null,
  }
}

function currencyMetadata(code: Currency) {
  const [symbol, name] = (Object.hasOwn(currencyNames, code) ? currencyNames[code] : undefined) ?? [null, null]
  return { symbol, code, decimals: minorDigits(code), name }
}
