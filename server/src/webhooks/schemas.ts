import { type TSchema, Type } from 'typebox'
import { cardStatuses } from '../cards/cards/rules.ts'
import { type EventType, eventTypes } from '../events/rules.ts'
import { kycStatuses } from '../lib/kyc-status.ts'
import { accountStatuses } from '../lib/user-status.ts'
import { Address, Amount, DateTime, nullable, oneOf, Uuid } from '../platform/http/schemas.ts'
import { CardTransactionItem, DepositItem, WithdrawalItem } from '../statement-items/schemas.ts'

/** The schemas of all events. The events of one resource share a schema and differ only in `type`. */

const eventIdPattern = '^evt_[0-9a-f]{32}$'
export const AfterEvent = Type.String({ pattern: eventIdPattern, description: 'Returns the events after this event.' })
export const EventId = Type.String({
  pattern: eventIdPattern,
  description: 'Identifies the event in every delivery and retry. Ignore an event whose id you have already processed.',
  examples: ['evt_01a1fc4ef39c748ab04f9ca8209a4d4a'],
})

export const EventTypeSchema = oneOf(eventTypes, { title: 'EventType' })

export const TestMark = Type.Literal(true, {
  title: 'TestMark',
  description: 'Present only in a test event, whose data is invented. Do not process it.',
})

const ofUser = {
  userId: Uuid,
  accountId: nullable(Uuid),
  sequence: Type.Integer({
    title: 'EventSequence',
    minimum: 1,
    description:
      "Numbers the user's events from 1, without gaps. An `account.balance.changed` event repeats the number of the event that caused it.",
  }),
}

type DocumentedEvent = {
  readonly $id: string
  readonly summary: string
  readonly detail: string | null
}

function documentEvent(
  $id: string,
  summary: string,
  isOne: (type: EventType) => boolean,
  fields: Record<string, TSchema>,
  detail: string | null = null,
) {
  const types = eventTypes.filter(isOne)
  const data = Type.Object(fields, { additionalProperties: false })
  const properties = { id: EventId, type: oneOf(types), createdAt: DateTime, test: Type.Optional(TestMark), data }
  const documented: DocumentedEvent = { $id, summary, detail }
  return { ...documented, schema: Type.Object(properties, { $id, additionalProperties: false }) }
}

const isOf = (resource: string) => (type: EventType) => type.startsWith(`${resource}.`)
const isOfCard = isOf('card')
const isOfCardTransaction = isOf('card.transaction')
const Currency = Type.String({ examples: ['EUR'] })

const CurrencyBalances = Type.Object({
  currency: Currency,
  decimals: Type.Integer({ examples: [18] }),
  spendable: Amount,
  nonSpendable: Amount,
  processingDeposits: Amount,
  processingWithdrawals: Amount,
})

const catalog = [
  documentEvent(
    'AccountEvent',
    'An account was opened, or its status changed',
    (type) => isOf('account')(type) && type !== 'account.balance.changed',
    { ...ofUser, address: Address, currency: Currency, status: oneOf(accountStatuses) },
  ),
  documentEvent(
    'AccountBalanceEvent',
    'The balances of an account changed',
    (type) => type === 'account.balance.changed',
    {
      ...ofUser,
      reason: EventTypeSchema,
      referenceId: Type.String({ pattern: eventIdPattern, description: 'Id of the event that changed the balances.' }),
      balances: Type.Array(CurrencyBalances),
    },
    'Changes in quick succession are combined into one event.',
  ),
  documentEvent('KycEvent', "The status of a user's identity verification changed", isOf('kyc'), {
    ...ofUser,
    status: oneOf(kycStatuses),
  }),
  documentEvent(
    'DepositEvent',
    'A deposit was detected, or its statement item changed',
    isOf('deposit'),
    { ...ofUser, ...DepositItem.properties },
    'Contains the statement item of the deposit.',
  ),
  documentEvent(
    'WithdrawalEvent',
    'A withdrawal was requested, or its statement item changed',
    isOf('withdrawal'),
    { ...ofUser, ...WithdrawalItem.properties },
    'Contains the statement item of the withdrawal.',
  ),
  documentEvent(
    'CardEvent',
    'A card was created, or its status changed',
    (type) => isOfCard(type) && !isOfCardTransaction(type),
    {
      ...ofUser,
      cardId: Uuid,
      type: Type.Literal('virtual'),
      status: oneOf(cardStatuses),
      last4: nullable(Type.String()),
      currency: Currency,
    },
  ),
  documentEvent(
    'CardTransactionEvent',
    'A card transaction was recorded, or its statement item changed',
    isOfCardTransaction,
    { ...ofUser, ...CardTransactionItem.properties },
    'Contains the statement item of the card transaction.',
  ),
  documentEvent(
    'WebhookEndpointEvent',
    "One of the partner's webhook endpoints was disabled",
    isOf('webhook'),
    { endpointId: Uuid, url: Type.String(), reason: oneOf(['failing', 'gone']) },
    'Purser disables an endpoint after three days of failed attempts (`failing`), or after a response of 410 (`gone`).',
  ),
]

export const eventSchemas = catalog.map(({ schema }) => schema)

/** Returns the section `webhooks` of the OpenAPI document. */
export function documentedWebhooks(): Record<string, object> {
  return Object.fromEntries(catalog.map((each) => [each.$id, { post: documentedPost(each) }]))
}

function documentedPost({ $id, summary, detail }: DocumentedEvent): object {
  return {
    tags: ['Webhooks'],
    operationId: `on${$id}`,
    summary,
    ...(detail === null ? {} : { description: detail }),
    security: [],
    parameters: signatureHeaders,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${$id}` } } },
    },
    responses: {
      '2XX': { description: 'The event was accepted. Respond within 15 seconds.' },
      '410': { description: 'The delivery becomes a dead letter, and Purser disables the endpoint.' },
      '4XX': {
        description:
          'The event was rejected. The delivery becomes a dead letter, which is not retried unless requested. 408 and 429 are retried.',
      },
      default: { description: 'The attempt failed. Purser retries the delivery for three days.' },
    },
  }
}

const signatureHeaders = [
  ['webhook-id', 'Id of the event.'],
  ['webhook-timestamp', 'Time of this attempt in Unix seconds.'],
  [
    'webhook-signature',
    'Standard Webhooks signatures of `<id>.<timestamp>.<body>`, separated by spaces: `v1a,` followed by the Ed25519 signature, and `v1,` followed by the HMAC-SHA256, both in base64. During a key rotation, the old keys add their own pairs.',
  ],
  ['x-webhook-timestamp', 'The same value as `webhook-timestamp`.'],
  ['x-webhook-signature', 'Ed25519 signature of `<timestamp>.<body>` by the newest key, in base64.'],
].map(([name, description]) => ({ name, in: 'header', required: true, description, schema: { type: 'string' } }))
