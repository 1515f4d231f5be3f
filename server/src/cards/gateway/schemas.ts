import { type Static, Type } from 'typebox'
import { Amount, DateTime, nullable, oneOf, ref, Uuid } from '../../platform/http/schemas.ts'
import { declineMessages, entryModes } from '../transactions/rules.ts'
import { approvedCodes, cardEventTypes, responseCodes } from './rules.ts'

const Minor = Type.Unsafe<string>({
  ...Amount,
  pattern: '^[0-9]{1,18}$',
  description: "Integer in the currency's minor unit (ISO 4217).",
})
const Currency = Type.String({ pattern: '^[A-Z]{3}$', examples: ['EUR'] })
const Text = Type.String({ maxLength: 200 })

/** The fields of every message: its event id and its card. */
const event = {
  eventId: Type.String({
    title: 'IssuerEventId',
    pattern: '^[!-~]{1,255}$',
    description: 'Identifies the message permanently. A retry with the same id gets the stored response.',
    examples: ['evt-7f3a91'],
  }),
  cardToken: Type.Optional(
    Type.String({
      title: 'IssuerCardToken',
      pattern: '^[!-~]{1,200}$',
      description: "The processor's id of the card. Send this or `cardId`.",
    }),
  ),
  cardId: Type.Optional(Uuid),
}

const payment = {
  ...event,
  networkTransactionId: Type.Optional(
    Type.String({
      title: 'NetworkTransactionId',
      pattern: '^[!-~]{1,64}$',
      description: "The network's id of the card transaction. It links the messages of one card transaction.",
    }),
  ),
  authorizationCode: Type.Optional(
    Type.String({
      title: 'AuthorizationCode',
      pattern: '^[A-Za-z0-9]{6}$',
      description: 'The code in the response to the authorization.',
      examples: ['K3P9QX'],
    }),
  ),
  entryMode: Type.Optional(oneOf(entryModes)),
  merchant: Type.Optional(
    Type.Object(
      {
        name: Type.Optional(Text),
        city: Type.Optional(Text),
        country: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$', examples: ['DE'] })),
        categoryCode: Type.Optional(Type.String({ pattern: '^[0-9]{4}$', examples: ['5999'] })),
      },
      { title: 'IssuerMerchant' },
    ),
  ),
  billingAmount: Type.Optional(
    Type.Unsafe<string>({
      ...Minor,
      title: 'BillingAmount',
      description: "The amount billed to the card. Required if `currency` is not the card's currency.",
    }),
  ),
  billingCurrency: Type.Optional(Currency),
}

/** The fields of every message about a payment. */
const PaymentFields = Type.Object(payment, { $id: 'IssuerPaymentMessage' })

const amount = { amount: Minor, currency: Currency }

const example = { eventId: 'evt-7f3a91', cardToken: 'tok_4bd1c2', amount: '1250', currency: 'EUR' }

export const AuthorizationMessage = Type.Object(
  {
    type: oneOf(['authorization', 'incremental', 'replacement', 'single_message'], {
      description:
        'For a `replacement`, the amount is the new total. An `authorization` with the amount 0 checks the card.',
    }),
    ...payment,
    ...amount,
    partialAllowed: Type.Optional(Type.Boolean({ default: false })),
  },
  {
    $id: 'IssuerAuthorization',
    examples: [{ type: 'authorization', ...example, merchant: { name: 'Corner Shop', country: 'DE' } }],
  },
)

export const AdviceMessage = Type.Object(
  { type: oneOf(['advice']), ...payment, ...amount },
  { $id: 'IssuerAdvice', examples: [{ type: 'advice', ...example }] },
)

export const ReversalMessage = Type.Object(
  {
    type: oneOf(['reversal']),
    ...payment,
    amount: Type.Optional(Type.Unsafe<string>({ ...Minor, description: 'If omitted, reverses the whole hold.' })),
    currency: Type.Optional(Currency),
  },
  { $id: 'IssuerReversal', examples: [{ type: 'reversal', ...example, authorizationCode: 'K3P9QX' }] },
)

export const ClearingMessage = Type.Object(
  {
    type: oneOf(['clearing', 'clearing_cancellation']),
    ...payment,
    ...amount,
    isFinal: Type.Optional(
      Type.Boolean({ default: true, description: 'For a clearing: whether it is the last one of the authorization.' }),
    ),
  },
  { $id: 'IssuerClearing', examples: [{ type: 'clearing', ...example, authorizationCode: 'K3P9QX' }] },
)

export const RefundMessage = Type.Object(
  { type: oneOf(['refund', 'refund_reversal']), ...payment, ...amount },
  { $id: 'IssuerRefund', examples: [{ type: 'refund', ...example }] },
)

export const CardEvent = Type.Object(
  { type: oneOf(cardEventTypes), ...event, occurredAt: DateTime },
  {
    $id: 'IssuerCardEvent',
    examples: [{ type: 'lost', eventId: 'evt-91c0', cardToken: 'tok_4bd1c2', occurredAt: '2026-01-31T09:30:00.000Z' }],
  },
)
export type CardEvent = Static<typeof CardEvent>

/** Any message that moves money. */
export type PaymentMessage = Static<
  | typeof AuthorizationMessage
  | typeof AdviceMessage
  | typeof ReversalMessage
  | typeof ClearingMessage
  | typeof RefundMessage
>

export const MessageResponse = Type.Object(
  {
    eventId: Type.String(),
    outcome: oneOf(['approved', 'declined']),
    responseCode: oneOf([...new Set([...Object.values(approvedCodes), ...Object.values(responseCodes)])], {
      description: 'ISO 8583 data element 39.',
    }),
    authorizationCode: Type.Optional(Type.String({ description: 'Absent if the decision was too late.' })),
    authorizationId: Type.Optional(Type.Integer({ format: 'int64' })),
    approvedAmount: Type.Optional(
      Type.Unsafe<string>({
        ...Minor,
        description: 'The approved amount in `currency`. Present only with `partialAllowed`.',
      }),
    ),
    declineCode: Type.Optional(oneOf(Object.keys(declineMessages))),
    declineReason: Type.Optional(Type.String()),
  },
  { $id: 'IssuerMessageResponse' },
)
export type MessageResponse = Static<typeof MessageResponse>

export const FileResponse = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        line: Type.Integer({ description: 'Line number, from 1. Empty lines count but have no result.' }),
        eventId: nullable(Type.String()),
        status: Type.Integer({ description: 'The HTTP status that the message would get in a request of its own.' }),
        answer: Type.Optional(ref(MessageResponse)),
        error: Type.Optional(
          Type.String({ description: '`VALIDATION` for an invalid message, otherwise a code from docs/errors.md.' }),
        ),
        message: Type.Optional(Type.String()),
      }),
    ),
  },
  { $id: 'IssuerFileResponse' },
)
export type FileLine = Static<typeof FileResponse>['results'][number]

export const CardEventResponse = Type.Object(
  {
    eventId: Type.String(),
    cardId: Uuid,
    outcome: oneOf(['applied', 'outdated'], {
      description: '`outdated`: a newer event of the card has already been applied.',
    }),
    status: Type.String({ description: 'The status of the card after the event.' }),
  },
  { $id: 'IssuerCardEventResponse' },
)
export type CardEventResponse = Static<typeof CardEventResponse>

export const issuerSchemas = [
  PaymentFields,
  AuthorizationMessage,
  AdviceMessage,
  ReversalMessage,
  ClearingMessage,
  RefundMessage,
  CardEvent,
  MessageResponse,
  FileResponse,
  CardEventResponse,
]
