import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { oneOf, plainErrors, Uuid } from '../platform/http/schemas.ts'
import { KeyHeader, respondOnceWithLease, sandboxScope } from '../platform/idempotency/idempotency.ts'
import { settleWithdrawal } from './sandbox.ts'

export function sandboxWithdrawalRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.post(
    '/sandbox/withdrawals/:withdrawalId',
    {
      config: { access: 'sandbox', keepsResponses: true },
      schema: {
        headers: KeyHeader,
        tags: ['Sandbox'],
        summary: 'Set the outcome of a withdrawal on the simulated chain',
        description:
          'Without an attached chain, a withdrawal stays `processing` until this request. An attached chain decides the outcome itself.',
        operationId: 'sandbox.withdrawals.settle',
        params: Type.Object({ withdrawalId: Uuid }),
        body: Type.Object({ outcome: oneOf(['completed', 'failed']) }),
        response: {
          200: Type.Object({ withdrawalId: Uuid, status: oneOf(['completed', 'failed']) }),
          ...plainErrors(
            400,
            'WITHDRAWAL_NOT_FOUND',
            'CHAIN_ATTACHED',
            'INVALID_WITHDRAWAL_STATUS',
            'REQUEST_IN_PROGRESS',
            'IDEMPOTENCY_KEY_REUSED',
          ),
        },
      },
    },
    async (request, reply) => {
      const withdrawalId = request.params.withdrawalId.toLowerCase()
      const { outcome } = request.body
      return respondOnceWithLease(ctx, request, reply, sandboxScope, async () => {
        await settleWithdrawal(ctx, withdrawalId, outcome)
        return { status: 200, body: { withdrawalId, status: outcome } }
      })
    },
  )
}
