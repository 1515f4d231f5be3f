import { Type } from 'typebox'
import { DateTime, nullable, oneOf, Uuid } from '../platform/http/schemas.ts'
import type { Attempt, Delivery } from './deliveries-sql.ts'
import { deliveryStatuses, publicId } from './rules.ts'
import { EventId, EventTypeSchema, TestMark } from './schemas.ts'

/** The records of events, deliveries and attempts that several routes return. */

export const EventRecord = Type.Object(
  {
    id: EventId,
    type: EventTypeSchema,
    createdAt: DateTime,
    test: Type.Optional(TestMark),
    data: Type.Record(Type.String(), Type.Unknown(), {
      description: 'The data of the event, by the schema of its type in the section `webhooks`.',
    }),
  },
  { title: 'Event' },
)
export const DeliveryRecord = Type.Object(
  {
    endpointId: Uuid,
    eventId: EventId,
    type: EventTypeSchema,
    status: oneOf(deliveryStatuses),
    attempts: Type.Integer(),
    attemptedAt: nullable(DateTime),
    nextAttemptAt: nullable(DateTime),
    responseStatus: nullable(Type.Integer()),
    error: nullable(Type.String({ description: 'Why the last attempt received no response.' })),
    createdAt: DateTime,
  },
  { title: 'Delivery' },
)

export const deliveryRecord = ({
  eventId,
  attemptedAt,
  nextAttemptAt,
  createdAt,
  position: _,
  ...delivery
}: Delivery) => ({
  ...delivery,
  createdAt: createdAt.toISOString(),
  eventId: publicId(eventId),
  attemptedAt: attemptedAt?.toISOString() ?? null,
  nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
})

export const AttemptRecord = Type.Object(
  {
    attemptedAt: DateTime,
    milliseconds: Type.Integer(),
    responseStatus: nullable(Type.Integer()),
    response: nullable(Type.String({ description: 'The first KiB of the response.' })),
    error: nullable(Type.String()),
  },
  { title: 'DeliveryAttempt' },
)

export const attemptRecord = ({ attemptedAt, ...attempt }: Attempt) => ({
  ...attempt,
  attemptedAt: attemptedAt.toISOString(),
})

export const Resent = Type.Object({
  deliveries: Type.Integer({ description: 'Number of deliveries that are now due.' }),
})
