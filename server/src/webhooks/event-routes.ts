import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { eventTypes } from '../events/rules.ts'
import { requirePartner } from '../platform/http/access.ts'
import { DateTime, nullable, oneOf, plainErrors, Uuid } from '../platform/http/schemas.ts'
import { KeyHeader, respondOnce } from '../platform/idempotency/idempotency.ts'
import { type Delivery, listDeliveries, listEvents, readEvent, resendDeadLetters, resendEvent } from './read-events.ts'
import { deliveryStatuses, publicId } from './rules.ts'
import { AfterEvent, EventId } from './schemas.ts'

const tags = ['Webhooks']
const EventType = oneOf(eventTypes, { title: 'EventType' })
const EventRecord = Type.Object(
  {
    id: EventId,
    type: EventType,
    createdAt: DateTime,
    data: Type.Record(Type.String(), Type.Unknown(), {
      description: 'The data of the event, by the schema of its type in the section `webhooks`.',
    }),
  },
  { title: 'Event' },
)
const DeliveryRecord = Type.Object(
  {
    endpointId: Uuid,
    eventId: EventId,
    type: EventType,
    status: oneOf(deliveryStatuses),
    attempts: Type.Integer(),
    attemptedAt: nullable(DateTime),
    nextAttemptAt: nullable(DateTime),
    responseStatus: nullable(Type.Integer()),
    error: nullable(Type.String({ description: 'Why the last attempt received no response.' })),
  },
  { title: 'Delivery' },
)

const deliveryRecord = ({ eventId, attemptedAt, nextAttemptAt, ...delivery }: Delivery) => ({
  ...delivery,
  eventId: publicId(eventId),
  attemptedAt: attemptedAt?.toISOString() ?? null,
  nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
})

const EventPath = Type.Object({ eventId: EventId })
const EndpointPath = Type.Object({ endpointId: Uuid })
const Resent = Type.Object({ deliveries: Type.Integer({ description: 'Number of deliveries that are now due.' }) })

/** Routes for the event log: reading events, inspecting deliveries, resending. */
export function eventRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/partner/events',
    {
      config: { access: 'partner', permission: 'events:read' },
      schema: {
        tags,
        summary: 'List the events of the last 30 days, oldest first',
        description:
          'Use it to catch up: pass the id of the last event you processed as `after`, and repeat until `hasNext` is false. The log contains every event since the first endpoint was created, whether or not an endpoint subscribes to it.',
        operationId: 'partner.events.list',
        querystring: Type.Object({
          after: Type.Optional(AfterEvent),
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
        summary: 'Get an event and its deliveries',
        operationId: 'partner.events.get',
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
        summary: 'Resend an event',
        description:
          'Sends the event to one endpoint, or to every endpoint that subscribes to its type. The id and the body are unchanged.',
        operationId: 'partner.events.resend',
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
        summary: 'List the deliveries of an endpoint, newest first',
        description:
          'A delivery is `dead` when the endpoint rejected it, when it failed for three days, or when the endpoint was disabled before it was sent.',
        operationId: 'partner.webhooks.listDeliveries',
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
        summary: 'Resend all dead letters of an endpoint',
        operationId: 'partner.webhooks.resendDeadLetters',
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
        body: { deliveries: await resendDeadLetters(ctx, tx, caller, request.params.endpointId) },
      }))
    },
  )
}
