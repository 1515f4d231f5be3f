import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { findUserOfCard } from '../cards/cards/cards.ts'
import type { NetworkMessage } from '../cards/transactions/messages.ts'
import { cleanCity, declineMessages, type MessageType, messageTypes } from '../cards/transactions/rules.ts'
import { receiveMessage } from '../cards/transactions/transactions.ts'
import type { Ctx } from '../context.ts'
import { InvalidInput } from '../lib/errors.ts'
import { newId } from '../lib/id.ts'
import { type Currency, formatMajor, minorDigits, parseMajor } from '../lib/money.ts'
import { oneOf, plainErrors, Uuid } from '../platform/http/schemas.ts'
import { KeyHeader, respondOnce, respondOnceWithLease, sandboxScope } from '../platform/idempotency/idempotency.ts'
import { sendThrough } from './faults.ts'

const MajorAmount = Type.String({
  maxLength: 40,
  description: "Major units, at most the currency's digits.",
  examples: ['12.50'],
})

const Fault = Type.Object(
  {
    reorder: Type.Optional(
      Type.Literal(true, { description: 'Held back until another message of the card was taken, at most 20 s.' }),
    ),
    delay_seconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 20, description: 'The message arrives that much later.' }),
    ),
    duplicate: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 20, description: 'So many further copies arrive at the same time.' }),
    ),
    crash: Type.Optional(
      oneOf(['after_commit'], {
        description: 'The service kills its own process (SIGKILL) after the commit and before the answer.',
      }),
    ),
    drop: Type.Optional(
      oneOf(['request', 'answer'], {
        description: 'The message never arrives, or its answer does not: 502 either way.',
      }),
    ),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    description: 'What the network does to the message. Name an `event_id` to send it again.',
    examples: [{ duplicate: 3 }],
  },
)

const Body = Type.Object(
  {
    transaction_type: oneOf(messageTypes),
    card_id: Uuid,
    amount: Type.Optional(MajorAmount),
    currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$', examples: ['EUR'] })),
    authorization_code: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9]{6}$', description: 'Six letters or digits; made up when left out.' }),
    ),
    replacement_amount: Type.Optional(MajorAmount),
    final: Type.Optional(Type.Boolean({ default: true, description: 'Of a clearing: no more will come.' })),
    partial_allowed: Type.Optional(Type.Boolean({ default: false })),
    merchant_name: Type.Optional(Type.String({ maxLength: 200, examples: ['Test Merchant'] })),
    merchant_city: Type.Optional(Type.String({ maxLength: 200 })),
    merchant_code: Type.Optional(Type.String({ pattern: '^[0-9]{4}$', examples: ['5999'] })),
    merchant_country: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$', examples: ['DE'] })),
    event_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'A repeated event gets the stored answer.' }),
    ),
    fault: Type.Optional(Fault),
  },
  {
    examples: [
      {
        transaction_type: 'authorization',
        card_id: '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a',
        amount: '12.50',
        currency: 'EUR',
        merchant_name: 'Corner Shop',
      },
    ],
  },
)

const Answer = Type.Object({
  status: oneOf(['approved', 'denied']),
  authorization_code: Type.String(),
  authorization_id: Type.Integer({ format: 'int64' }),
  approved_amount: Type.Optional(Type.String({ description: 'Where `partial_allowed`: what was approved.' })),
  denial_code: Type.Optional(oneOf(Object.keys(declineMessages))),
  denial_reason: Type.Optional(Type.String()),
})

const Rates = Type.Object({
  data: Type.Array(
    Type.Object({ currency: Type.String(), rate: Type.String({ description: 'Of the currency for one euro.' }) }),
  ),
})

const operation = { tags: ['Sandbox'] }

export function sandboxTransactionRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.post(
    '/sandbox/transactions',
    {
      config: { access: 'sandbox' },
      schema: {
        headers: KeyHeader,
        ...operation,
        summary: 'Send a card network message',
        description:
          'Plays the card network. Amounts are in major units of `currency` and are converted at the rates of `GET /sandbox/rates`. A message about an earlier authorization names its `authorization_code`; messages may come in any order.',
        operationId: 'sandboxSendTransaction',
        body: Body,
        response: {
          200: { description: 'What the network is answered.', content: { 'application/json': { schema: Answer } } },
          ...plainErrors(
            400,
            'CARD_NOT_FOUND',
            'AUTHORIZATION_NOT_FOUND',
            'AUTHORIZATION_CODE_USED',
            'EVENT_ID_REUSED',
            'REQUEST_IN_PROGRESS',
            'AMOUNT_EXCEEDS_ORIGINAL',
            'CURRENCY_NOT_SUPPORTED',
            'IDEMPOTENCY_KEY_REUSED',
            502,
          ),
        },
      },
    },
    async (request, reply) => {
      const { fault } = request.body
      if (fault !== undefined) {
        return respondOnceWithLease(ctx, request, reply, sandboxScope, async (refId) => ({
          status: 200,
          body: await sendThrough(ctx, networkMessage(request.body, refId), fault),
        }))
      }
      const message = networkMessage(request.body, newId(ctx.clock.now()))
      return respondOnce(ctx, request, reply, sandboxScope, async (tx) => ({
        status: 200,
        body: await receiveMessage(ctx, tx, await findUserOfCard(tx, message.cardId), message),
      }))
    },
  )

  app.get(
    '/sandbox/rates',
    {
      config: { access: 'sandbox' },
      schema: {
        ...operation,
        summary: 'The exchange rates of the sandbox network',
        operationId: 'sandboxGetRates',
        response: {
          200: { description: 'The fixed rates.', content: { 'application/json': { schema: Rates } } },
        },
      },
    },
    async () => ({ data: [...(ctx.rates?.current() ?? [])].map(rateRecord) }),
  )
}

function rateRecord([currency, millionths]: readonly [Currency, bigint]) {
  return { currency, rate: formatMajor(millionths, 6) }
}

/** Messages about an authorization that only its code can name. */
const needsCode: ReadonlySet<MessageType> = new Set([
  'incremental',
  'replacement',
  'reversal',
  'clearing_cancellation',
  'refund_reversal',
  'expiry',
])

function networkMessage(body: Static<typeof Body>, ownEventId: string): NetworkMessage {
  const type = body.transaction_type
  if (needsCode.has(type) && body.authorization_code === undefined) {
    throw new InvalidInput(`body/authorization_code is needed for ${type}`)
  }
  return {
    source: 'sandbox',
    eventId: body.event_id ?? ownEventId,
    type,
    cardId: body.card_id.toLowerCase(),
    authorizationCode: body.authorization_code ?? null,
    amount: amountOf(body, type),
    isFinal: body.final ?? true,
    isPartialAllowed: type === 'authorization' && (body.partial_allowed ?? false),
    merchant: {
      name: body.merchant_name?.trim() || null,
      city: cleanCity(body.merchant_city),
      country: body.merchant_country ?? null,
      mcc: body.merchant_code ?? null,
    },
  }
}

function amountOf(body: Static<typeof Body>, type: MessageType): NetworkMessage['amount'] {
  const field = type === 'replacement' ? 'replacement_amount' : 'amount'
  const text = body[field]
  if (type === 'expiry' || (type === 'reversal' && text === undefined)) return null
  if (text === undefined) throw new InvalidInput(`body/${field} is needed for ${type}`)
  const { currency } = body
  if (currency === undefined) throw new InvalidInput('body/currency is needed with an amount')
  const minor = parseMajor(text, minorDigits(currency))
  if (minor === null) {
    throw new InvalidInput(
      `body/${field} must be a decimal text with at most ${minorDigits(currency)} digits after the point`,
    )
  }
  return { currency, minor }
}
