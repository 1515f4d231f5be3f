import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { requireUser } from '../platform/http/access.ts'
import { Done, done, OwnerApproval, plainErrors } from '../platform/http/schemas.ts'
import { closeAccount } from './closing.ts'

export function closingRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  app.post(
    '/user/close',
    {
      config: { access: 'user', limited: 'proof' },
      schema: {
        tags: ['User'],
        summary: 'Close the user and the account',
        description:
          'Closing is permanent. An owner signs an EIP-4361 message with its own nonce and the statement `Close user <userId> permanently.` Closing fails while the account has funds, holds, debt, or deposits or withdrawals in progress. All cards are canceled. The access tokens of the user are rejected from the next request on, so `Idempotency-Key` is ignored. Personal data is erased after the legal retention period. The books are kept.',
        operationId: 'user.close',
        body: Type.Object({ approval: OwnerApproval }),
        response: {
          200: Done,
          ...plainErrors(400, 'ACCOUNT_NOT_EMPTY', 'OWNER_NOT_APPROVED', 502),
        },
      },
    },
    async (request) => {
      await closeAccount(ctx, requireUser(request), request.body.approval)
      return done
    },
  )
}
