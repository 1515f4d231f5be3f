import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { requirePartner } from '../platform/http/access.ts'
import { DateTime, Done, done, nullable, oneOf, plainErrors, Uuid } from '../platform/http/schemas.ts'
import { signingKeysOf } from './endpoint-keys.ts'
import { disabledReasons, endpointStatuses, versionOf } from './rules.ts'
import {
  changeEndpoint,
  createEndpoint,
  type Endpoint,
  listEndpoints,
  removeEndpoint,
  requireEndpoint,
  rotateEndpointKeys,
  warningsFor,
} from './webhooks.ts'

const tags = ['Webhooks']
const dayInSeconds = 86_400

const Url = Type.String({ maxLength: 2000, examples: ['https://api.example.com/purser'] })
export const EventFilters = Type.Array(Type.String({ maxLength: 100 }), {
  minItems: 1,
  maxItems: 50,
  uniqueItems: true,
  description: 'Event types, all types of a resource (`deposit.*`), or all events (`*`).',
  examples: [['deposit.*', 'card.transaction.settled']],
})
const Version = Type.String({ description: 'Changes whenever `url`, `events`, `description` or `status` changes.' })
const Description = Type.String({ maxLength: 200, examples: ['Ledger of the app'] })
const EndpointRecord = Type.Object(
  {
    endpointId: Uuid,
    url: Url,
    events: EventFilters,
    description: Description,
    status: oneOf(endpointStatuses),
    version: Version,
    disabledReason: nullable(oneOf(disabledReasons)),
    failingSince: nullable(DateTime),
    publicKeys: Type.Array(Type.String(), {
      description: 'The Ed25519 keys that sign now, newest first: `whpk_` and base64.',
    }),
    warnings: Type.Array(Type.String(), {
      description: 'Reasons why no events of users arrive, such as a partner without a verified domain.',
      examples: [[]],
    }),
    createdAt: DateTime,
  },
  { title: 'WebhookEndpoint' },
)
const secret = Type.String({
  description: 'The secret of the HMAC signatures (`v1`): `whsec_` and base64. It is returned only once.',
})
const NewEndpointRecord = Type.Object({ ...EndpointRecord.properties, secret }, { title: 'NewWebhookEndpoint' })

function endpointRecord(ctx: Ctx, endpoint: Endpoint, warnings: readonly string[]) {
  const { endpointId, url, events, description, status, disabledReason, failingSince, createdAt } = endpoint
  return {
    ...{ endpointId, url, events: [...events], description, status, disabledReason },
    version: versionOf(endpoint),
    failingSince: failingSince?.toISOString() ?? null,
    publicKeys: signingKeysOf(ctx, endpoint).map(({ publicKey }) => publicKey),
    warnings: [...warnings],
    createdAt: createdAt.toISOString(),
  }
}

const newEndpointRecord = (ctx: Ctx, endpoint: Endpoint, warnings: readonly string[]) => ({
  ...endpointRecord(ctx, endpoint, warnings),
  secret: signingKeysOf(ctx, endpoint)[0].secret,
})

const EndpointPath = Type.Object({ endpointId: Uuid })
const secretResponse = 'The response contains a secret, so `Idempotency-Key` is ignored.'

export function webhookRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/partner/webhooks',
    {
      config: { access: 'partner', permission: 'partner:read' },
      schema: {
        tags,
        summary: 'List webhook endpoints',
        operationId: 'partner.webhooks.list',
        response: { 200: Type.Object({ data: Type.Array(EndpointRecord) }) },
      },
    },
    async (request) => {
      const caller = requirePartner(request)
      const warnings = await warningsFor(ctx, caller)
      return { data: (await listEndpoints(ctx, caller)).map((endpoint) => endpointRecord(ctx, endpoint, warnings)) }
    },
  )

  app.post(
    '/partner/webhooks',
    {
      config: { access: 'partner', permission: 'webhooks:write' },
      schema: {
        tags,
        summary: 'Create a webhook endpoint',
        description: `Outside the sandbox the URL must use https and resolve to a public address. The event log begins with the partner's first endpoint. ${secretResponse}`,
        operationId: 'partner.webhooks.create',
        body: Type.Object({
          url: Url,
          events: Type.Optional(Type.Unsafe<string[]>({ ...EventFilters, default: ['*'] })),
          description: Type.Optional(Description),
        }),
        response: { 201: NewEndpointRecord, ...plainErrors(400, 'ENDPOINT_LIMIT_REACHED') },
      },
    },
    async (request, reply) => {
      const { url, events = ['*'], description = '' } = request.body
      const wanted = { url, events, description }
      const caller = requirePartner(request)
      const made = await ctx.db.transaction((tx) => createEndpoint(ctx, tx, caller, wanted))
      const record = newEndpointRecord(ctx, made, await warningsFor(ctx, caller))
      return reply.code(201).send(record)
    },
  )

  app.get(
    '/partner/webhooks/:endpointId',
    {
      config: { access: 'partner', permission: 'partner:read' },
      schema: {
        tags,
        summary: 'Get a webhook endpoint',
        operationId: 'partner.webhooks.get',
        params: EndpointPath,
        response: { 200: EndpointRecord, ...plainErrors(400, 'ENDPOINT_NOT_FOUND') },
      },
    },
    async (request) => {
      const caller = requirePartner(request)
      const endpoint = await requireEndpoint(ctx.db, caller, request.params.endpointId)
      return endpointRecord(ctx, endpoint, await warningsFor(ctx, caller))
    },
  )

  app.patch(
    '/partner/webhooks/:endpointId',
    {
      config: { access: 'partner', permission: 'webhooks:write' },
      schema: {
        tags,
        summary: 'Update, disable or enable a webhook endpoint',
        description:
          'Disabling an endpoint turns its pending deliveries into dead letters: up to 1,000 at once, the others within minutes. An endpoint that is enabled again receives new events, and deliveries that are still pending. With `version`, the change is rejected if the endpoint has changed since that version.',
        operationId: 'partner.webhooks.update',
        params: EndpointPath,
        body: Type.Partial(
          Type.Object({
            url: Url,
            events: EventFilters,
            description: Description,
            status: oneOf(endpointStatuses),
            version: Type.String({ maxLength: 100, description: 'The version that the change is based on.' }),
          }),
        ),
        response: { 200: EndpointRecord, ...plainErrors(400, 'ENDPOINT_NOT_FOUND', 'ENDPOINT_CHANGED') },
      },
    },
    async (request) => {
      const { url, events, description, status, version } = request.body
      const settings = {
        ...(url === undefined ? {} : { url }),
        ...(events === undefined ? {} : { events }),
        ...(description === undefined ? {} : { description }),
        ...(status === undefined ? {} : { status }),
      }
      const caller = requirePartner(request)
      const { endpointId } = request.params
      const changed = await ctx.db.transaction((tx) => changeEndpoint(ctx, tx, caller, endpointId, settings, version))
      return endpointRecord(ctx, changed, await warningsFor(ctx, caller))
    },
  )

  app.delete(
    '/partner/webhooks/:endpointId',
    {
      config: { access: 'partner', permission: 'webhooks:write' },
      schema: {
        tags,
        summary: 'Remove a webhook endpoint',
        description:
          'Deletes the endpoint and its deliveries. The event log keeps its events, but records no new events of users while the partner has no endpoint.',
        operationId: 'partner.webhooks.remove',
        params: EndpointPath,
        response: { 200: Done, ...plainErrors(400, 'ENDPOINT_NOT_FOUND') },
      },
    },
    async (request) => {
      await ctx.db.transaction((tx) => removeEndpoint(ctx, tx, requirePartner(request), request.params.endpointId))
      return done
    },
  )

  app.post(
    '/partner/webhooks/:endpointId/rotate',
    {
      config: { access: 'partner', permission: 'webhooks:write' },
      schema: {
        tags,
        summary: 'Rotate the keys of a webhook endpoint',
        description: `Creates a new key pair and a new secret. The old ones also sign for \`overlapSeconds\` (default: one day). ${secretResponse}`,
        operationId: 'partner.webhooks.rotateKeys',
        params: EndpointPath,
        body: Type.Object({
          overlapSeconds: Type.Optional(
            Type.Integer({ minimum: 0, maximum: 30 * dayInSeconds, default: dayInSeconds }),
          ),
        }),
        response: { 200: NewEndpointRecord, ...plainErrors(400, 'ENDPOINT_NOT_FOUND') },
      },
    },
    async (request, reply) => {
      const { endpointId } = request.params
      const { overlapSeconds = dayInSeconds } = request.body
      const rotated = await ctx.db.transaction((tx) =>
        rotateEndpointKeys(ctx, tx, requirePartner(request), endpointId, overlapSeconds),
      )
      const record = newEndpointRecord(ctx, rotated, await warningsFor(ctx, requirePartner(request)))
      return reply.send(record)
    },
  )
}
