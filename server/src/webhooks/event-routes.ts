import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { eventTypes } from '../events/rules.ts'
import { requirePartner } from '../platform/http/access.ts'
import { DateTime, nullable, oneOf, plainErrors, Uuid } from '../platform/http/schemas.ts'
import { KeyHeader, respondOnce } from '../platform/idempotency/idempotency.ts'
import { type Delivery, listDeliveries, listEvents, readEvent, resendDead, resendEvent } from './read-events.ts'
import { publicId } from './rules.ts'
import { EventId, LastEvent } from './schemas.ts'

const tags = ['Webhooks']
const deliveryStatuses = ['pending', 'delivered', 'dead'] as const

const EventRecord = Type.Object({
  id: EventId,
  type: oneOf(eventTypes),
  createdAt: DateTime,
  data: Type.Record(Type.String(), Type.Unknown(), { description: 'As the event of this type is sent.' }),
})
const DeliveryRecord = Type.Object({
  endpointId: Uuid,
  eventId: EventId,
  type: oneOf(eventTypes),
  status: oneOf(deliveryStatuses),
  attempts: Type.Integer(),
  attemptedAt: nullable(DateTime),
  nextAttemptAt: nullable(DateTime),
  responseStatus: nullable(Type.Integer()),
  error: nullable(Type.String({ description: 'Why there was no answer.' })),
})

const deliveryRecord = ({ eventId, attemptedAt, nextAttemptAt, ...delivery }: Delivery) => ({
  ...delivery,
  eventId: publicId(eventId),
  attemptedAt: attemptedAt?.toISOString() ?? null,
  nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
})

const EventPath = Type.Object({ eventId: EventId })
const EndpointPath = Type.Object({ endpointId: Uuid })
const Resent = Type.Object({ deliveries: Type.Integer({ description: 'How many are due now.' }) })

/** The log of a partner's events, what became of their deliveries, and having them sent again. */
export function eventRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/partner/events',
    {
      config: { access: 'partner', permission: 'events:read' },
      schema: {
        tags,
        summary: 'Events of the last 30 days, in their order',
        description:
          'For what an endpoint missed: ask with the id of the last event that is known until `hasNext` is false. Every event of the partner is here, wanted by an endpoint or not, from its first endpoint on.',
        operationId: 'listEvents',
        querystring: Type.Object({
          after: Type.Optional(LastEvent),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
        }),
        response: {
          200: Type.Object({
            data: Type.Array(EventRecord),
            pagination: Type.Object({ hasNext: Type.Boolean() }),
          }),
          ...plainErrors(400, 'EVENT_NOT_FOUND'),
        },
      },
    },
    async (request) => {
      const { after, limit = 100 } = request.query
      const { rows, hasNext } = await listEvents(ctx, requirePartner(request), { after, limit })
      return { data: rows.map(({ body }) => JSON.parse(body)), pagination: { hasNext } }
    },
  )

  app.get(
    '/partner/events/:eventId',
    {
      config: { access: 'partner', permission: 'events:read' },
      schema: {
        tags,
        summary: 'An event, and what became of its deliveries',
        operationId: 'getEvent',
        params: EventPath,
        response: {
          200: Type.Object({ event: EventRecord, deliveries: Type.Array(DeliveryRecord) }),
          ...plainErrors(400, 'EVENT_NOT_FOUND'),
        },
      },
    },
    async (request) => {
      const { event, deliveries } = await readEvent(ctx, requirePartner(request), request.params.eventId)
      return { event: JSON.parse(event.body), deliveries: deliveries.map(deliveryRecord) }
    },
  )

  app.post(
    '/partner/events/:eventId/resend',
    {
      config: { access: 'partner', permission: 'webhooks:write' },
      schema: {
        headers: KeyHeader,
        tags,
        summary: 'Send an event again',
        description: 'To one endpoint, or to all that want its type. The same id, the same bytes.',
        operationId: 'resendEvent',
        params: EventPath,
        body: Type.Object({ endpointId: Type.Optional(Uuid) }),
        response: {
          202: Resent,
          ...plainErrors(400, 'EVENT_NOT_FOUND', 'ENDPOINT_NOT_FOUND', 'ENDPOINT_DISABLED', 'IDEMPOTENCY_KEY_REUSED'),
        },
      },
    },
    async (request, reply) => {
      const caller = requirePartner(request)
      return respondOnce(ctx, request, reply, caller.partnerId, async (tx) => ({
        status: 202,
        body: { deliveries: await resendEvent(ctx, tx, caller, request.params.eventId, request.body.endpointId) },
      }))
    },
  )

  app.get(
    '/partner/webhooks/:endpointId/deliveries',
    {
      config: { access: 'partner', permission: 'events:read' },
      schema: {
        tags,
        summary: 'Deliveries to an endpoint, newest first',
        description: '`dead`: refused by the endpoint, failed for three days, or waiting when it was disabled.',
        operationId: 'listDeliveries',
        params: EndpointPath,
        querystring: Type.Object({
          status: Type.Optional(oneOf(deliveryStatuses)),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
        }),
        response: { 200: Type.Object({ data: Type.Array(DeliveryRecord) }), ...plainErrors(400, 'ENDPOINT_NOT_FOUND') },
      },
    },
    async (request) => {
      const { status = null, limit = 100 } = request.query
      const { endpointId } = request.params
      const found = await listDeliveries(ctx, requirePartner(request), endpointId, { status, limit })
      return { data: found.map(deliveryRecord) }
    },
  )

  app.post(
    '/partner/webhooks/:endpointId/resend',
    {
      config: { access: 'partner', permission: 'webhooks:write' },
      schema: {
        headers: KeyHeader,
        tags,
        summary: 'Send all dead letters of an endpoint again',
        operationId: 'resendDeadLetters',
        params: EndpointPath,
        response: {
          202: Resent,
          ...plainErrors(400, 'ENDPOINT_NOT_FOUND', 'ENDPOINT_DISABLED', 'IDEMPOTENCY_KEY_REUSED'),
        },
      },
    },
    async (request, reply) => {
      const caller = requirePartner(request)
      return respondOnce(ctx, request, reply, caller.partnerId, async (tx) => ({
        status: 202,
        body: { deliveries: await resendDead(ctx, tx, caller, request.params.endpointId) },
      }))
    },
  )
}
