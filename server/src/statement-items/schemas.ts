import { type Static, Type } from 'typebox'
import { Address, Amount, DateTime, Int32, nullable, oneOf, ref, TxHash, Uuid } from '../platform/http/schemas.ts'
import { exampleDeposit, examplePayment, exampleWithdrawal } from './examples.ts'

/** The three kinds of statement item, with the fields in the order of the interface. */

const Text = Type.String()
const TextOrNull = nullable(Text)
const CurrencyCode = Type.String({ title: 'CurrencyCode', description: 'ISO 4217 code.', examples: ['EUR'] })
const closed = { additionalProperties: false }

const Merchant = Type.Object(
  { name: Text, city: TextOrNull, country: Text, categoryCode: Text },
  { $id: 'Merchant', ...closed },
)

const CurrencyMetadata = Type.Object(
  { symbol: TextOrNull, code: CurrencyCode, decimals: Int32, name: TextOrNull },
  { $id: 'CurrencyMetadata', ...closed },
)

const Billing = Type.Object(
  { billingAmount: Amount, billingCurrency: ref(CurrencyMetadata) },
  { $id: 'Billing', ...closed },
)

const ExecutionDetail = Type.Object(
  { status: TextOrNull, to: TextOrNull, value: TextOrNull, data: TextOrNull, hash: nullable(TxHash) },
  { $id: 'ExecutionDetail', ...closed },
)

export const DeclineReason = Type.Object(
  { code: Text, message: Text },
  { $id: 'DeclineReason', ...closed, examples: [{ code: '810', message: 'Insufficient balance' }] },
)

const Wallet = Type.Object(
  {
    provider: oneOf(['apple_pay', 'google_pay', 'samsung_pay', 'other']),
    deviceBrand: TextOrNull,
    deviceModel: TextOrNull,
    deviceType: TextOrNull,
    deviceName: TextOrNull,
  },
  { $id: 'Wallet', ...closed },
)

const EnrichmentMerchant = Type.Object(
  { id: Uuid, name: Text, logoUrl: TextOrNull },
  { $id: 'EnrichmentMerchant', ...closed },
)

const EnrichmentCategory = Type.Object({ name: Text, logoUrl: TextOrNull }, { $id: 'EnrichmentCategory', ...closed })

const Area = Type.Object({ name: Text, value: Text }, { $id: 'Area', ...closed })

const EnrichmentAddress = Type.Object(
  { street: Text, city: Text, zip: Text, country: Text, areas: Type.Array(ref(Area)) },
  { $id: 'EnrichmentAddress', ...closed },
)

const double = Type.Number({ format: 'double' })
const EnrichmentCoordinates = Type.Object(
  { latitude: double, longitude: double, accuracy: Text, zoom: Int32 },
  { $id: 'EnrichmentCoordinates', ...closed },
)

const EnrichmentShop = Type.Object(
  {
    id: Uuid,
    type: Text,
    category: nullable(ref(EnrichmentCategory)),
    tags: Type.Array(Text),
    address: nullable(ref(EnrichmentAddress)),
    coordinates: nullable(ref(EnrichmentCoordinates)),
    url: TextOrNull,
    googlePlaceId: TextOrNull,
    phoneNumber: TextOrNull,
  },
  { $id: 'EnrichmentShop', ...closed },
)

const Enrichment = Type.Object(
  {
    status: oneOf(['matched', 'unmatched', 'pending', 'unavailable']),
    merchant: nullable(ref(EnrichmentMerchant)),
    shop: nullable(ref(EnrichmentShop)),
  },
  { $id: 'Enrichment', ...closed },
)

export const CardTransactionItem = Type.Object(
  {
    type: Type.Literal('card_transaction'),
    id: Text,
    status: oneOf(['pending', 'settled', 'cancelled', 'declined']),
    amount: Amount,
    currency: CurrencyCode,
    decimals: Int32,
    originalAmount: Amount,
    originalCurrency: CurrencyCode,
    originalDecimals: Int32,
    isCredit: Type.Boolean(),
    createdAt: DateTime,
    updatedAt: DateTime,
    description: Text,
    authorizationId: Type.Integer({ format: 'int64', description: 'At most 2^53 - 1.' }),
    mcc: Text,
    authorizationCode: Text,
    merchant: ref(Merchant),
    entryMode: Text,
    billing: ref(Billing),
    transactionCurrency: ref(CurrencyMetadata),
    cardId: Uuid,
    cardToken: TextOrNull,
    clearedAt: nullable(DateTime),
    isPending: Type.Boolean(),
    kind: oneOf(['Payment', 'Refund', 'Reversal']),
    transactions: Type.Array(ref(ExecutionDetail)),
    declineReason: nullable(ref(DeclineReason)),
    wallet: nullable(ref(Wallet)),
    enrichment: Type.Optional(nullable(ref(Enrichment))),
  },
  { $id: 'CardTransactionItem', ...closed, examples: [examplePayment] },
)
export type CardTransactionItem = Static<typeof CardTransactionItem>

export const DepositItem = Type.Object(
  {
    type: Type.Literal('deposit'),
    id: Text,
    status: oneOf(['pending', 'approved', 'rejected']),
    amount: Amount,
    currency: Type.String({ description: 'The symbol of the stablecoin.', examples: ['EURe'] }),
    decimals: Int32,
    fiatCurrency: CurrencyCode,
    isCredit: Type.Boolean(),
    createdAt: DateTime,
    description: Text,
    txHash: TxHash,
    fromAddress: Address,
    chainId: Int32,
  },
  { $id: 'DepositItem', ...closed, examples: [exampleDeposit] },
)
export type DepositItem = Static<typeof DepositItem>

export const WithdrawalItem = Type.Object(
  {
    type: Type.Literal('withdrawal'),
    id: Text,
    status: oneOf(['pending', 'processing', 'completed', 'failed']),
    amount: Amount,
    currency: Type.String({ description: 'The symbol of the stablecoin.', examples: ['EURe'] }),
    decimals: Int32,
    fiatCurrency: CurrencyCode,
    isCredit: Type.Boolean(),
    createdAt: DateTime,
    description: Text,
    txHash: nullable(TxHash),
    toAddress: Address,
    chainId: Int32,
  },
  { $id: 'WithdrawalItem', ...closed, examples: [exampleWithdrawal] },
)
export type WithdrawalItem = Static<typeof WithdrawalItem>

export type StatementItem = CardTransactionItem | DepositItem | WithdrawalItem

/** The mapping is explicit, since client generators would otherwise expect the schema names as values of `type`. */
export const StatementItem = Type.Unsafe<StatementItem>({
  $id: 'StatementItem',
  oneOf: [ref(CardTransactionItem), ref(DepositItem), ref(WithdrawalItem)],
  discriminator: {
    propertyName: 'type',
    mapping: {
      card_transaction: '#/components/schemas/CardTransactionItem',
      deposit: '#/components/schemas/DepositItem',
      withdrawal: '#/components/schemas/WithdrawalItem',
    },
  },
})

export const statementItemSchemas = [
  Merchant,
  CurrencyMetadata,
  Billing,
  ExecutionDetail,
  DeclineReason,
  Wallet,
  EnrichmentMerchant,
  EnrichmentCategory,
  Area,
  EnrichmentAddress,
  EnrichmentCoordinates,
  EnrichmentShop,
  Enrichment,
  CardTransactionItem,
  DepositItem,
  WithdrawalItem,
  StatementItem,
]
