import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Hex } from 'viem'
import type { Ctx } from '../../context.ts'
import { requireUser } from '../../platform/http/access.ts'
import { DateTime, oneOf, plainErrors, Uuid } from '../../platform/http/schemas.ts'
import { issueChallenge, redeemChallenge } from './pci.ts'
import { viewActions } from './rules.ts'

const CardId = Type.Object({ cardId: Uuid })
const Action = oneOf(viewActions, { description: 'The data to show: number, expiry and security code, or the PIN.' })
const Nonce = Type.String({
  pattern: '^(?:0|[1-9][0-9]{0,77})$',
  description: '`message.nonce` of the challenge, in decimal.',
})

const Challenge = Type.Object({
  domain: Type.Object({
    name: Type.String(),
    version: Type.String(),
    chainId: Type.Integer({ description: 'The chain of the sign-in. Contract signatures are checked there.' }),
  }),
  primaryType: Type.Literal('Message'),
  types: Type.Object({ Message: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })) }),
  message: Type.Object({
    authorization: Type.String({ description: 'The text that the wallet shows to its owner.' }),
    nonce: Type.String({ description: 'A uint256 in decimal. Convert it to a BigInt before signing.' }),
  }),
})

const tags = ['PCI']

export function pciRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/pci/cards/:cardId/challenge',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Get the challenge to sign for viewing a card',
        description:
          'Returns EIP-712 typed data for `signTypedData` of the wallet that signed in. It is valid once, for this card and action, for 5 minutes.',
        operationId: 'cardViews.getChallenge',
        params: CardId,
        querystring: Type.Object({ action: Action }),
        response: { 200: Challenge, ...plainErrors(400, 'CARD_NOT_FOUND', 'INVALID_CARD_STATUS') },
      },
    },
    async (request) => {
      const { params, query } = request
      const wanted = { cardId: params.cardId.toLowerCase(), action: query.action }
      const challenge = await issueChallenge(ctx, requireUser(request), wanted)
      const { message, types } = challenge
      return {
        ...challenge,
        types: { Message: [...types.Message] },
        message: { ...message, nonce: String(message.nonce) },
      }
    },
  )

  app.post(
    '/pci/cards/:cardId/token',
    {
      config: { access: 'user', limited: 'proof' },
      schema: {
        tags,
        summary: 'Exchange a signed challenge for a one-time token',
        description:
          "Put `frameUrl` into an iframe within a minute. It shows the signed view once, on pages of the programme and of the user's partner. With shared domains, the pages of the requesting partner can show it instead of those of the user's partner. After a 5xx, retry the same request. `Idempotency-Key` is ignored.",
        operationId: 'cardViews.create',
        params: CardId,
        body: Type.Object({
          action: Action,
          nonce: Nonce,
          signature: Type.Unsafe<Hex>(Type.String({ pattern: '^0x(?:[0-9a-fA-F]{2})*$' })),
        }),
        response: {
          201: Type.Object({
            ephemeralToken: Type.String(),
            expiresAt: DateTime,
            frameUrl: Type.String({
              description: 'The token is in the fragment, which browsers never send to a server.',
            }),
          }),
          ...plainErrors(
            400,
            'INVALID_CHALLENGE',
            'CHALLENGE_EXPIRED',
            'CHALLENGE_USED',
            'CHALLENGE_NOT_SIGNED',
            'CARD_NOT_FOUND',
            'INVALID_CARD_STATUS',
            502,
          ),
        },
      },
    },
    async (request, reply) => {
      const { action, nonce, signature } = request.body
      const cardId = request.params.cardId.toLowerCase()
      const { origin = null } = request.headers
      const signed = { cardId, action, nonce: BigInt(nonce), signature, origin }
      const { token, expiresAt } = await redeemChallenge(ctx, requireUser(request), signed)
      reply.code(201)
      return {
        ephemeralToken: token,
        expiresAt: expiresAt.toISOString(),
        frameUrl: `${ctx.config.servers.pci}/pci/frame#${token}`,
      }
    },
  )
}
