import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../../context.ts'
import { minorDigits } from '../../lib/money.ts'
import { requireUser } from '../../platform/http/access.ts'
import { Amount, Int32, nullable, oneOf, plainErrors, ref, Uuid } from '../../platform/http/schemas.ts'
import { KeyHeader, respondOnce, respondOnceWithLease } from '../../platform/idempotency/idempotency.ts'
import { changeOwnCard, createCard, listCards, readCard, readPhone, renameCard } from './cards.ts'
import { type CardLimitsView, changeLimits, readLimits, type SpendingLimits } from './own-limits.ts'
import { CardRecord, cardRecord } from './records.ts'
import { reportCard } from './report-card.ts'

const NewCard = Type.Object({
  cardName: Type.String({ description: '1 to 50 characters after trimming.', examples: ['Travel'] }),
  phone: Type.Optional(
    Type.String({
      description:
        'Phone number in E.164. Required for the first card, which creates the cardholder. Later, it is ignored unless all cards were canceled and the processor has rejected each of them.',
      examples: ['+4915123456789'],
    }),
  ),
})

const LimitPair = Type.Object(
  { perTransaction: nullable(Amount), daily: nullable(Amount) },
  { title: 'SpendingLimits', description: 'In minor units of the currency. null: no limit.' },
)
const LimitsRecord = Type.Object(
  {
    currency: Type.String({ examples: ['EUR'] }),
    decimals: Int32,
    ...LimitPair.properties,
    programme: LimitPair,
  },
  { title: 'CardLimits' },
)
const GivenLimit = nullable(Type.String({ pattern: '^(0|[1-9][0-9]{0,29})$', examples: ['10000'] }))

export const cardSchemas = [CardRecord]

const CardId = Type.Object({ cardId: Uuid })

const changes = [
  {
    change: 'block',
    status: 'blocked',
    summary: 'Block a card',
    description: 'Declines new authorizations until the card is unblocked. Safe to repeat.',
    errors: ['CARD_NOT_FOUND', 'INVALID_CARD_STATUS'],
  },
  {
    change: 'unblock',
    status: 'active',
    summary: 'Unblock a card',
    description:
      "Removes the owner's block. Responds with 403 if the issuer or compliance blocks the card too. Safe to repeat.",
    errors: ['BLOCKED_BY_ISSUER', 'CARD_NOT_FOUND', 'INVALID_CARD_STATUS'],
  },
  {
    change: 'cancel',
    status: 'canceled',
    summary: 'Cancel a card permanently',
    description: 'Earlier authorizations still clear, and refunds still arrive. Safe to repeat.',
    errors: ['CARD_NOT_FOUND', 'INVALID_CARD_STATUS'],
  },
] as const

const pairOf = ({ perTransaction, daily }: SpendingLimits) => ({
  perTransaction: perTransaction === null ? null : String(perTransaction),
  daily: daily === null ? null : String(daily),
})

const limitsRecord = ({ currency, programme, ...own }: CardLimitsView) => ({
  currency,
  decimals: minorDigits(currency),
  ...pairOf(own),
  programme: pairOf(programme),
})

const tags = ['Cards']

export function cardRoutes(app: FastifyInstance, ctx: Ctx): void {
  creationRoute(app, ctx)
  readRoutes(app, ctx)
  changeRoutes(app, ctx)
  reportRoute(app, ctx)
  nameRoute(app, ctx)
  limitRoutes(app, ctx)
  phoneRoute(app, ctx)
}

function creationRoute(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.post(
    '/cards/virtual',
    {
      config: { access: 'user', limited: 'card' },
      schema: {
        headers: KeyHeader,
        tags,
        summary: 'Create a virtual card',
        description:
          'After a 201, the card can be used online at once. After a 502, Purser keeps trying to create the card in the background, so repeat the request only with the same `Idempotency-Key`. `GET /cards` lists it as `provisioning` until it exists. If the processor rejects the phone number of the first card, cancel the card, wait a minute, and create another one with another number. Meanwhile, Purser asks the processor again about the canceled card. Until the processor has rejected the canceled card again, a new number is ignored.',
        operationId: 'cards.create',
        body: NewCard,
        response: {
          201: CardId,
          ...plainErrors(
            400,
            'REQUEST_IN_PROGRESS',
            'PHONE_REQUIRED',
            'ACCOUNT_NOT_ACTIVE',
            'KYC_NOT_APPROVED',
            'CARD_LIMIT_REACHED',
            'IDEMPOTENCY_KEY_REUSED',
            502,
          ),
        },
      },
    },
    async (request, reply) => {
      const caller = requireUser(request)
      const { body } = request
      return respondOnceWithLease(ctx, request, reply, caller.userId, async (cardId) => {
        await createCard(ctx, caller, cardId, body)
        return { status: 201, body: { cardId } }
      })
    },
  )
}

function readRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/cards',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'List all cards, newest first',
        operationId: 'cards.list',
        response: { 200: Type.Object({ data: Type.Array(ref(CardRecord)) }) },
      },
    },
    async (request) => ({ data: (await listCards(ctx, requireUser(request))).map(cardRecord) }),
  )

  app.get(
    '/cards/:cardId',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Get a card',
        operationId: 'cards.get',
        params: CardId,
        response: {
          200: { description: 'The card.', content: { 'application/json': { schema: ref(CardRecord) } } },
          ...plainErrors(400, 'CARD_NOT_FOUND'),
        },
      },
    },
    async (request) => cardRecord(await readCard(ctx, requireUser(request), request.params.cardId)),
  )
}

function changeRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  for (const { change, status, summary, description, errors } of changes) {
    app.post(
      `/cards/:cardId/${change}`,
      {
        config: { access: 'user' },
        schema: {
          headers: KeyHeader,
          tags,
          summary,
          description,
          operationId: `cards.${change}`,
          params: CardId,
          response: {
            200: Type.Object({ success: Type.Literal(true), cardId: Uuid, status: oneOf([status]) }),
            ...plainErrors(400, ...errors, 'IDEMPOTENCY_KEY_REUSED'),
          },
        },
      },
      async (request, reply) => {
        const caller = requireUser(request)
        const cardId = request.params.cardId.toLowerCase()
        return respondOnce(ctx, request, reply, caller.userId, async (tx) => {
          const state = await changeOwnCard(ctx, tx, caller, cardId, change)
          // Returned, not thrown: the owner's block is removed in any case, and a rollback would restore it.
          if (state.status !== status) return { refusal: 'BLOCKED_BY_ISSUER' }
          return { status: 200, body: { success: true, cardId, status } }
        })
      },
    )
  }
}

function reportRoute(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.post(
    '/cards/:cardId/report',
    {
      // Each replacement is a new card at the issuer, so a report counts toward the rate limit of new cards.
      config: { access: 'user', limited: 'card' },
      schema: {
        headers: KeyHeader,
        tags,
        summary: 'Report a card lost or stolen',
        description:
          'Ends the card permanently. Earlier authorizations still clear, and refunds still arrive. A replacement has the same name and limits, and becomes active once the issuer has created it. Safe to repeat: a card has at most one replacement.',
        operationId: 'cards.report',
        params: CardId,
        body: Type.Object({
          reason: oneOf(['lost', 'stolen']),
          replacement: Type.Optional(Type.Boolean({ default: false, description: 'Creates a new card.' })),
        }),
        response: {
          200: Type.Object({
            success: Type.Literal(true),
            cardId: Uuid,
            status: oneOf(['lost', 'stolen']),
            replacementCardId: nullable(
              Type.Unsafe<string>({
                ...Uuid,
                description: 'null: no replacement was requested, or the user may not create a card now.',
              }),
            ),
          }),
          ...plainErrors(400, 'CARD_NOT_FOUND', 'INVALID_CARD_STATUS', 'IDEMPOTENCY_KEY_REUSED'),
        },
      },
    },
    async (request, reply) => {
      const caller = requireUser(request)
      const cardId = request.params.cardId.toLowerCase()
      const { reason, replacement = false } = request.body
      return respondOnce(ctx, request, reply, caller.userId, async (tx) => {
        const replacementCardId = await reportCard(ctx, tx, caller, cardId, { reason, wantsReplacement: replacement })
        return { status: 200, body: { success: true, cardId, status: reason, replacementCardId } }
      })
    },
  )
}

function nameRoute(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.patch(
    '/cards/:cardId',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Rename a card',
        operationId: 'cards.rename',
        params: CardId,
        body: Type.Object({ cardName: NewCard.properties.cardName }),
        response: { 200: ref(CardRecord), ...plainErrors(400, 'CARD_NOT_FOUND') },
      },
    },
    async (request) => {
      const caller = requireUser(request)
      const { cardId } = request.params
      return cardRecord(await ctx.db.transaction((tx) => renameCard(ctx, tx, caller, cardId, request.body.cardName)))
    },
  )
}

function limitRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const path = '/cards/:cardId/limits'

  app.get(
    path,
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Get the limits of a card',
        description:
          "`daily` covers the card transactions that began in the last 24 hours. The programme's limits cover all cards of the user together.",
        operationId: 'cards.getLimits',
        params: CardId,
        response: { 200: LimitsRecord, ...plainErrors(400, 'CARD_NOT_FOUND') },
      },
    },
    async (request) => limitsRecord(await readLimits(ctx, requireUser(request), request.params.cardId)),
  )

  app.put(
    path,
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Set the limits of a card',
        description:
          "Replaces both limits. A payment above a limit is declined with `LIM`. A limit must not exceed the programme's.",
        operationId: 'cards.setLimits',
        params: CardId,
        body: Type.Object({ perTransaction: GivenLimit, daily: GivenLimit }),
        response: { 200: LimitsRecord, ...plainErrors(400, 'CARD_NOT_FOUND', 'LIMIT_ABOVE_PROGRAMME') },
      },
    },
    async (request) => {
      const caller = requireUser(request)
      const { cardId } = request.params
      const { perTransaction, daily } = request.body
      const limitOf = (text: string | null) => (text === null ? null : BigInt(text))
      const limits = { perTransaction: limitOf(perTransaction), daily: limitOf(daily) }
      return limitsRecord(await ctx.db.transaction((tx) => changeLimits(ctx, tx, caller, cardId, limits)))
    },
  )
}

function phoneRoute(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/phone',
    {
      config: { access: 'user' },
      schema: {
        tags: ['Phone'],
        summary: "Get the cardholder's phone number",
        description: 'Available once a card has been created.',
        operationId: 'phone.get',
        response: {
          200: Type.Object({
            phone: Type.String({ description: 'E.164', examples: ['+4915123456789'] }),
            countryCode: Type.String({ description: 'Calling code, digits only.', examples: ['49'] }),
          }),
          ...plainErrors('PHONE_NOT_FOUND'),
        },
      },
    },
    async (request) => readPhone(ctx, requireUser(request)),
  )
}
