import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../../context.ts'
import { requireUser } from '../../platform/http/access.ts'
import { jsonType } from '../../platform/http/json.ts'
import { Address, Amount, plainErrors } from '../../platform/http/schemas.ts'
import { readBalancesBody } from './balances.ts'

const Decimals = Type.Integer({ examples: [18] })
const spendable = 'The amount that can be spent or withdrawn now.'

const TokenBalances = Type.Object({
  token: Address,
  decimals: Decimals,
  spendable: Type.Unsafe<string>({ ...Amount, description: spendable }),
  nonSpendable: Type.Unsafe<string>({ ...Amount, description: 'The amount of deposits that screening refused.' }),
  processingDeposits: Type.Unsafe<string>({
    ...Amount,
    description: 'Deposits seen on the chain that are not yet final and screened.',
  }),
  maxInstantWithdraw: Type.Unsafe<string>({
    ...Amount,
    description: 'The maximum amount that a withdrawal pays out immediately.',
  }),
})

const CurrencyBalances = Type.Object({
  currency: Type.String({ examples: ['EUR'] }),
  decimals: Decimals,
  spendable: Type.Unsafe<string>({
    ...Amount,
    description: `${spendable} Dust below the minor unit of the currency is omitted.`,
  }),
  nonSpendable: Amount,
  processingDeposits: Amount,
  processingWithdrawals: Type.Unsafe<string>({
    ...Amount,
    description: 'Requested withdrawals that are not yet final on the chain.',
  }),
  tokens: Type.Array(TokenBalances),
})

/** Typed as a string, because `readBalancesBody` returns finished JSON. */
const Balances = Type.Unsafe<string>(Type.Object({ data: Type.Array(CurrencyBalances) }))

export function balanceRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/user/balances/v2',
    {
      config: { access: 'user' },
      schema: {
        tags: ['User Account'],
        summary: 'List balances by currency and token',
        description: 'Returns one row for each currency of the programme. Every field is always present; zero is "0".',
        operationId: 'balances.list',
        response: { 200: Balances, ...plainErrors('ACCOUNT_NOT_FOUND') },
      },
    },
    (request, reply) => {
      reply.header('content-type', jsonType)
      return readBalancesBody(ctx, requireUser(request))
    },
  )
}
