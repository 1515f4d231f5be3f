import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../../context.ts'
import { oneOf, plainErrors, Uuid } from '../../platform/http/schemas.ts'
import { keepBytes } from '../../platform/http/signed-body.ts'
import { receiveScreeningResult } from './deposits.ts'

export function screeningRoutes(app: FastifyInstance, ctx: Ctx): void {
  app.register(async (scope) => {
    keepBytes(scope)
    verdictRoute(scope, ctx)
  })
}

function verdictRoute(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  app.post(
    '/webhooks/screening',
    {
      config: { access: 'screening' },
      schema: {
        tags: ['Callbacks'],
        summary: 'Bring a verdict on a deposit',
        description:
          'Signed like the messages of the card processor, with a key of SCREENING_KEYS. The answer is the same whether the verdict is new, known, comes too late or is about a deposit that does not exist.',
        operationId: 'takeScreeningVerdict',
        body: Type.Object({
          depositId: Uuid,
          result: oneOf(['approved', 'rejected']),
          riskScore: Type.Integer({ minimum: 0, maximum: 100, examples: [5, 95] }),
          riskTier: Type.String({ pattern: '^[a-z_]{1,32}$', examples: ['low', 'severe'] }),
        }),
        response: { 200: Type.Object({ received: Type.Literal(true) }), ...plainErrors(400) },
      },
    },
    async (request) => {
      const { depositId, ...verdict } = request.body
      await receiveScreeningResult(ctx, depositId.toLowerCase(), verdict)
      return { received: true as const }
    },
  )
}
