import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import type { Ctx } from '../context.ts'
import { requireUser } from '../platform/http/access.ts'
import { Done, done, plainErrors } from '../platform/http/schemas.ts'
import { closeAccount } from './closing.ts'

export function closingRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  app.post(
    '/user/close',
    {
      config: { access: 'user' },
      schema: {
        tags: ['User'],
        summary: 'Close the user and the account',
        description:
          'Closing is permanent. It fails while the account has funds, holds, debt, or deposits or withdrawals in progress. All cards are canceled. The access tokens of the user are rejected from the next request on, so `Idempotency-Key` is ignored. Personal data is erased after the legal retention period. The books are kept.',
        operationId: 'closeUser',
        response: { 200: Done, ...plainErrors('ACCOUNT_NOT_EMPTY', 'CARD_IN_PROGRESS') },
      },
    },
    async (request) => {
      await ctx.db.transaction((tx) => closeAccount(ctx, tx, requireUser(request)))
      return done
    },
  )
}
