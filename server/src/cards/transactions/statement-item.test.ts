import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import { expect, test } from 'vitest'
import { sharedSchemas } from '../../platform/http/schemas.ts'
import { statementItemSchemas } from '../../statement-items/schemas.ts'
import { type CardTransaction, cardStatementItem } from './statement-item.ts'

const paid: CardTransaction = {
  cardTransactionId: '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a',
  cardId: '01a1fc4e-f39c-748a-b04f-9ca8209a4d4b',
  cardToken: null,
  authorizationId: 2n ** 53n - 1n,
  authorizationCode: 'ABC123',
  kind: 'Payment',
  status: 'settled',
  isCredit: false,
  currency: 'EUR',
  amountMinor: 625n,
  originalCurrency: 'JPY',
  originalAmountMinor: 1000n,
  merchantName: 'Café',
  merchantCity: null,
  merchantCountry: 'JP',
  mcc: '5812',
  entryMode: 'ecommerce',
  declineCode: null,
  linkedId: null,
  needsReview: false,
  createdAt: new Date('2026-01-01T00:00:00.120Z'),
  updatedAt: new Date('2026-01-02T00:00:00.000Z'),
  clearedAt: new Date('2026-01-02T00:00:00.000Z'),
}

const ajv = new Ajv({ strict: false })
formats.default(ajv)
for (const schema of [...sharedSchemas, ...statementItemSchemas]) ajv.addSchema(schema)
const isItem = ajv.compile({ $ref: 'StatementItem#' })

test('a card statement item has every required field of its schema, in order', () => {
  const item = cardStatementItem(paid)
  expect(isItem(item), JSON.stringify(isItem.errors)).toBe(true)
  expect(Object.keys(item).join(' ')).toBe(
    'type id status amount currency decimals originalAmount originalCurrency originalDecimals isCredit createdAt updatedAt description authorizationId mcc authorizationCode merchant entryMode billing transactionCurrency cardId cardToken clearedAt isPending kind transactions declineReason wallet',
  )
})

test('a card statement item shows each amount in its own currency and decimals', () => {
  expect(cardStatementItem(paid)).toMatchObject({
    amount: '625',
    currency: 'EUR',
    decimals: 2,
    originalAmount: '1000',
    originalCurrency: 'JPY',
    originalDecimals: 0,
    authorizationId: Number.MAX_SAFE_INTEGER,
    billing: { billingAmount: '625', billingCurrency: { symbol: '€', code: 'EUR', decimals: 2, name: 'Euro' } },
    transactionCurrency: { symbol: '¥', code: 'JPY', decimals: 0, name: 'Japanese Yen' },
  })
})

test('a card statement item has its times of creation, change and clearing to the millisecond', () => {
  expect(cardStatementItem({ ...paid, updatedAt: new Date('2026-01-03T00:00:00.007Z') })).toMatchObject({
    createdAt: '2026-01-01T00:00:00.120Z',
    updatedAt: '2026-01-03T00:00:00.007Z',
    clearedAt: '2026-01-02T00:00:00.000Z',
  })
})

test('a currency without a known name is shown by its code', () => {
  const { transactionCurrency } = cardStatementItem({ ...paid, originalCurrency: 'XTS' })
  expect(transactionCurrency).toEqual({ symbol: null, code: 'XTS', decimals: 2, name: null })
})

test('a declined card transaction has its decline reason and is not pending', () => {
  const item = cardStatementItem({ ...paid, status: 'declined', declineCode: '810', clearedAt: null })
  expect(isItem(item)).toBe(true)
  expect(item).toMatchObject({
    isPending: false,
    clearedAt: null,
    declineReason: { code: '810', message: 'Insufficient balance' },
  })
})

test('only a card transaction with the status pending is pending', () => {
  for (const status of ['pending', 'settled', 'cancelled', 'declined'] as const) {
    expect(cardStatementItem({ ...paid, status }).isPending).toBe(status === 'pending')
  }
})
