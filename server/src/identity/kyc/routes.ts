import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../../context.ts'
import { requireUser } from '../../platform/http/access.ts'
import { declareErrorPrefix } from '../../platform/http/errors.ts'
import { messageErrors } from '../../platform/http/schemas.ts'
import { shareApplicant } from './kyc.ts'

const defaultTtlSeconds = 600

const ClientId = Type.String({
  description: 'The KYC client that may use the share token.',
  examples: ['partner.example_1'],
})

const ShareRequest = Type.Object({
  forClientId: ClientId,
  ttlInSecs: Type.Optional(
    Type.Integer({
      minimum: 60,
      maximum: 3600,
      default: defaultTtlSeconds,
      description: 'Lifetime of the token in seconds.',
    }),
  ),
})

export function kycRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  declareErrorPrefix(app, '/api/v1/kyc/', 'kyc-iban')

  app.post(
    '/api/v1/kyc/import-partner-applicant',
    {
      config: { access: 'user', server: 'api', errors: 'kyc-iban', limited: 'kyc' },
      schema: {
        tags: ['KYC'],
        summary: 'Create a share token for a partner',
        description:
          "With the token, the partner's KYC client imports the user's identity verification. Each request creates a new token. The response contains a secret, so `Idempotency-Key` is ignored.",
        operationId: 'kyc.share',
        body: ShareRequest,
        response: {
          200: Type.Object({ token: Type.String({ examples: ['c2hhcmUtdG9rZW4'] }), forClientId: ClientId }),
          ...messageErrors(400, 'UNKNOWN_CLIENT', 'KYC_NOT_SHAREABLE', 502),
        },
      },
    },
    async (request, reply) => {
      const { forClientId, ttlInSecs: ttlSeconds = defaultTtlSeconds } = request.body
      const shared = await shareApplicant(ctx, requireUser(request), { forClientId, ttlSeconds })
      return reply.send(shared)
    },
  )
}
