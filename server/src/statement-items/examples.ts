import { exampleAddress, exampleTxHash } from '../platform/http/schemas.ts'

/** One item of each kind, for the OpenAPI document. */

const euro = { symbol: '€', code: 'EUR', decimals: 2, name: 'Euro' }
const createdAt = '2026-01-31T09:30:00.000Z'
const clearedAt = '2026-02-01T04:00:00.000Z'

export const examplePayment = {
  type: 'card_transaction',
  id: '01a1ff9b-0862-73ca-88bc-12d7140fdceb',
  status: 'settled',
  amount: '999',
  currency: 'EUR',
  decimals: 2,
  originalAmount: '999',
  originalCurrency: 'EUR',
  originalDecimals: 2,
  isCredit: false,
  createdAt,
  updatedAt: clearedAt,
  description: 'Corner Shop',
  authorizationId: 8692092613930096,
  mcc: '5411',
  authorizationCode: '9KVXXC',
  merchant: { name: 'Corner Shop', city: 'Berlin', country: 'DE', categoryCode: '5411' },
  entryMode: 'ecommerce',
  billing: { billingAmount: '999', billingCurrency: euro },
  transactionCurrency: euro,
  cardId: '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a',
  cardToken: 'sandbox-6a413dcac7d314bd6fba843a28b4b476',
  clearedAt,
  isPending: false,
  kind: 'Payment',
  transactions: [],
  declineReason: null,
  wallet: null,
}

export const exampleDeposit = {
  type: 'deposit',
  id: '01a1ff9b-066b-7593-a706-396e63e8a038',
  status: 'approved',
  amount: '25000000000000000000',
  currency: 'EURe',
  decimals: 18,
  fiatCurrency: 'EUR',
  isCredit: true,
  createdAt,
  description: 'Deposit of EURe',
  txHash: exampleTxHash,
  fromAddress: exampleAddress,
  chainId: 100,
}

export const exampleWithdrawal = {
  type: 'withdrawal',
  id: '01a1ff9b-0899-71bb-8a57-663065ac3cf4',
  status: 'pending',
  amount: '5000000000000000000',
  currency: 'EURe',
  decimals: 18,
  fiatCurrency: 'EUR',
  isCredit: false,
  createdAt,
  description: 'Withdrawal of EURe',
  txHash: null,
  toAddress: exampleAddress,
  chainId: 100,
}
