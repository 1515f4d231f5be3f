import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { Refusal } from '../lib/errors.ts'
import { Address, Int32, plainErrors } from '../platform/http/schemas.ts'
import { KeyHeader, respondOnce, sandboxScope } from '../platform/idempotency/idempotency.ts'
import type { AttachedChain } from '../providers/anvil/attached.ts'
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

const Head = Type.Object(
  {
    number: Type.Unsafe<number>({ ...Int32, description: 'The number of the newest block.' }),
    finalNumber: Type.Unsafe<number>({ ...Int32, description: 'The number of the newest final block.' }),
  },
  { title: 'ChainHead' },
)

const Blocks = Type.Object({ blocks: Type.Integer({ minimum: 1, maximum: 100 }) }, { examples: [{ blocks: 6 }] })

const errorsOfChanges = [400, 'NO_CHAIN', 'IDEMPOTENCY_KEY_REUSED', 502] as const

function requireChain(ctx: Ctx): AttachedChain {
  const [attached] = controlsOf(ctx).attachedChains
  if (!attached) throw new Refusal('NO_CHAIN')
  return attached
}

/** Returns the chain if it runs on this machine. On another machine, other people may depend on its blocks. */
function requireOwnChain(ctx: Ctx): AttachedChain {
  const attached = requireChain(ctx)
  if (!attached.isOwn) throw new Refusal('NO_CHAIN')
  return attached
}

async function headOf(chain: AttachedChain) {
  const { head, final } = await chain.positions()
  return { number: Number(head), finalNumber: Number(final) }
}

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
    // Copies the tokens, because the JSON of the configuration's own objects masks every text that contains a secret.
    async () => ({ data: ctx.config.tokens.map((token) => ({ ...token })) }),
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
      const { chainId, rpcUrl, finalityDepth } = requireChain(ctx)
      return { chainId, rpcUrl, finalityDepth }
    },
  )

  app.get(
    '/sandbox/chain/head',
    {
      config: { access: 'sandbox' },
      schema: {
        tags: ['Sandbox'],
        summary: 'Get the newest block of the attached chain',
        operationId: 'sandbox.chain.getHead',
        response: { 200: Head, ...plainErrors('NO_CHAIN', 502) },
      },
    },
    async () => headOf(requireChain(ctx)),
  )

  app.post(
    '/sandbox/chain/blocks',
    {
      config: { access: 'sandbox' },
      schema: {
        headers: KeyHeader,
        tags: ['Sandbox'],
        summary: 'Mine blocks on the attached chain',
        description: 'The chain must be an Anvil process on this machine, such as the one that `npm start` starts.',
        operationId: 'sandbox.chain.mine',
        body: Blocks,
        response: { 200: Head, ...plainErrors(...errorsOfChanges) },
      },
    },
    async (request, reply) =>
      respondOnce(ctx, request, reply, sandboxScope, async () => {
        const chain = requireOwnChain(ctx)
        await chain.mine(request.body.blocks)
        return { status: 200, body: await headOf(chain) }
      }),
  )

  app.post(
    '/sandbox/chain/reorganizations',
    {
      config: { access: 'sandbox' },
      schema: {
        headers: KeyHeader,
        tags: ['Sandbox'],
        summary: 'Replace the newest blocks of the attached chain with empty ones',
        description:
          'Removes their transactions, as a reorganization can. The chain must be an Anvil process on this machine, such as the one that `npm start` starts.',
        operationId: 'sandbox.chain.reorganize',
        body: Blocks,
        response: { 200: Head, ...plainErrors(...errorsOfChanges) },
      },
    },
    async (request, reply) =>
      respondOnce(ctx, request, reply, sandboxScope, async () => {
        const chain = requireOwnChain(ctx)
        await chain.reorganize(request.body.blocks)
        return { status: 200, body: await headOf(chain) }
      }),
  )
}
