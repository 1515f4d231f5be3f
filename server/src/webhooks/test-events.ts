import type { Ctx } from '../context.ts'
import type { EventType } from '../events/rules.ts'
import { newId } from '../lib/id.ts'
import { type Actor, recordPartnerChange } from '../partners/partners.ts'
import type { Tx } from '../platform/db/db.ts'
import { appendEvents } from './append-events.ts'
import { exampleOf } from './event-examples.ts'
import { requireEnabled } from './read-events.ts'
import { envelope, publicId } from './rules.ts'

/**
 * Sends an invented event to one endpoint. It is queued, signed and retried like every other event. The partner's log
 * does not list it, so a receiver that catches up does not process it. Returns its public id.
 */
export async function sendTestEvent(
  ctx: Ctx,
  tx: Tx,
  actor: Actor,
  endpointId: string,
  type: EventType,
): Promise<string> {
  await recordPartnerChange(ctx, tx, actor, { action: 'webhook.tested', subject: endpointId, detail: { type } })
  await requireEnabled(tx, actor, endpointId)
  const createdAt = ctx.clock.now()
  const eventId = newId(createdAt)
  const fields = JSON.stringify(exampleOf(type))
  const body = envelope({ eventId, type, createdAt, fields, of: null, isTest: true })
  const { partnerId } = actor
  await appendEvents(ctx, tx, [{ partnerId, userId: null, eventId, type, createdAt, body, testOf: endpointId }])
  return publicId(eventId)
}
