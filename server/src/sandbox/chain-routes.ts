import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { Address, Int32, plainErrors } from '../http/schemas.ts'
import { Refusal } from '../lib/refusal.ts'

const Token = Type.Object({
  address: Address,
  symbol: Type.String({ examples: ['EURe'] }),
  currency: Type.String({ examples: ['EUR'] }),
  decimals: Int32,
  chainId: Int32,
})

export function sandboxChainRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/sandbox/tokens',
    {
      config: { access: 'sandbox' },
      schema: {
        tags: ['Sandbox'],
        summary: 'The tokens that accounts can hold',
        operationId: 'sandboxGetTokens',
        response: { 200: Type.Object({ data: Type.Array(Token) }), ...plainErrors(401) },
      },
    },
    async () => ({ data: [...ctx.config.tokens] }),
  )

  app.get(
    '/sandbox/chain',
    {
      config: { access: 'sandbox' },
      schema: {
        tags: ['Sandbox'],
        summary: 'The attached chain',
        description: 'None is attached: deposits and payments are simulated.',
        operationId: 'sandboxGetChain',
        response: plainErrors(401, 404),
      },
    },
    async () => {
      throw new Refusal('NO_CHAIN')
    },
  )
}
