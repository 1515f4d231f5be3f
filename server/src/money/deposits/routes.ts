import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../../context.ts'
import { requireUser } from '../../platform/http/access.ts'
import { Amount, DateTime, oneOf, plainErrors, TxHash } from '../../platform/http/schemas.ts'
import { listDeposits } from './deposits.ts'

const DepositRecord = Type.Object({
  txHash: TxHash,
  amount: Amount,
  currency: Type.String({ description: "The token's symbol.", examples: ['EURe'] }),
  status: oneOf(['pending', 'approved', 'rejected']),
  createdAt: DateTime,
  kytBreakdown: Type.Object({
    result: oneOf(['pending', 'approved', 'rejected'], { description: '`pending`: there is no screening result yet.' }),
    riskScore: Type.Integer({ format: 'int32', examples: [0, 5] }),
    riskTier: Type.String({ examples: ['unknown', 'low'] }),
  }),
})

export function depositRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/user/deposits',
    {
      config: { access: 'user' },
      schema: {
        tags: ['User Movements'],
        summary: 'List deposits',
        description: 'Returns the 1,000 newest deposits, newest first. The statement contains all of them.',
        operationId: 'deposits.list',
        response: { 200: Type.Object({ data: Type.Array(DepositRecord) }), ...plainErrors('ACCOUNT_NOT_FOUND') },
      },
    },
    async (request) => ({
      data: (await listDeposits(ctx, requireUser(request))).map((deposit) => ({
        txHash: deposit.txHash,
        amount: String(deposit.amount),
        currency: deposit.symbol,
        status: deposit.status,
        createdAt: deposit.createdAt.toISOString(),
        kytBreakdown: { result: deposit.screening, riskScore: deposit.riskScore, riskTier: deposit.riskTier },
      })),
    }),
  )
}
