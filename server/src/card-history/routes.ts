import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { requireUser } from '../platform/http/access.ts'
import { plainErrors, Uuid } from '../platform/http/schemas.ts'
import { readOwnHistory } from './card-history.ts'
import { OwnHistoryRecord, ownHistoryRecord } from './schemas.ts'

export function cardHistoryRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/user/card-transactions/:cardTransactionId',
    {
      config: { access: 'user' },
      schema: {
        tags: ['User Movements'],
        summary: 'Get the history of a card transaction',
        description:
          "Returns the statement item, and each message of the card network with its decision and the amounts before and after it. Amounts are minor units of the card's currency.",
        operationId: 'cardTransactions.get',
        params: Type.Object({ cardTransactionId: Uuid }),
        response: { 200: OwnHistoryRecord, ...plainErrors(400, 'CARD_TRANSACTION_NOT_FOUND') },
      },
    },
    async (request) =>
      ownHistoryRecord(await readOwnHistory(ctx, requireUser(request), request.params.cardTransactionId)),
  )
}
