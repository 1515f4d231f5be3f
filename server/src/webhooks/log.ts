import type { Ctx } from '../context.ts'
import type { Tx } from '../db/db.ts'
import { isWanted } from './rules.ts'
import { extendStream, findEndpoints, insertLogged, type LoggedEvent, upsertDeliveries } from './sql.ts'

export type NewEvent = Omit<LoggedEvent, 'position'>

/**
 * Adds events to the end of a partner's log, and a delivery for each endpoint that wants them. The log is locked until
 * the transaction ends, so positions become visible in their order: who has read up to one has missed none before it.
 */
export async function appendEvents(
  ctx: Pick<Ctx, 'clock'>,
  tx: Tx,
  partnerId: string,
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length === 0) return
  const last = await extendStream(tx, partnerId, events.length)
  const logged = events.map((event, i) => ({ ...event, position: last - BigInt(events.length - 1 - i) }))
  await insertLogged(tx, partnerId, logged)
  const endpoints = (await findEndpoints(tx, partnerId)).filter(({ status }) => status === 'enabled')
  const deliveries = logged.flatMap(({ position, type }) =>
    endpoints.filter(({ events }) => isWanted(events, type)).map(({ endpointId }) => ({ endpointId, position })),
  )
  if (deliveries.length > 0) await upsertDeliveries(tx, partnerId, deliveries, ctx.clock.now())
}
