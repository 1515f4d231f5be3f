import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { changeBlock, reportStatus } from '../cards/cards/cards.ts'
import { cardStatuses, statusesOfIssuer } from '../cards/cards/rules.ts'
import type { Ctx } from '../context.ts'
import { oneOf, plainErrors, Uuid } from '../platform/http/schemas.ts'
import { KeyHeader, respondOnce, sandboxScope } from '../platform/idempotency/idempotency.ts'

const CardId = Type.Object({ cardId: Uuid })
const CardStatus = Type.Object({ cardId: Uuid, status: oneOf(cardStatuses) }, { title: 'CardStatus' })
const response = {
  200: CardStatus,
  ...plainErrors(400, 'CARD_NOT_FOUND', 'INVALID_CARD_STATUS', 'IDEMPOTENCY_KEY_REUSED'),
}

export function sandboxCardRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const secured = { tags: ['Sandbox'], params: CardId, response }

  for (const change of ['block', 'unblock'] as const) {
    app.post(
      `/sandbox/cards/:cardId/${change}`,
      {
        config: { access: 'sandbox' },
        schema: {
          headers: KeyHeader,
          ...secured,
          summary: `${change === 'block' ? 'Block' : 'Unblock'} a card as issuer or compliance`,
          description: 'A card stays blocked while any party blocks it. Safe to repeat.',
          operationId: `sandbox.cards.${change}`,
          body: Type.Object({ by: oneOf(['issuer', 'compliance']) }),
        },
      },
      async (request, reply) => {
        const cardId = request.params.cardId.toLowerCase()
        const { by } = request.body
        return respondOnce(ctx, request, reply, sandboxScope, async (tx) => {
          const { status } = await changeBlock(ctx, tx, cardId, by, change === 'block')
          return { status: 200, body: { cardId, status } }
        })
      },
    )
  }

  app.post(
    '/sandbox/cards/:cardId/status',
    {
      config: { access: 'sandbox' },
      schema: {
        headers: KeyHeader,
        ...secured,
        summary: 'Report the status of a card as the issuer',
        description: 'The statuses lost, stolen, expired and canceled are final.',
        operationId: 'sandbox.cards.setStatus',
        body: Type.Object({ status: oneOf(statusesOfIssuer) }),
      },
    },
    async (request, reply) => {
      const cardId = request.params.cardId.toLowerCase()
      return respondOnce(ctx, request, reply, sandboxScope, async (tx) => {
        const { status } = await reportStatus(ctx, tx, cardId, request.body.status)
        return { status: 200, body: { cardId, status } }
      })
    },
  )
}
