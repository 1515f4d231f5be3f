import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { checkPartner } from '../identity/guard.ts'
import { requirePartner } from '../platform/http/access.ts'
import { oneOf, plainErrors, Uuid } from '../platform/http/schemas.ts'
import { KeyHeader, respondOnce } from '../platform/idempotency/idempotency.ts'
import { createLogWaiters, type LogWaiters } from './await-events.ts'
import { type EventPage, type EventQuery, listEvents, readEvent, resendEvent } from './read-events.ts'
import { DeliveryRecord, deliveryRecord, EventRecord, Resent } from './records.ts'
import { AfterEvent, EventId, EventTypeSchema } from './schemas.ts'

const tags = ['Webhooks']
const maxWaitSeconds = 20
const EventPath = Type.Object({ eventId: EventId })

/** Reads events, and waits for the first one if there is none. */
async function awaitEvents(
  ctx: Ctx,
  waiters: LogWaiters,
  request: FastifyRequest,
  reply: FastifyReply,
  query: EventQuery,
  seconds: number,
): Promise<EventPage> {
  const { partnerId } = requirePartner(request)
  if (seconds === 0) return listEvents(ctx, requirePartner(request), query)
  const gone = new AbortController()
  const leave = () => gone.abort()
  reply.raw.once('close', leave)
  const end = AbortSignal.any([gone.signal, AbortSignal.timeout(seconds * 1000)])
  for (;;) {
    const position = await waiters.positionOf(partnerId)
    const page = await listEvents(ctx, requirePartner(request), query)
    if (page.rows.length > 0 || end.aborted || waiters.isStopped()) return page
    await waiters.waitBeyond(requirePartner(request), position, end)
    // Meanwhile the caller may have lost its access.
    await checkPartner(ctx, request)
  }
}

/** Routes for the event log: reading events, inspecting deliveries, resending. */
export function eventRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const waiters = createLogWaiters(ctx)
  app.addHook('preClose', async () => waiters.stop())

  app.get(
    '/partner/events',
    {
      config: { access: 'partner', permission: 'events:read' },
      schema: {
        tags,
        summary: 'List the events of the last 30 days',
        description:
          'Use it to catch up: pass the id of the last event you processed as `after`, and repeat until `hasNext` is false. While the partner has an endpoint, the log records every event, whether or not an endpoint subscribes to it.',
        operationId: 'partner.events.list',
        querystring: Type.Object({
          after: Type.Optional(AfterEvent),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
          order: Type.Optional(
            oneOf(['oldest', 'newest'], {
              default: 'oldest',
              description: 'The events that come first. `newest` ignores `wait`.',
            }),
          ),
          type: Type.Optional(EventTypeSchema),
          userId: Type.Optional(Uuid),
          wait: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: maxWaitSeconds,
              default: 0,
              description: 'If there is no event, waits up to this many seconds for one before it responds.',
            }),
          ),
        }),
        response: {
          200: Type.Object({
            data: Type.Array(EventRecord),
            pagination: Type.Object({ hasNext: Type.Boolean() }),
          }),
          ...plainErrors(400, 'EVENT_NOT_FOUND', 429),
        },
      },
    },
    async (request, reply) => {
      const { after, limit = 100, order = 'oldest', type = null, userId = null, wait = 0 } = request.query
      const query = { after, limit, order, type, userId }
      const seconds = order === 'oldest' ? wait : 0
      const { rows, hasNext } = await awaitEvents(ctx, waiters, request, reply, query, seconds)
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
}
