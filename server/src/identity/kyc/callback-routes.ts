import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../../context.ts'
import { nullable } from '../../platform/http/schemas.ts'
import { keepBytes } from '../../platform/http/signed-body.ts'
import { takeCallback } from './kyc.ts'

export function kycCallbackRoutes(app: FastifyInstance, ctx: Ctx): void {
  app.register(async (scope) => {
    keepBytes(scope)
    callbackRoute(scope, ctx)
  })
}

function callbackRoute(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  app.post(
    '/webhooks/kyc',
    {
      config: { access: 'kyc' },
      schema: {
        tags: ['Callbacks'],
        summary: 'Say that something has become of an applicant',
        description:
          "In the form, and with the signature, of the configured provider; of the body only the applicant's id counts. The answer is the same whoever it is about.",
        operationId: 'takeKycCallback',
        body: Type.Object({ applicantId: nullable(Type.String()) }),
        response: { 200: Type.Object({ received: Type.Literal(true) }) },
      },
    },
    async (request) => {
      const { applicantId } = request.body
      if (applicantId !== null) await takeCallback(ctx, applicantId)
      return { received: true as const }
    },
  )
}
