import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../../context.ts'
import { oneOf, plainErrors, Uuid } from '../../platform/http/schemas.ts'
import { Received, received, registerCallbacks } from '../../platform/http/signed-body.ts'
import { receiveScreeningResult } from './deposits.ts'

export function screeningRoutes(app: FastifyInstance, ctx: Ctx): void {
  registerCallbacks(app, (scope) => screeningRoute(scope, ctx))
}

function screeningRoute(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  app.post(
    '/webhooks/screening',
    {
      config: { access: 'screening' },
      schema: {
        tags: ['Callbacks'],
        summary: 'Receive a screening result',
        description:
          'The screening provider reports the result for a deposit. The request is signed like the messages of the card processor, with a key of SCREENING_KEYS. The response is the same whether the result is new, repeated, too late or about an unknown deposit.',
        operationId: 'callbacks.receiveScreening',
        body: Type.Object({
          depositId: Uuid,
          result: oneOf(['approved', 'rejected']),
          riskScore: Type.Integer({ minimum: 0, maximum: 100, examples: [5, 95] }),
          riskTier: Type.String({ pattern: '^[a-z_]{1,32}$', examples: ['low', 'severe'] }),
        }),
        response: { 200: Received, ...plainErrors(400) },
      },
    },
    async (request) => {
      const { depositId, ...screening } = request.body
      await receiveScreeningResult(ctx, depositId.toLowerCase(), screening)
      return received
    },
  )
}
