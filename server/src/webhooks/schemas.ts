import { type TSchema, Type } from 'typebox'
import { cardStatuses } from '../cards/cards/rules.ts'
import { type EventType, eventTypes } from '../events/rules.ts'
import { kycStatuses } from '../lib/kyc-status.ts'
import { accountStatuses } from '../lib/user-status.ts'
import { Address, Amount, DateTime, nullable, oneOf, Uuid } from '../platform/http/schemas.ts'
import { CardTransactionItem, DepositItem, WithdrawalItem } from '../statement-items/schemas.ts'

/** What each event says: one schema for all events of a thing, which differ in `type` only. */

const eventIdPattern = '^evt_[0-9a-f]{32}$'
export const LastEvent = Type.String({ pattern: eventIdPattern, description: 'The id of the last event known.' })
export const EventId = Type.String({
  pattern: eventIdPattern,
  description: 'The same however often and to whomever it is sent: what has an id that is known was sent again.',
  examples: ['evt_01a1fc4ef39c748ab04f9ca8209a4d4a'],
})

const ofUser = {
  userId: Uuid,
  accountId: nullable(Uuid),
  sequence: Type.Integer({
    minimum: 1,
    description: "Counts the facts about the user, without a gap. `account.balance.changed` has its cause's.",
  }),
}

type Documented = { readonly $id: string; readonly types: readonly EventType[]; readonly about: string }

function documentEvent(
  $id: string,
  about: string,
  isOne: (type: EventType) => boolean,
  fields: Record<string, TSchema>,
) {
  const types = eventTypes.filter(isOne)
  const data = Type.Object(fields, { additionalProperties: false })
  const properties = { id: EventId, type: oneOf(types), createdAt: DateTime, data }
  const documented: Documented = { $id, types, about }
  return { ...documented, schema: Type.Object(properties, { $id, additionalProperties: false }) }
}

const isOf = (thing: string) => (type: EventType) => type.startsWith(`${thing}.`)
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

const catalogue = [
  documentEvent(
    'AccountEvent',
    'An account was opened, or its state has changed.',
    (type) => isOf('account')(type) && type !== 'account.balance.changed',
    { ...ofUser, address: Address, currency: Currency, status: oneOf(accountStatuses) },
  ),
  documentEvent(
    'AccountBalanceEvent',
    'The balances are others than was last said. Changes that come close together are told at once.',
    (type) => type === 'account.balance.changed',
    {
      ...ofUser,
      reason: oneOf(eventTypes, { description: 'The type of the event that it follows.' }),
      referenceId: EventId,
      balances: Type.Array(CurrencyBalances),
    },
  ),
  documentEvent('KycEvent', "The state of a user's identity verification has changed.", isOf('kyc'), {
    ...ofUser,
    status: oneOf(kycStatuses),
  }),
  documentEvent('DepositEvent', 'A deposit, as the statement shows it from now on.', isOf('deposit'), {
    ...ofUser,
    ...DepositItem.properties,
  }),
  documentEvent('WithdrawalEvent', 'A withdrawal, as the statement shows it from now on.', isOf('withdrawal'), {
    ...ofUser,
    ...WithdrawalItem.properties,
  }),
  documentEvent(
    'CardEvent',
    'A card was made, or its state has changed.',
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
    'A card transaction, as the statement shows it from now on.',
    isOfCardTransaction,
    { ...ofUser, ...CardTransactionItem.properties },
  ),
  documentEvent(
    'WebhookEndpointEvent',
    "One of the partner's endpoints only failed for three days, or said that it is gone.",
    isOf('webhook'),
    { endpointId: Uuid, url: Type.String(), reason: oneOf(['failing', 'gone']) },
  ),
]

export const eventSchemas = catalogue.map(({ schema }) => schema)

/** The document's section of what is sent to partners. */
export function documentedWebhooks(): Record<string, object> {
  return Object.fromEntries(catalogue.map((each) => [each.$id, { post: documentedPost(each) }]))
}

function documentedPost({ $id, types, about }: Documented): object {
  return {
    tags: ['Webhooks'],
    operationId: `on${$id}`,
    summary: about,
    description: `Types: ${types.map((type) => `\`${type}\``).join(', ')}.`,
    security: [],
    parameters: signatureHeaders,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${$id}` } } },
    },
    responses: {
      '2XX': { description: 'Taken. Answer within 15 seconds.' },
      '410': { description: 'The endpoint is gone, and is disabled.' },
      '4XX': { description: 'Not taken, and not sent again by itself; except for 408 and 429.' },
      default: { description: 'Not taken, and sent again, over three days.' },
    },
  }
}

const signatureHeaders = [
  ['webhook-id', "The event's id."],
  ['webhook-timestamp', 'Unix seconds of this attempt.'],
  [
    'webhook-signature',
    'Standard Webhooks: `v1a,` Ed25519 and `v1,` HMAC-SHA256 over `<id>.<timestamp>.<body>`, base64, apart by spaces; of each key that signs while they change.',
  ],
  ['x-webhook-timestamp', 'The same as `webhook-timestamp`.'],
  ['x-webhook-signature', 'Ed25519 over `<timestamp>.<body>`, base64, of the newest key.'],
].map(([name, description]) => ({ name, in: 'header', required: true, description, schema: { type: 'string' } }))
