import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import type { JWK } from 'jose'
import { Type } from 'typebox'
import type { Ctx } from '../../context.ts'
import { publicKeySet } from './keys.ts'

const KeySet = Type.Unsafe<{ keys: JWK[] }>(
  Type.Object(
    {
      keys: Type.Array(
        Type.Object({
          kty: Type.String(),
          crv: Type.String(),
          x: Type.String(),
          y: Type.String(),
          kid: Type.String(),
          alg: Type.String(),
          use: Type.String(),
        }),
      ),
    },
    { description: 'JSON Web Key Set, RFC 7517' },
  ),
)

export function tokenRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/.well-known/jwks.json',
    {
      config: { access: 'public' },
      schema: {
        tags: ['Auth'],
        summary: 'Get the public keys of access tokens',
        description:
          'A new key is published here 10 minutes before it signs, so responses can be cached for 5 minutes. A key that replaces a retired key signs at once, so read the keys again when a token has an unknown kid.',
        operationId: 'auth.getKeySet',
        response: { 200: KeySet },
      },
    },
    async (_request, reply) => {
      reply.header('cache-control', 'public, max-age=300')
      return publicKeySet(ctx)
    },
  )
}
