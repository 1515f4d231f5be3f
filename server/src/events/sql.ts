import type { Tx } from '../db/db.ts'
import type { EventType } from './rules.ts'

/**
 * A statement, or the end of one that begins with `with`: adds an event to the user's, if somebody listens. $1 the user,
 * $2 the event's id, $3 its type, $4 what it says as the text of a JSON object, $5 the instant; never before the last
 * one's, though that may be later where a fact waited for the lock: a user's events become due in their order.
 */
export const addEvent = `insert into event (user_id, seq, event_id, partner_id, type, data, created_at, due_at)
  select u.user_id, coalesce(last.seq, 0) + 1, $2, u.partner_id, $3, $4, greatest($5, last.created_at),
    greatest($5, last.created_at)
  from app_user u
    left join lateral (
      select e.seq, e.created_at from event e where e.user_id = $1 order by e.seq desc limit 1
    ) last on true
  where u.user_id = $1 and exists (select 1 from webhook_endpoint w where w.partner_id = u.partner_id)`

export async function insertEvent(
  tx: Tx,
  event: { userId: string; eventId: string; type: EventType; data: string; at: Date },
): Promise<void> {
  await tx.query(addEvent, [event.userId, event.eventId, event.type, event.data, event.at])
}
