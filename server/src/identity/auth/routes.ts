import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Hex } from 'viem'
import type { Ctx } from '../../context.ts'
import { plainErrors, signInErrors } from '../../platform/http/schemas.ts'
import { clientOf } from '../../platform/net/client-address.ts'
import { maxTokenSeconds } from '../access-tokens/rules.ts'
import { issueNonce, signIn } from './auth.ts'
import { minTtlSeconds } from './rules.ts'

const maxBodyBytes = 32 * 1024
const maxMessageLength = 4096

const Challenge = Type.Object({
  message: Type.String({
    minLength: 1,
    maxLength: maxMessageLength,
    description: 'The EIP-4361 message exactly as it was signed.',
    examples: [
      'localhost:3000 wants you to sign in with your Ethereum account:\n0xcB444e90D8198415266c6a2724b7900fb12FC56E\n\n\nURI: http://localhost:3000/\nVersion: 1\nChain ID: 1\nNonce: n0a1b2c3d4e5f60718293a4b5c6d7e8f0a1b2c3d4e5f60718293a4b5c6d7e8f0a\nIssued At: 2026-01-31T09:30:00.000Z',
    ],
  }),
  signature: Type.Unsafe<Hex>(
    Type.String({
      pattern: '^0x(?:[0-9a-fA-F]{2})*$',
      description:
        'The 65-byte signature of an externally owned account, or the bytes that the contract at the address accepts ' +
        '(EIP-1271). The signature of a contract that is not deployed yet is wrapped as ERC-6492 defines.',
    }),
  ),
  ttlInSeconds: Type.Optional(
    Type.Integer({
      minimum: minTtlSeconds,
      maximum: maxTokenSeconds,
      default: minTtlSeconds,
      description: 'The validity of the access token, in seconds.',
    }),
  ),
})

export function authRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/api/v1/auth/nonce',
    {
      config: { access: 'public', server: 'api', limited: 'sign-in' },
      schema: {
        tags: ['Auth'],
        summary: 'Create a nonce',
        description: 'Returns a nonce as plain text. It is valid for one sign-in within 10 minutes.',
        operationId: 'auth.createNonce',
        response: {
          200: {
            description: 'The nonce.',
            content: { 'text/plain': { schema: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9]{16,}$' }) } },
          },
        },
      },
    },
    async (_request, reply) => {
      reply.header('content-type', 'text/plain; charset=utf-8')
      return reply.serializer(String).send(issueNonce(ctx))
    },
  )

  app.post(
    '/api/v1/auth/challenge',
    {
      config: { access: 'public', server: 'api', errors: 'sign-in', limited: 'sign-in' },
      bodyLimit: maxBodyBytes,
      schema: {
        tags: ['Auth'],
        summary: 'Exchange a signed message for an access token',
        description:
          'Verifies the signature and uses up the nonce. After a 401 or 429, request a new nonce; after a 5xx, retry the same request. `Idempotency-Key` is ignored.',
        operationId: 'auth.createToken',
        body: Challenge,
        response: {
          200: Type.Object({
            token: Type.String({
              description: 'A JWT for the header `Authorization: Bearer`.',
              examples: ['eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJjaGFpbklkIjoiMSJ9.c2lnbmVk'],
            }),
          }),
          ...signInErrors(
            'INVALID_NONCE',
            'NONCE_EXPIRED',
            'NONCE_USED',
            'DOMAIN_NOT_ALLOWED',
            'DOMAIN_OF_OTHER_PARTNER',
            'MESSAGE_EXPIRED',
            'MESSAGE_NOT_YET_VALID',
            'INVALID_SIGNATURE',
            'CHAIN_NOT_SUPPORTED',
          ),
          ...plainErrors(400, 413, 415, 502),
        },
      },
    },
    async (request) => {
      const admit = (wallet: string) => app.countLimited(request, 'sign-in', 'wallet', wallet)
      const client = clientOf(request)
      const { ttlInSeconds = minTtlSeconds, ...signed } = request.body
      return { token: await signIn(ctx, { ...signed, ttlInSeconds }, { admit, client }) }
    },
  )
}
