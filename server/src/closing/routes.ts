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
        summary: 'Close the account and the user, for good',
        description:
          'Refused while money is left, on its way, held or owed. Cards are cancelled, and every access token of the user is refused from the next request on, so `Idempotency-Key` is ignored. Personal facts are erased when the law allows it; the books stay.',
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
