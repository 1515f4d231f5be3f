import type { Ctx } from '../context.ts'
import { addSeconds } from '../lib/clock.ts'
import { Refusal } from '../lib/errors.ts'
import { type Actor, pageOf } from '../partners/partners.ts'
import type { Tx } from '../platform/db/db.ts'
import { eventIdOf, isWanted } from './rules.ts'
import {
  type Delivery,
  deleteOldEvents,
  findDeliveriesOf,
  findDeliveriesTo,
  findEndpoints,
  findLogged,
  findLoggedAfter,
  type LoggedEvent,
  reviveDead,
  upsertDeliveries,
} from './sql.ts'
import { requireEndpoint } from './webhooks.ts'

/** What a partner reads of its log and of the deliveries, and what it has sent again. */
export type { Delivery }

const keptSeconds = 30 * 86_400
const mostAtOnce = 1000

/** In the order of the log, from after an event that is known, or from the beginning. */
export async function listEvents(
  ctx: Ctx,
  actor: Actor,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<{ rows: readonly LoggedEvent[]; hasNext: boolean }> {
  const position = after === undefined ? 0n : (await requireEvent(ctx, actor, after)).position
  return pageOf(await findLoggedAfter(ctx.db, actor.partnerId, { after: position, limit: limit + 1 }), limit)
}

export async function readEvent(
  ctx: Ctx,
  actor: Actor,
  id: string,
): Promise<{ event: LoggedEvent; deliveries: readonly Delivery[] }> {
  const event = await requireEvent(ctx, actor, id)
  return { event, deliveries: await findDeliveriesOf(ctx.db, actor.partnerId, event.position) }
}

/** Newest first. */
export async function listDeliveries(
  ctx: Ctx,
  actor: Actor,
  endpointId: string,
  { status, limit }: { status: Delivery['status'] | null; limit: number },
): Promise<Delivery[]> {
  await requireEndpoint(ctx.db, actor, endpointId)
  return findDeliveriesTo(ctx.db, endpointId, { status, limit })
}

/** To the endpoint, wanted or not; without one, to all that want it. Whatever became of it before. */
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

/** All dead letters of an endpoint, from their first attempt on. */
export async function resendDead(ctx: Ctx, tx: Tx, actor: Actor, endpointId: string): Promise<number> {
  await requireEnabled(tx, actor, endpointId)
  return reviveDead(tx, endpointId, ctx.clock.now())
}

async function requireEnabled(tx: Tx, actor: Actor, endpointId: string) {
  const endpoint = await requireEndpoint(tx, actor, endpointId)
  if (endpoint.status !== 'enabled') throw new Refusal('ENDPOINT_DISABLED')
  return endpoint
}

async function requireEvent(ctx: Ctx, { partnerId }: Actor, id: string): Promise<LoggedEvent> {
  const event = await findLogged(ctx.db, partnerId, eventIdOf(id))
  if (event === null) throw new Refusal('EVENT_NOT_FOUND')
  return event
}

export async function forgetOldEvents(ctx: Ctx, signal: AbortSignal): Promise<void> {
  const before = addSeconds(ctx.clock.now(), -keptSeconds)
  while (!signal.aborted && (await deleteOldEvents(ctx.db, before, mostAtOnce)) === mostAtOnce);
}
