import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { Refusal } from '../lib/errors.ts'
import { Address, Int32, plainErrors } from '../platform/http/schemas.ts'
import { controlsOf } from './sandbox.ts'

const Token = Type.Object({
  address: Address,
  symbol: Type.String({ examples: ['EURe'] }),
  currency: Type.String({ examples: ['EUR'] }),
  decimals: Int32,
  chainId: Int32,
})

const Chain = Type.Object({
  chainId: Int32,
  rpcUrl: Type.String({ examples: ['http://127.0.0.1:8545'] }),
  finalityDepth: Type.Unsafe<number>({ ...Int32, description: 'The number of later blocks that make a block final.' }),
})

export function sandboxChainRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/sandbox/tokens',
    {
      config: { access: 'sandbox' },
      schema: {
        tags: ['Sandbox'],
        summary: 'List the tokens that accounts can hold',
        operationId: 'sandbox.tokens.list',
        response: { 200: Type.Object({ data: Type.Array(Token) }) },
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
        summary: 'Get the attached chain',
        description:
          'A wallet can send tokens on the attached chain. Without an attached chain, deposits and payouts are simulated.',
        operationId: 'sandbox.chain.get',
        response: { 200: Chain, ...plainErrors('NO_CHAIN') },
      },
    },
    async () => {
      const [attached] = controlsOf(ctx).attachedChains
      if (!attached) throw new Refusal('NO_CHAIN')
      const { chainId, rpcUrl, finalityDepth } = attached
      return { chainId, rpcUrl, finalityDepth }
    },
  )
}
