import type { Ctx } from '../context.ts'
import type { Tx } from '../platform/db/db.ts'
import { upsertDeliveries } from './deliveries-sql.ts'
import { findEndpointsOf } from './endpoints-sql.ts'
import { isWanted } from './rules.ts'
import { insertLoggedEvents, type LoggedEvent, reservePositions } from './sql.ts'

export type NewEvent = Omit<LoggedEvent, 'position' | 'isTest'> & {
  readonly partnerId: string
  /** null for an event about the partner itself */
  readonly userId: string | null
  /** The only endpoint that receives a test event. */
  readonly testOf?: string
}

/**
 * Appends events to their partners' event logs, with a delivery for each enabled endpoint whose filter matches. A log
 * stays locked until the transaction ends, so its positions become visible in order. A reader that continues after the
 * last position it saw misses no event.
 */
export async function appendEvents(ctx: Pick<Ctx, 'clock'>, tx: Tx, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const byPartner = Map.groupBy(events, ({ partnerId }) => partnerId)
  // Sorted: two workers that lock the logs in the same order cannot deadlock.
  const partnerIds = [...byPartner.keys()].sort()
  const counts = partnerIds.map((partnerId) => ({ partnerId, by: byPartner.get(partnerId)?.length ?? 0 }))
  const lastPositions = await reservePositions(tx, counts)
  const logged = partnerIds.flatMap((partnerId) => {
    const own = byPartner.get(partnerId) ?? []
    const first = (lastPositions.get(partnerId) ?? 0n) - BigInt(own.length) + 1n
    return own.map((event, i) => ({ ...event, isTest: event.testOf !== undefined, position: first + BigInt(i) }))
  })
  await insertLoggedEvents(tx, logged)

  const enabled = (await findEndpointsOf(tx, partnerIds)).filter(({ status }) => status === 'enabled')
  const endpoints = Map.groupBy(enabled, ({ partnerId }) => partnerId)
  const deliveries = logged.flatMap(({ partnerId, position, type, testOf }) =>
    (endpoints.get(partnerId) ?? [])
      .filter(({ endpointId, events }) => (testOf === undefined ? isWanted(events, type) : endpointId === testOf))
      .map(({ endpointId }) => ({ endpointId, position, partnerId, type })),
  )
  await upsertDeliveries(tx, deliveries, ctx.clock.now())
}
