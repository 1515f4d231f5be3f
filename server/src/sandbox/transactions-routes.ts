import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { readHistoryOfAnyUser } from '../card-history/card-history.ts'
import { WholeHistoryRecord, wholeHistoryRecord } from '../card-history/schemas.ts'
import { findUserOfCard } from '../cards/cards/cards.ts'
import type { CardDecision, CardMessage, Merchant } from '../cards/transactions/messages.ts'
import { receiveMessage } from '../cards/transactions/receive.ts'
import {
  cleanCity,
  type DeclineCode,
  declineMessages,
  type MessageType,
  messageTypes,
} from '../cards/transactions/rules.ts'
import type { Ctx } from '../context.ts'
import { InvalidInput } from '../lib/errors.ts'
import { newId } from '../lib/id.ts'
import { type Currency, formatMajor, minorDigits, parseMajor } from '../lib/money.ts'
import { oneOf, plainErrors, Uuid } from '../platform/http/schemas.ts'
import { KeyHeader, respondOnce, respondOnceWithLease, sandboxScope } from '../platform/idempotency/idempotency.ts'
import { sendThrough } from './faults.ts'

const MajorAmount = Type.String({
  maxLength: 40,
  description: "Decimal amount in major units, with at most the currency's number of decimal places.",
  examples: ['12.50'],
})

const Fault = Type.Object(
  {
    reorder: Type.Optional(
      Type.Literal(true, {
        description: 'Holds the message back until another message of the card has arrived, for at most 20 seconds.',
      }),
    ),
    delay_seconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 20, description: 'Delays the message by this many seconds.' }),
    ),
    duplicate: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 20, description: 'Sends this many further copies at the same time.' }),
    ),
    crash: Type.Optional(
      oneOf(['after_commit'], {
        description: 'Kills the service (SIGKILL) after the commit and before the response.',
      }),
    ),
    restart: Type.Optional(
      Type.Literal(true, { description: 'With `crash`: starts the service again at once, as a supervisor would.' }),
    ),
    drop: Type.Optional(
      oneOf(['request', 'answer'], {
        description: 'Loses the message, or its response. Either way the result is a 502.',
      }),
    ),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    description: 'Network faults to simulate. Set an `event_id` to be able to retry the message.',
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
      Type.String({ pattern: '^[A-Za-z0-9]{6}$', description: 'Six letters or digits. Generated if omitted.' }),
    ),
    replacement_amount: Type.Optional(MajorAmount),
    final: Type.Optional(
      Type.Boolean({ default: true, description: 'For a clearing: whether it is the last one of the authorization.' }),
    ),
    partial_allowed: Type.Optional(Type.Boolean({ default: false })),
    merchant_name: Type.Optional(Type.String({ maxLength: 200, examples: ['Test Merchant'] })),
    merchant_city: Type.Optional(Type.String({ maxLength: 200 })),
    merchant_code: Type.Optional(Type.String({ pattern: '^[0-9]{4}$', examples: ['5999'] })),
    merchant_country: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$', examples: ['DE'] })),
    event_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'A retry with the same id gets the stored response.' }),
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

const Decision = Type.Object({
  status: oneOf(['approved', 'denied']),
  authorization_code: Type.String(),
  authorization_id: Type.Integer({ format: 'int64' }),
  approved_amount: Type.Optional(
    Type.String({ description: 'The approved amount. Present only with `partial_allowed`.' }),
  ),
  denial_code: Type.Optional(Type.Unsafe<DeclineCode>(oneOf(Object.keys(declineMessages)))),
  denial_reason: Type.Optional(Type.String()),
})

const Rates = Type.Object({
  data: Type.Array(
    Type.Object({ currency: Type.String(), rate: Type.String({ description: 'Units of the currency for one euro.' }) }),
  ),
})

const operation = { tags: ['Sandbox'] }

export function sandboxTransactionRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.post(
    '/sandbox/transactions',
    {
      config: { access: 'sandbox', keepsResponses: true },
      schema: {
        headers: KeyHeader,
        ...operation,
        summary: 'Send a card network message',
        description:
          'Simulates the card network. Amounts are in major units of `currency` and are converted at the rates of `GET /sandbox/rates`. A message about an earlier authorization names its `authorization_code`. Messages may arrive in any order.',
        operationId: 'sandbox.transactions.send',
        body: Body,
        response: {
          200: {
            description: 'The decision, as the network receives it.',
            content: { 'application/json': { schema: Decision } },
          },
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
        return respondOnceWithLease(ctx, request, reply, sandboxScope, async (refId) => {
          const message = cardMessage(request.body, refId)
          return { status: 200, body: responseOf(message, await sendThrough(ctx, message, fault)) }
        })
      }
      const message = cardMessage(request.body, newId(ctx.clock.now()))
      return respondOnce(ctx, request, reply, sandboxScope, async (tx) => {
        const userId = await findUserOfCard(tx, message.cardId)
        return { status: 200, body: responseOf(message, await receiveMessage(ctx, tx, userId, message)) }
      })
    },
  )

  app.get(
    '/sandbox/card-transactions/:cardTransactionId',
    {
      config: { access: 'sandbox' },
      schema: {
        ...operation,
        summary: 'Get the whole history of a card transaction',
        description:
          'Returns the response of `GET /user/card-transactions/{cardTransactionId}`, with the movements and events that the card transaction caused.',
        operationId: 'sandbox.cardTransactions.get',
        params: Type.Object({ cardTransactionId: Uuid }),
        response: { 200: WholeHistoryRecord, ...plainErrors(400, 'CARD_TRANSACTION_NOT_FOUND') },
      },
    },
    async (request) => wholeHistoryRecord(await readHistoryOfAnyUser(ctx, request.params.cardTransactionId)),
  )

  app.get(
    '/sandbox/rates',
    {
      config: { access: 'sandbox' },
      schema: {
        ...operation,
        summary: 'List the exchange rates of the simulator',
        operationId: 'sandbox.rates.list',
        response: {
          200: { description: 'The fixed exchange rates.', content: { 'application/json': { schema: Rates } } },
        },
      },
    },
    async () => ({ data: [...(ctx.rates?.current() ?? [])].map(rateRecord) }),
  )
}

function rateRecord([currency, millionths]: readonly [Currency, bigint]) {
  return { currency, rate: formatMajor(millionths, 6) }
}

/** These messages refer to an earlier one, which they name by its authorization code. */
const needsCode: ReadonlySet<MessageType> = new Set([
  'incremental',
  'replacement',
  'reversal',
  'clearing_cancellation',
  'refund_reversal',
  'expiry',
])

function cardMessage(body: Static<typeof Body>, ownEventId: string): CardMessage {
  const type = body.transaction_type
  if (needsCode.has(type) && body.authorization_code === undefined) {
    throw new InvalidInput(`body/authorization_code is required for ${type}`)
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
    fallbackMerchant: testMerchant,
    rejectsUnmatchedRefund: true,
  }
}

const testMerchant: Merchant = {
  merchantName: 'Test Merchant',
  merchantCity: null,
  merchantCountry: 'DE',
  mcc: '5999',
}

/** Renders a decision as the simulator's callers read it. The same decision always gives the same bytes. */
function responseOf({ amount }: CardMessage, decision: CardDecision): Static<typeof Decision> {
  const { declineCode, approvedAmount, authorizationCode } = decision
  // Below 2^53, so a JSON number holds it exactly.
  const named = { authorization_code: authorizationCode, authorization_id: Number(decision.authorizationId) }
  if (declineCode !== null) {
    return { status: 'denied', ...named, denial_code: declineCode, denial_reason: declineMessages[declineCode] }
  }
  if (approvedAmount === null || amount === null) return { status: 'approved', ...named }
  return { status: 'approved', ...named, approved_amount: formatMajor(approvedAmount, minorDigits(amount.currency)) }
}

function amountOf(body: Static<typeof Body>, type: MessageType): CardMessage['amount'] {
  const field = type === 'replacement' ? 'replacement_amount' : 'amount'
  const text = body[field]
  if (type === 'expiry' || (type === 'reversal' && text === undefined)) return null
  if (text === undefined) throw new InvalidInput(`body/${field} is required for ${type}`)
  const { currency } = body
  if (currency === undefined) throw new InvalidInput('body/currency is required with an amount')
  const minor = parseMajor(text, minorDigits(currency))
  if (minor === null) {
    throw new InvalidInput(
      `body/${field} must be a decimal string with at most ${minorDigits(currency)} digits after the point`,
    )
  }
  return { currency, minor }
}
