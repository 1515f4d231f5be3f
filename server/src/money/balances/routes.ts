import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../../context.ts'
import { requireUser } from '../../platform/http/access.ts'
import { jsonType } from '../../platform/http/json.ts'
import { Address, Amount, plainErrors } from '../../platform/http/schemas.ts'
import { readBalances } from './balances.ts'

const Decimals = Type.Integer({ examples: [18] })
const spendable = 'What can be spent or withdrawn now.'

const TokenBalances = Type.Object({
  token: Address,
  decimals: Decimals,
  spendable: Type.Unsafe<string>({ ...Amount, description: spendable }),
  nonSpendable: Type.Unsafe<string>({ ...Amount, description: 'Frozen by screening or compliance.' }),
  processingDeposits: Type.Unsafe<string>({ ...Amount, description: 'Seen on chain, not yet final and screened.' }),
  maxInstantWithdraw: Type.Unsafe<string>({ ...Amount, description: 'What a withdrawal would be paid at once.' }),
})

const CurrencyBalances = Type.Object({
  currency: Type.String({ examples: ['EUR'] }),
  decimals: Decimals,
  spendable: Type.Unsafe<string>({ ...Amount, description: `${spendable} Below a cent is left out.` }),
  nonSpendable: Amount,
  processingDeposits: Amount,
  processingWithdrawals: Type.Unsafe<string>({ ...Amount, description: 'Requested, not yet final on chain.' }),
  tokens: Type.Array(TokenBalances),
})

/** What it describes is sent as a text: most answers were written before. */
const Balances = Type.Unsafe<string>(Type.Object({ data: Type.Array(CurrencyBalances) }))

export function balanceRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/user/balances/v2',
    {
      config: { access: 'user' },
      schema: {
        tags: ['User Account'],
        summary: 'Balances by currency and token',
        description: 'One row for each currency of the programme, each field always there, zeros as "0".',
        operationId: 'getBalances',
        response: { 200: Balances, ...plainErrors('ACCOUNT_NOT_FOUND') },
      },
    },
    (request, reply) => {
      reply.header('content-type', jsonType)
      return readBalances(ctx, requireUser(request))
    },
  )
}
