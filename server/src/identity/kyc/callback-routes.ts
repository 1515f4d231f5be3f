import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../../context.ts'
import { nullable } from '../../platform/http/schemas.ts'
import { Received, received, registerCallbacks } from '../../platform/http/signed-body.ts'
import { handleCallback } from './kyc.ts'

export function kycCallbackRoutes(app: FastifyInstance, ctx: Ctx): void {
  registerCallbacks(app, (scope) => callbackRoute(scope, ctx))
}

function callbackRoute(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  app.post(
    '/webhooks/kyc',
    {
      config: { access: 'kyc' },
      schema: {
        tags: ['Callbacks'],
        summary: 'Report a change of an applicant',
        description:
          "Called by the configured KYC provider, in its format and with its signature. Only the applicant's id is read from the body. The response does not reveal whether the applicant is known.",
        operationId: 'callbacks.receiveKyc',
        body: Type.Object({ applicantId: nullable(Type.String()) }),
        response: { 200: Received },
      },
    },
    async (request) => {
      const { applicantId } = request.body
      if (applicantId !== null) await handleCallback(ctx, applicantId)
      return received
    },
  )
}
