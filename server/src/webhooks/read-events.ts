import type { Ctx } from '../context.ts'
import { addSeconds } from '../lib/clock.ts'
import { Refusal } from '../lib/errors.ts'
import { type Actor, pageOf } from '../partners/partners.ts'
import type { Queryable, Tx } from '../platform/db/db.ts'
import type { StatementItem } from '../statement-items/schemas.ts'
import { type Delivery, findDeliveriesOf, upsertDeliveries } from './deliveries-sql.ts'
import { findEndpoints } from './endpoints-sql.ts'
import { eventIdOf, isWanted } from './rules.ts'
import {
  deleteEventsBefore,
  type EventFilter,
  findEventsAbout,
  findLoggedEvent,
  findLoggedEvents,
  type LoggedEvent,
  lockLogs,
} from './sql.ts'
import { requireEndpoint } from './webhooks.ts'

/** Reads a partner's event log and its deliveries, and resends them. */
export type { Delivery, LoggedEvent }

const retentionSeconds = 30 * 86_400
const batchSize = 1000

export type EventQuery = EventFilter & { readonly after: string | undefined; readonly limit: number }
export type EventPage = { readonly rows: readonly LoggedEvent[]; readonly hasNext: boolean }

/** Returns the events that follow the given one in the order, or the first ones. */
export async function listEvents(ctx: Ctx, actor: Actor, { after, limit, ...filter }: EventQuery): Promise<EventPage> {
  const position = after === undefined ? null : (await requireEvent(ctx, actor, after)).position
  return pageOf(
    await findLoggedEvents(ctx.db, actor.partnerId, { ...filter, after: position, limit: limit + 1 }),
    limit,
  )
}

/** An event with its deliveries, at most one for each endpoint. */
export type DeliveredEvent = LoggedEvent & { readonly deliveries: readonly Delivery[] }

/**
 * Returns the events that reported a statement item, oldest first. `since` is the time at which the item was made. An
 * event can be later than the change that it reports, because it is never older than the user's last event.
 */
export async function listEventsOfItem(
  { db }: { readonly db: Queryable },
  { partnerId, userId }: { readonly partnerId: string; readonly userId: string },
  { type, id }: Pick<StatementItem, 'type' | 'id'>,
  since: Date,
): Promise<DeliveredEvent[]> {
  // The text of an item begins with its type and id.
  const part = JSON.stringify({ type, id }).slice(1, -1)
  const events = await findEventsAbout(db, partnerId, { userId, since, part })
  const positions = events.map(({ position }) => position)
  const deliveries = Map.groupBy(await findDeliveriesOf(db, partnerId, positions), ({ position }) => position)
  return events.map((event) => ({ ...event, deliveries: deliveries.get(event.position) ?? [] }))
}

export async function readEvent(
  ctx: Ctx,
  actor: Actor,
  id: string,
): Promise<{ event: LoggedEvent; deliveries: readonly Delivery[] }> {
  const event = await requireEvent(ctx, actor, id)
  return { event, deliveries: await findDeliveriesOf(ctx.db, actor.partnerId, [event.position]) }
}

/**
 * Sends an event again, even if it was delivered. A given endpoint receives it even if its filter does not match.
 * Without one, every enabled endpoint whose filter matches receives it. Returns the number of deliveries.
 */
export async function resendEvent(
  ctx: Ctx,
  tx: Tx,
  actor: Actor,
  id: string,
  endpointId: string | undefined,
): Promise<number> {
  const { partnerId } = actor
  await lockLogs(tx, [partnerId])
  const { position, type } = await requireEvent({ db: tx }, actor, id)
  const targets =
    endpointId === undefined
      ? (await findEndpoints(tx, partnerId)).filter(
          ({ status, events }) => status === 'enabled' && isWanted(events, type),
        )
      : [await requireEnabled(tx, actor, endpointId)]
  const deliveries = targets.map(({ endpointId }) => ({ endpointId, position, partnerId, type }))
  await upsertDeliveries(tx, deliveries, ctx.clock.now())
  return deliveries.length
}

export async function requireEnabled(tx: Tx, actor: Actor, endpointId: string) {
  const endpoint = await requireEndpoint(tx, actor, endpointId)
  if (endpoint.status !== 'enabled') throw new Refusal('ENDPOINT_DISABLED')
  return endpoint
}

export async function requireEvent(
  { db }: { readonly db: Queryable },
  { partnerId }: Actor,
  id: string,
): Promise<LoggedEvent> {
  const event = await findLoggedEvent(db, partnerId, eventIdOf(id))
  if (event === null) throw new Refusal('EVENT_NOT_FOUND')
  return event
}

/** Deletes events older than 30 days, in batches, so that no lock is held for long. */
export async function deleteExpiredEvents(ctx: Ctx, signal: AbortSignal): Promise<void> {
  const before = addSeconds(ctx.clock.now(), -retentionSeconds)
  const deleteBatch = () => ctx.db.transaction((tx) => deleteEventsBefore(tx, before, batchSize))
  while (!signal.aborted && (await deleteBatch()) === batchSize);
}
