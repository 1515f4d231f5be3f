import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { requireUser } from '../http/access.ts'
import { messageErrors } from '../http/schemas.ts'
import { isIbanAvailable } from './ibans.ts'

export function ibanRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/api/v1/ibans/available',
    {
      config: { access: 'user' },
      schema: {
        tags: ['IBAN'],
        summary: 'Whether the user may enable an IBAN',
        operationId: 'getIbanAvailability',
        response: {
          200: Type.Object({ data: Type.Object({ available: Type.Boolean() }) }),
          ...messageErrors(401),
        },
      },
    },
    async (request) => ({ data: { available: await isIbanAvailable(ctx, requireUser(request)) } }),
  )
}
