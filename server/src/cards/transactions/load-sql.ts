import { type Static, type TSchema, Type } from 'typebox'
import { type BalanceTexts, ledgerAccounts } from '../../ledger/rules.ts'
import { firstIdAt } from '../../lib/id.ts'
import { kycStatuses } from '../../lib/kyc-status.ts'
import type { Currency } from '../../lib/money.ts'
import { accountStatuses, userStatuses } from '../../lib/user-status.ts'
import { functionCall } from '../../platform/db/call.ts'
import type { Tx } from '../../platform/db/db.ts'
import { OneOf, OrNull, Row, withRowShape } from '../../platform/db/row-shapes.ts'
import { cardStatuses } from '../cards/rules.ts'
import type { MerchantUse } from './limits.ts'
import { type StoredMessage, storedDecisionColumns } from './message-sql.ts'
import type { Part } from './postings.ts'
import { entryModes, messageOutcomes, messageTypes, transactionKinds, transactionStatuses } from './rules.ts'
import { DeclineCodeColumn } from './sql.ts'
import type { CardTransaction } from './statement-item.ts'

/** An amount, id or count within JSON, whose numbers are not exact. */
const Digits = Type.String({ pattern: '^-?[0-9]+$' })
const Time = Type.String()

const MessageJson = Row({
  messageId: Type.String(),
  authorizationId: Digits,
  type: OneOf(messageTypes),
  amount: OrNull(Digits),
  isFinal: Type.Boolean(),
  outcome: OneOf(messageOutcomes),
  deferredMessage: OrNull(Type.String()),
  at: Time,
})

const TransactionJson = Row({
  cardTransactionId: Type.String(),
  cardId: Type.String(),
  cardToken: OrNull(Type.String()),
  authorizationId: Digits,
  authorizationCode: Type.String(),
  kind: OneOf(transactionKinds),
  status: OneOf(transactionStatuses),
  isCredit: Type.Boolean(),
  currency: Type.String(),
  amountMinor: Digits,
  originalCurrency: Type.String(),
  originalAmountMinor: Digits,
  merchantName: Type.String(),
  merchantCity: OrNull(Type.String()),
  merchantCountry: Type.String(),
  mcc: Type.String(),
  entryMode: OneOf(entryModes),
  declineCode: DeclineCodeColumn,
  linkedId: OrNull(Type.String()),
  needsReview: Type.Boolean(),
  createdAt: Time,
  updatedAt: Time,
  clearedAt: OrNull(Time),
})

const PartJson = Row({ cardTransactionId: Type.String(), token: Type.String(), held: Digits, settled: Digits })
const UseJson = Row({ mcc: Type.String(), spent: Digits, spentWithCard: Digits, authorizations: Digits })
const BalanceJson = Type.Unsafe<BalanceTexts>(
  Row({ token: Type.String(), ...Object.fromEntries(ledgerAccounts.map((account) => [account, Digits])) }),
)

/** A list is null if it is empty. */
const ListOf = <S extends TSchema>(item: S) => OrNull(Type.Array(item))

const LoadedRow = Row({
  accountId: Type.String(),
  address: Type.String(),
  accountCurrency: Type.String(),
  accountStatus: OneOf(accountStatuses),
  mayApprove: Type.Boolean(),
  ...storedDecisionColumns,
  bodyHash: OrNull(Type.String()),
  cardStatus: OneOf(cardStatuses),
  cardCurrency: Type.String(),
  cardToken: OrNull(Type.String()),
  limitPerTransaction: OrNull(Type.BigInt()),
  limitDaily: OrNull(Type.BigInt()),
  userStatus: OneOf(userStatuses),
  kycStatus: OneOf(kycStatuses),
  partnerId: OrNull(Type.String()),
  code: OrNull(Type.String()),
  messages: ListOf(MessageJson),
  transactions: ListOf(TransactionJson),
  parts: ListOf(PartJson),
  balances: ListOf(BalanceJson),
  use: ListOf(UseJson),
})
export type LoadedRow = Readonly<Static<typeof LoadedRow>>

const call = functionCall(
  `select account_id as "accountId", address, account_currency as "accountCurrency", account_status as "accountStatus",
     may_approve as "mayApprove", body_hash as "bodyHash", outcome, decline_code as "declineCode",
     decided_code as "authorizationCode", authorization_id as "authorizationId", approved_amount as "approvedAmount",
     card_status as "cardStatus", card_currency as "cardCurrency", card_token as "cardToken",
     limit_per_transaction as "limitPerTransaction", limit_daily as "limitDaily", user_status as "userStatus", kyc_status as "kycStatus", user_partner_id as "partnerId", code, messages, transactions, parts, balances, use
   from load_card_message`,
  [
    'user_id',
    'source',
    'event_id',
    'card_id',
    'network_id',
    'authorization_code',
    'new_codes',
    'limited_currencies',
    'spent_from',
    'authorized_from',
  ],
)
const loadCardMessage = withRowShape(LoadedRow, call.text)

type Wanted = {
  readonly source: string
  readonly eventId: string
  readonly cardId: string
  readonly networkId?: string
  readonly authorizationCode: string | null
  /** Codes to choose from for a message without one. The message gets the first that the card has not used. */
  readonly newCodes: readonly string[]
  /** Null: no limit applies to the message. */
  readonly use: {
    /**
     * Recent payments are loaded if the card's currency is one of these, or if the card has a daily limit of its own.
     */
    readonly limitedCurrencies: readonly Currency[]
    readonly spentSince: Date
    readonly authorizedSince: Date
  } | null
}

/** Takes the user's lock and returns the facts of a card message, in one round trip. */
export async function callLoadCardMessage(tx: Tx, userId: string, wanted: Wanted): Promise<LoadedRow> {
  const values = call.values({
    user_id: userId,
    source: wanted.source,
    event_id: wanted.eventId,
    card_id: wanted.cardId,
    network_id: wanted.networkId ?? null,
    authorization_code: wanted.authorizationCode,
    new_codes: wanted.newCodes,
    limited_currencies: wanted.use?.limitedCurrencies ?? [],
    spent_from: wanted.use && firstIdAt(wanted.use.spentSince),
    authorized_from: wanted.use && firstIdAt(wanted.use.authorizedSince),
  })
  const [row] = await tx.query<LoadedRow>(loadCardMessage, values)
  if (!row) throw new Error('load_card_message returned no row')
  return row
}

export function messagesOf({ messages }: LoadedRow): StoredMessage[] {
  return (messages ?? []).map(({ authorizationId, amount, at, ...rest }) => ({
    ...rest,
    authorizationId: BigInt(authorizationId),
    amount: amount === null ? null : BigInt(amount),
    at: new Date(at),
  }))
}

export function transactionsOf({ transactions, parts }: LoadedRow): (CardTransaction & { parts: Part[] })[] {
  const own = Map.groupBy(parts ?? [], ({ cardTransactionId }) => cardTransactionId)
  return (transactions ?? []).map((one) => ({
    ...one,
    authorizationId: BigInt(one.authorizationId),
    amountMinor: BigInt(one.amountMinor),
    originalAmountMinor: BigInt(one.originalAmountMinor),
    createdAt: new Date(one.createdAt),
    updatedAt: new Date(one.updatedAt),
    clearedAt: one.clearedAt === null ? null : new Date(one.clearedAt),
    parts: (own.get(one.cardTransactionId) ?? []).map(({ token, held, settled }) => ({
      token,
      held: BigInt(held),
      settled: BigInt(settled),
    })),
  }))
}

export function useOf({ use }: LoadedRow): MerchantUse[] {
  return (use ?? []).map(({ mcc, spent, spentWithCard, authorizations }) => ({
    mcc,
    spent: BigInt(spent),
    spentWithCard: BigInt(spentWithCard),
    authorizations: BigInt(authorizations),
  }))
}
