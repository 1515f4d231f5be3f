import { expectTypeOf, test } from 'vitest'
import {
  type Account,
  type Card,
  type CardTransactionItem,
  createPurser,
  type ErrorCode,
  type PurserError,
  type StatementItem,
  type StatementPage,
  type WebhookEvent,
} from '../../../client/src/index.ts'

/** The compiler checks these expectations. The calls are never made. */
const purser = createPurser({ baseUrl: 'http://localhost' })

test('operations have the types of the OpenAPI document', () => {
  expectTypeOf(purser.cards.get).returns.resolves.toEqualTypeOf<Card>()
  expectTypeOf(purser.cards.get).parameter(0).toEqualTypeOf<string>()
  expectTypeOf(purser.cards.create).parameter(0).toEqualTypeOf<{ cardName: string; phone?: string }>()
  expectTypeOf(purser.account.create).returns.resolves.toEqualTypeOf<Account>()
  expectTypeOf(purser.statement.list).returns.resolves.toEqualTypeOf<StatementPage>()
  expectTypeOf(purser.auth.createNonce).returns.resolves.toEqualTypeOf<string>()
  expectTypeOf(purser.request).returns.resolves.toEqualTypeOf<unknown>()
  expectTypeOf<{ phone: string }>().not.toExtend<Parameters<typeof purser.cards.create>[0]>()
})

test('fields with a default are optional in a request', () => {
  type Endpoint = Parameters<typeof purser.partner.webhooks.create>[0]
  expectTypeOf<{ url: string }>().toExtend<Endpoint>()
  type Challenge = Parameters<typeof purser.auth.createToken>[0]
  expectTypeOf<{ message: string; signature: string }>().toExtend<Challenge>()
})

test('lists are iterable, and their items have types', () => {
  expectTypeOf(purser.statement.list().toArray).returns.resolves.toEqualTypeOf<StatementItem[]>()
  type Item = StatementItem & { type: 'card_transaction' }
  expectTypeOf<Item>().toExtend<CardTransactionItem>()
  expectTypeOf(purser.cards.list()[Symbol.asyncIterator]).returns.toEqualTypeOf<AsyncGenerator<Card>>()
})

test('webhook events are discriminated by their type', () => {
  const amountOf = (event: WebhookEvent) => (event.type === 'deposit.approved' ? event.data.amount : null)
  expectTypeOf(amountOf).returns.toEqualTypeOf<string | null>()
  type CardCreated = Extract<WebhookEvent, { type: 'card.created' }>
  expectTypeOf<CardCreated['data']['cardId']>().toEqualTypeOf<string>()
})

test('the type of error codes is a union of the known codes, not any string', () => {
  expectTypeOf<PurserError['code']>().toEqualTypeOf<ErrorCode>()
  expectTypeOf<'CARD_NOT_FOUND' | 'RATE_LIMITED' | 'VALIDATION' | 'TIMEOUT'>().toExtend<ErrorCode>()
  expectTypeOf<string>().not.toExtend<ErrorCode>()
})
