import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { requirePartner } from '../platform/http/access.ts'
import { Done, done, oneOf, plainErrors, Uuid } from '../platform/http/schemas.ts'
import { type CreatedApiKey, createApiKey, listApiKeys, revokeApiKey, rotateApiKey } from './api-keys.ts'
import { scopes } from './rules.ts'
import { ApiKeyRecord, apiKeyRecord } from './schemas.ts'

const tags = ['Partners']
const dayInSeconds = 86_400

const NewApiKeyRecord = Type.Object(
  {
    ...ApiKeyRecord.properties,
    key: Type.String({
      description: 'The API key. It is returned only once, so store it with your secrets.',
      examples: ['psk_…'],
    }),
  },
  { title: 'NewApiKey' },
)

const newApiKeyRecord = ({ key, ...made }: CreatedApiKey) => ({ ...apiKeyRecord(made), key })

const secretResponse = 'The response contains a secret, so `Idempotency-Key` is ignored.'
const KeyPath = Type.Object({ keyId: Uuid })

export function apiKeyRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/partner/api-keys',
    {
      config: { access: 'partner', permission: 'partner:read' },
      schema: {
        tags,
        summary: 'List API keys',
        description: 'Includes expired and revoked keys.',
        operationId: 'partner.apiKeys.list',
        response: { 200: Type.Object({ data: Type.Array(ApiKeyRecord) }) },
      },
    },
    async (request) => ({ data: (await listApiKeys(ctx, requirePartner(request))).map(apiKeyRecord) }),
  )

  app.post(
    '/partner/api-keys',
    {
      config: { access: 'partner', permission: 'keys:write' },
      schema: {
        tags,
        summary: 'Create an API key',
        description: `A server sends the key as \`Authorization: Bearer psk_…\`. ${secretResponse}`,
        operationId: 'partner.apiKeys.create',
        body: Type.Object(
          {
            name: Type.String({ minLength: 1, maxLength: 100 }),
            scopes: Type.Array(oneOf(scopes), { minItems: 1, uniqueItems: true }),
            ttlInSeconds: Type.Optional(
              Type.Integer({
                minimum: 60,
                maximum: 3650 * dayInSeconds,
                description: 'Lifetime of the key. Without it, the key is valid until it is revoked.',
              }),
            ),
          },
          { examples: [{ name: 'Back office', scopes: ['partner:read'] }] },
        ),
        response: { 201: NewApiKeyRecord, ...plainErrors(400, 'API_KEY_LIMIT_REACHED') },
      },
    },
    async (request, reply) => {
      const { name, scopes, ttlInSeconds = null } = request.body
      const wanted = { name, scopes, ttlInSeconds }
      const made = await ctx.db.transaction((tx) => createApiKey(ctx, tx, requirePartner(request), wanted))
      return reply.code(201).send(newApiKeyRecord(made))
    },
  )

  app.post(
    '/partner/api-keys/:keyId/rotate',
    {
      config: { access: 'partner', permission: 'keys:write' },
      schema: {
        tags,
        summary: 'Rotate an API key',
        description: `Returns a new key with the same name, scopes and lifetime. The lifetime begins again. The old key stays valid for \`overlapSeconds\` (default: one day), unless it expires earlier. ${secretResponse}`,
        operationId: 'partner.apiKeys.rotate',
        params: KeyPath,
        body: Type.Object({
          overlapSeconds: Type.Optional(
            Type.Integer({ minimum: 0, maximum: 30 * dayInSeconds, default: dayInSeconds }),
          ),
        }),
        response: { 201: NewApiKeyRecord, ...plainErrors(400, 'API_KEY_NOT_FOUND', 'API_KEY_LIMIT_REACHED') },
      },
    },
    async (request, reply) => {
      const { keyId } = request.params
      const { overlapSeconds = dayInSeconds } = request.body
      const made = await ctx.db.transaction((tx) =>
        rotateApiKey(ctx, tx, requirePartner(request), keyId, overlapSeconds),
      )
      return reply.code(201).send(newApiKeyRecord(made))
    },
  )

  app.delete(
    '/partner/api-keys/:keyId',
    {
      config: { access: 'partner', permission: 'keys:write' },
      schema: {
        tags,
        summary: 'Revoke an API key',
        description: 'The key is rejected from the next request on. A repeated request succeeds too.',
        operationId: 'partner.apiKeys.revoke',
        params: KeyPath,
        response: { 200: Done, ...plainErrors(400, 'API_KEY_NOT_FOUND') },
      },
    },
    async (request) => {
      await ctx.db.transaction((tx) => revokeApiKey(ctx, tx, requirePartner(request), request.params.keyId))
      return done
    },
  )
}
