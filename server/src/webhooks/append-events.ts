import type { Ctx } from '../context.ts'
import type { Tx } from '../platform/db/db.ts'
import { isWanted } from './rules.ts'
import { extendStreams, findEndpointsOf, insertLogged, type LoggedEvent, upsertDeliveries } from './sql.ts'

export type NewEvent = Omit<LoggedEvent, 'position'> & { readonly partnerId: string }

/**
 * Adds events to the end of their partners' logs, and a delivery for each endpoint that wants them. A log is locked until
 * the transaction ends, so positions become visible in their order: who has read up to one has missed none before it.
 */
export async function appendEvents(ctx: Pick<Ctx, 'clock'>, tx: Tx, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const byPartner = Map.groupBy(events, ({ partnerId }) => partnerId)
  // Always in the same order, so that two workers never wait for each other.
  const partnerIds = [...byPartner.keys()].sort()
  const counts = partnerIds.map((partnerId) => ({ partnerId, by: byPartner.get(partnerId)?.length ?? 0 }))
  const ends = await extendStreams(tx, counts)
  const logged = partnerIds.flatMap((partnerId) => {
    const own = byPartner.get(partnerId) ?? []
    const first = (ends.get(partnerId) ?? 0n) - BigInt(own.length) + 1n
    return own.map((event, i) => ({ ...event, position: first + BigInt(i) }))
  })
  await insertLogged(tx, logged)

  const enabled = (await findEndpointsOf(tx, partnerIds)).filter(({ status }) => status === 'enabled')
  const endpoints = Map.groupBy(enabled, ({ partnerId }) => partnerId)
  const deliveries = logged.flatMap(({ partnerId, position, type }) =>
    (endpoints.get(partnerId) ?? [])
      .filter(({ events }) => isWanted(events, type))
      .map(({ endpointId }) => ({ endpointId, position, partnerId })),
  )
  await upsertDeliveries(tx, deliveries, ctx.clock.now())
}
