import type { Ctx } from '../context.ts'
import type { EventType } from '../events/rules.ts'
import { Refusal } from '../lib/errors.ts'
import { type Actor, pageOf } from '../partners/partners.ts'
import type { Tx } from '../platform/db/db.ts'
import {
  type Attempt,
  type Delivery,
  type DeliveryPosition,
  findAttempts,
  findDeliveriesTo,
  findDelivery,
  reviveDeliveries,
} from './deliveries-sql.ts'
import { type Endpoint, lockEndpointById } from './endpoints-sql.ts'
import { requireEnabled, requireEvent } from './read-events.ts'
import type { DeliveryStatus } from './rules.ts'
import { lockLogs } from './sql.ts'
import { requireEndpoint } from './webhooks.ts'

/** Reads the deliveries of an endpoint with their attempts, and makes ended ones due again. */
export type { Attempt, Delivery, DeliveryPosition }

const maxAttempts = 50
/** A request changes at most this many deliveries, so that it does not lock rows for long. */
export const maxDeliveriesPerResend = 10_000

/** Both bounds are inclusive. */
type Window = { readonly from: Date | null; readonly to: Date | null }

export type DeliveryQuery = Window & {
  readonly status: DeliveryStatus | null
  readonly type: EventType | null
  readonly after: DeliveryPosition | null
  readonly limit: number
}

/** Returns a page of the deliveries of an endpoint, newest first. */
export async function listDeliveries(
  ctx: Ctx,
  actor: Actor,
  endpointId: string,
  { status, type, from, to, after, limit }: DeliveryQuery,
): Promise<{ rows: readonly Delivery[]; hasNext: boolean }> {
  await requireEndpoint(ctx.db, actor, endpointId)
  // Times have whole milliseconds, so no delivery lies between `to` and one millisecond later.
  const first =
    to === null
      ? ({ createdAt: 'infinity', position: 0n } as const)
      : { createdAt: new Date(to.getTime() + 1), position: 0n }
  const range = { before: after ?? first, from: from ?? '-infinity', limit: limit + 1 } as const
  return pageOf(await findDeliveriesTo(ctx.db, endpointId, { status, type }, range), limit)
}

/** Returns one delivery with its latest attempts, newest first. */
export async function readDelivery(
  ctx: Ctx,
  actor: Actor,
  endpointId: string,
  eventId: string,
): Promise<{ delivery: Delivery; attempts: readonly Attempt[] }> {
  await requireEndpoint(ctx.db, actor, endpointId)
  const { position } = await requireEvent(ctx, actor, eventId)
  const delivery = await findDelivery(ctx.db, { endpointId, position })
  if (delivery === null) throw new Refusal('DELIVERY_NOT_FOUND')
  return { delivery, attempts: await findAttempts(ctx.db, { endpointId, position }, maxAttempts) }
}

export type ResendQuery = Window & {
  readonly statuses: readonly Exclude<DeliveryStatus, 'pending'>[]
  readonly after: DeliveryPosition | null
  readonly limit: number
}

/**
 * Makes ended deliveries due again, with a new set of attempts. Returns their number and, if more may follow, the last
 * one. The next request starts after it: the resent deliveries may have ended again, and would otherwise match again.
 */
export async function resendDeliveries(
  ctx: Ctx,
  tx: Tx,
  actor: Actor,
  endpointId: string,
  wanted: ResendQuery,
): Promise<{ deliveries: number; last: DeliveryPosition | null }> {
  await lockLogs(tx, [actor.partnerId])
  await requireEnabled(tx, actor, endpointId)
  const revived = await reviveDeliveries(tx, endpointId, wanted, ctx.clock.now())
  const last = revived.length === wanted.limit ? revived.at(-1) : undefined
  return { deliveries: revived.length, last: last ?? null }
}

/** Locks an endpoint of any partner, for operators. */
export async function lockEndpoint(tx: Tx, endpointId: string): Promise<Endpoint> {
  const endpoint = await lockEndpointById(tx, endpointId)
  if (endpoint === null) throw new Refusal('ENDPOINT_NOT_FOUND')
  return endpoint
}

/**
 * Makes up to `maxDeliveriesPerResend` dead letters of an endpoint due again, the oldest first, for an operator, who
 * acts for no partner. Returns their number.
 */
export async function resendDeadLetters(ctx: Pick<Ctx, 'clock'>, tx: Tx, endpointId: string): Promise<number> {
  const { status } = await lockEndpoint(tx, endpointId)
  if (status !== 'enabled') throw new Refusal('ENDPOINT_DISABLED')
  const dead = { statuses: ['dead'], from: null, to: null, after: null, limit: maxDeliveriesPerResend } as const
  return (await reviveDeliveries(tx, endpointId, dead, ctx.clock.now())).length
}
