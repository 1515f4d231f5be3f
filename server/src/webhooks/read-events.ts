import type { Ctx } from '../context.ts'
import { addSeconds } from '../lib/clock.ts'
import { Refusal } from '../lib/errors.ts'
import { type Actor, pageOf } from '../partners/partners.ts'
import type { Queryable, Tx } from '../platform/db/db.ts'
import type { StatementItem } from '../statement-items/schemas.ts'
import { type Endpoint, findEndpointById, findEndpoints } from './endpoints-sql.ts'
import { eventIdOf, isWanted } from './rules.ts'
import {
  type Delivery,
  deleteEventsBefore,
  findDeliveriesOf,
  findDeliveriesTo,
  findEventsAbout,
  findLoggedEvent,
  findLoggedEvents,
  type LoggedEvent,
  reviveDeadLetters,
  upsertDeliveries,
} from './sql.ts'
import { requireEndpoint } from './webhooks.ts'

/** Reads a partner's event log and its deliveries, and resends them. */
export type { Delivery, LoggedEvent }

const retentionSeconds = 30 * 86_400
const batchSize = 1000

/** Returns events in the order of the log: those after the given event, or from the beginning. */
export async function listEvents(
  ctx: Ctx,
  actor: Actor,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<{ rows: readonly LoggedEvent[]; hasNext: boolean }> {
  const position = after === undefined ? 0n : (await requireEvent(ctx, actor, after)).position
  return pageOf(await findLoggedEvents(ctx.db, actor.partnerId, { after: position, limit: limit + 1 }), limit)
}

/** Returns the events that reported a statement item, oldest first. `times` must contain the time of each change. */
export function listEventsOfItem(
  { db }: { readonly db: Queryable },
  { partnerId, userId }: { readonly partnerId: string; readonly userId: string },
  { type, id }: Pick<StatementItem, 'type' | 'id'>,
  times: readonly Date[],
): Promise<LoggedEvent[]> {
  // The text of an item begins with its type and id.
  return findEventsAbout(db, partnerId, { userId, times, part: JSON.stringify({ type, id }).slice(1, -1) })
}

export async function readEvent(
  ctx: Ctx,
  actor: Actor,
  id: string,
): Promise<{ event: LoggedEvent; deliveries: readonly Delivery[] }> {
  const event = await requireEvent(ctx, actor, id)
  return { event, deliveries: await findDeliveriesOf(ctx.db, actor.partnerId, event.position) }
}

/** Returns the deliveries of an endpoint, newest first. */
export async function listDeliveries(
  ctx: Ctx,
  actor: Actor,
  endpointId: string,
  { status, limit }: { status: Delivery['status'] | null; limit: number },
): Promise<Delivery[]> {
  await requireEndpoint(ctx.db, actor, endpointId)
  return findDeliveriesTo(ctx.db, endpointId, { status, limit })
}

/**
 * Sends an event again, even if it was delivered. A given endpoint receives it even if its filter does not match. Without
 * one, every enabled endpoint whose filter matches receives it. Returns the number of deliveries.
 */
export async function resendEvent(
  ctx: Ctx,
  tx: Tx,
  actor: Actor,
  id: string,
  endpointId: string | undefined,
): Promise<number> {
  const { position, type } = await requireEvent(ctx, actor, id)
  const targets =
    endpointId === undefined
      ? (await findEndpoints(tx, actor.partnerId)).filter(
          ({ status, events }) => status === 'enabled' && isWanted(events, type),
        )
      : [await requireEnabled(tx, actor, endpointId)]
  const { partnerId } = actor
  const deliveries = targets.map(({ endpointId }) => ({ endpointId, position, partnerId }))
  await upsertDeliveries(tx, deliveries, ctx.clock.now())
  return deliveries.length
}

/** Makes all dead letters of an endpoint due again, with a new set of attempts. Returns their number. */
export async function resendDeadLetters(ctx: Ctx, tx: Tx, actor: Actor, endpointId: string): Promise<number> {
  await requireEnabled(tx, actor, endpointId)
  return reviveDeadLetters(tx, endpointId, ctx.clock.now())
}

/** Returns an endpoint of any partner, for operators. */
export async function describeEndpoint(db: Queryable, endpointId: string): Promise<Endpoint> {
  const endpoint = await findEndpointById(db, endpointId)
  if (endpoint === null) throw new Refusal('ENDPOINT_NOT_FOUND')
  return endpoint
}

/** Does the same for an operator, who acts for no partner. */
export async function resendAllDeadLetters(ctx: Pick<Ctx, 'clock'>, tx: Tx, endpointId: string): Promise<number> {
  const { status } = await describeEndpoint(tx, endpointId)
  if (status !== 'enabled') throw new Refusal('ENDPOINT_DISABLED')
  return reviveDeadLetters(tx, endpointId, ctx.clock.now())
}

async function requireEnabled(tx: Tx, actor: Actor, endpointId: string) {
  const endpoint = await requireEndpoint(tx, actor, endpointId)
  if (endpoint.status !== 'enabled') throw new Refusal('ENDPOINT_DISABLED')
  return endpoint
}

async function requireEvent(ctx: Ctx, { partnerId }: Actor, id: string): Promise<LoggedEvent> {
  const event = await findLoggedEvent(ctx.db, partnerId, eventIdOf(id))
  if (event === null) throw new Refusal('EVENT_NOT_FOUND')
  return event
}

/** Deletes events older than 30 days, in batches, so that no lock is held for long. */
export async function deleteExpiredEvents(ctx: Ctx, signal: AbortSignal): Promise<void> {
  const before = addSeconds(ctx.clock.now(), -retentionSeconds)
  while (!signal.aborted && (await deleteEventsBefore(ctx.db, before, batchSize)) === batchSize);
}
