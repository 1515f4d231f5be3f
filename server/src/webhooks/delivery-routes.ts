import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../context.ts'
import { InvalidInput } from '../lib/errors.ts'
import { requirePartner } from '../platform/http/access.ts'
import { DateTime, nullable, oneOf, plainErrors, Uuid } from '../platform/http/schemas.ts'
import { KeyHeader, respondOnce } from '../platform/idempotency/idempotency.ts'
import {
  type DeliveryPosition,
  listDeliveries,
  maxDeliveriesPerResend,
  readDelivery,
  resendDeliveries,
} from './read-deliveries.ts'
import { AttemptRecord, attemptRecord, DeliveryRecord, deliveryRecord, Resent } from './records.ts'
import { deliveryStatuses } from './rules.ts'
import { EventId, EventTypeSchema } from './schemas.ts'
import { sendTestEvent } from './test-events.ts'

const tags = ['Webhooks']
const EndpointPath = Type.Object({ endpointId: Uuid })
const bounds = {
  from: Type.Optional(Type.Unsafe<string>({ ...DateTime, description: 'The earliest creation, inclusive.' })),
  to: Type.Optional(Type.Unsafe<string>({ ...DateTime, description: 'The latest creation, inclusive.' })),
}
const cursorPattern = '^[0-9]{1,15}-[0-9]{1,18}$'
const resendCursorPattern = '^[0-9]{1,15}-[0-9]{1,18}-[0-9]{1,15}$'

const cursorOf = ({ createdAt, position }: DeliveryPosition) => `${createdAt.getTime()}-${position}`

function positionOf(cursor: string | undefined): DeliveryPosition | null {
  if (cursor === undefined) return null
  const [time, position] = cursor.split('-')
  return { createdAt: new Date(Number(time)), position: BigInt(position ?? 0) }
}

function timeOf(text: string | undefined, field: string): Date | null {
  if (text === undefined) return null
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) throw new InvalidInput(`${field} must be a time that exists`)
  return at
}

/** Routes for the deliveries of one endpoint: history, resending, test events. */
export function deliveryRoutes(instance: FastifyInstance, ctx: Ctx): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/partner/webhooks/:endpointId/deliveries',
    {
      config: { access: 'partner', permission: 'events:read' },
      schema: {
        tags,
        summary: 'List the deliveries of an endpoint, newest first',
        description:
          'A delivery is `dead` when the endpoint rejected it, when it failed for three days, or when the endpoint was disabled before it was delivered.',
        operationId: 'partner.webhooks.listDeliveries',
        params: EndpointPath,
        querystring: Type.Object({
          status: Type.Optional(oneOf(deliveryStatuses)),
          type: Type.Optional(EventTypeSchema),
          ...bounds,
          cursor: Type.Optional(Type.String({ pattern: cursorPattern })),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
        }),
        response: {
          200: Type.Object({
            data: Type.Array(DeliveryRecord),
            pagination: Type.Object({ nextCursor: nullable(Type.String()), hasNext: Type.Boolean() }),
          }),
          ...plainErrors(400, 'ENDPOINT_NOT_FOUND'),
        },
      },
    },
    async (request) => {
      const { status = null, type = null, cursor, limit = 100, from, to } = request.query
      const { rows, hasNext } = await listDeliveries(ctx, requirePartner(request), request.params.endpointId, {
        ...{ status, type, limit, after: positionOf(cursor) },
        from: timeOf(from, 'querystring/from'),
        to: timeOf(to, 'querystring/to'),
      })
      const last = rows.at(-1)
      const nextCursor = hasNext && last !== undefined ? cursorOf(last) : null
      return { data: rows.map(deliveryRecord), pagination: { nextCursor, hasNext } }
    },
  )

  app.get(
    '/partner/webhooks/:endpointId/deliveries/:eventId',
    {
      config: { access: 'partner', permission: 'events:read' },
      schema: {
        tags,
        summary: 'Get a delivery with its latest 50 attempts, newest first',
        operationId: 'partner.webhooks.getDelivery',
        params: Type.Object({ endpointId: Uuid, eventId: EventId }),
        response: {
          200: Type.Object({ delivery: DeliveryRecord, attempts: Type.Array(AttemptRecord) }),
          ...plainErrors(400, 'ENDPOINT_NOT_FOUND', 'EVENT_NOT_FOUND', 'DELIVERY_NOT_FOUND'),
        },
      },
    },
    async (request) => {
      const { endpointId, eventId } = request.params
      const { delivery, attempts } = await readDelivery(ctx, requirePartner(request), endpointId, eventId)
      return { delivery: deliveryRecord(delivery), attempts: attempts.map(attemptRecord) }
    },
  )

  app.post(
    '/partner/webhooks/:endpointId/test',
    {
      config: { access: 'partner', permission: 'webhooks:write' },
      schema: {
        headers: KeyHeader,
        tags,
        summary: 'Send a test event to an endpoint',
        description:
          'The event has invented data and `"test": true`. It is signed and retried like every other, but the event log does not list it.',
        operationId: 'partner.webhooks.test',
        params: EndpointPath,
        body: Type.Object({ type: EventTypeSchema }),
        response: {
          202: Type.Object({ eventId: EventId }),
          ...plainErrors(400, 'ENDPOINT_NOT_FOUND', 'ENDPOINT_DISABLED', 'IDEMPOTENCY_KEY_REUSED'),
        },
      },
    },
    async (request, reply) => {
      const caller = requirePartner(request)
      const { endpointId } = request.params
      return respondOnce(ctx, request, reply, caller.partnerId, async (tx) => ({
        status: 202,
        body: { eventId: await sendTestEvent(ctx, tx, caller, endpointId, request.body.type) },
      }))
    },
  )

  app.post(
    '/partner/webhooks/:endpointId/resend',
    {
      config: { access: 'partner', permission: 'webhooks:write' },
      schema: {
        headers: KeyHeader,
        tags,
        summary: 'Resend deliveries of an endpoint',
        description:
          'Without a body, resends all dead letters. A request resends at most 10,000 deliveries, the oldest first. To resend more, send the same body again with `nextCursor` of the response as its `cursor`, until `nextCursor` is null. This way, no delivery is resent twice. Without `to`, deliveries created after the first request are not resent.',
        operationId: 'partner.webhooks.resendDeadLetters',
        params: EndpointPath,
        body: nullable(
          Type.Object({
            ...bounds,
            status: Type.Optional(
              oneOf(['dead', 'delivered', 'all'], { default: 'dead', description: '`all`: dead and delivered ones.' }),
            ),
            cursor: Type.Optional(
              Type.String({ pattern: resendCursorPattern, description: '`nextCursor` of the last response.' }),
            ),
            limit: Type.Optional(
              Type.Integer({ minimum: 1, maximum: maxDeliveriesPerResend, default: maxDeliveriesPerResend }),
            ),
          }),
        ),
        response: {
          202: Type.Object({
            ...Resent.properties,
            hasMore: Type.Boolean({ description: 'Whether there may be more.' }),
            nextCursor: nullable(
              Type.String({ description: 'The `cursor` of the next request. Null: everything is resent.' }),
            ),
          }),
          ...plainErrors(400, 'ENDPOINT_NOT_FOUND', 'ENDPOINT_DISABLED', 'IDEMPOTENCY_KEY_REUSED'),
        },
      },
    },
    async (request, reply) => {
      const caller = requirePartner(request)
      const { from, to, status = 'dead', cursor, limit = maxDeliveriesPerResend } = request.body ?? {}
      // The first request fixes the end of the range, so that resending ends even if users keep causing new events.
      const [, , end] = cursor?.split('-') ?? []
      const until = end === undefined ? (timeOf(to, 'body/to') ?? ctx.clock.now()) : new Date(Number(end))
      const wanted = {
        from: timeOf(from, 'body/from'),
        to: until,
        statuses: status === 'all' ? (['dead', 'delivered'] as const) : ([status] as const),
        after: positionOf(cursor),
        limit,
      }
      return respondOnce(ctx, request, reply, caller.partnerId, async (tx) => {
        const { deliveries, last } = await resendDeliveries(ctx, tx, caller, request.params.endpointId, wanted)
        const nextCursor = last === null ? null : `${cursorOf(last)}-${until.getTime()}`
        return { status: 202, body: { deliveries, hasMore: last !== null, nextCursor } }
      })
    },
  )
}
