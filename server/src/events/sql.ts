import type { Queryable, Tx } from '../platform/db/db.ts'
import type { EventType } from './rules.ts'

/**
 * The tail of a statement that appends the rows of its CTE `new_events (n, event_id, type, data)` to the user's outbox.
 * Appends nothing when the user's partner has no webhook endpoint. $1 is the user, $2 the time of the fact. A fact that
 * waited for the lock can be older than the last event. It then gets the last event's time, so events become due in order.
 */
export const appendNewEvents = `insert into event (user_id, seq, event_id, partner_id, type, data, created_at, due_at)
  select u.user_id, coalesce(last.seq, 0) + row_number() over (order by added.n), added.event_id, u.partner_id,
    added.type, added.data, greatest($2::timestamptz, last.created_at), greatest($2::timestamptz, last.created_at)
  from new_events added cross join app_user u
    left join lateral (
      select e.seq, e.created_at from event e where e.user_id = $1 order by e.seq desc limit 1
    ) last on true
  where u.user_id = $1 and exists (select 1 from webhook_endpoint w where w.partner_id = u.partner_id)`

export async function insertEvent(
  tx: Tx,
  event: { userId: string; eventId: string; type: EventType; data: string; at: Date },
): Promise<void> {
  await tx.query(
    `with new_events as (select 1 as n, $3::uuid as event_id, $4::text as type, $5::text as data) ${appendNewEvents}`,
    [event.userId, event.at, event.eventId, event.type, event.data],
  )
}

export type DueEvent = {
  readonly userId: string
  readonly seq: bigint
  readonly eventId: string
  readonly partnerId: string
  readonly type: EventType
  readonly data: string
  readonly createdAt: Date
}

/** Returns due events. Each user's events are in the order of their numbers. */
export async function scanDueEvents(db: Queryable, now: Date, limit: number): Promise<DueEvent[]> {
  return db.query<DueEvent>(
    `-- scanDueEvents
     select user_id as "userId", seq, event_id as "eventId", partner_id as "partnerId", type, data,
       created_at as "createdAt"
     from event where due_at <= $1 order by due_at, seq limit $2`,
    [now, limit],
  )
}

/** Takes the events that no other worker has taken, clears their text, and returns their ids. */
export async function takeEvents(tx: Tx, events: readonly DueEvent[]): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ eventId: string }>(
    `update event set due_at = null, data = '' where user_id = any($1::uuid[]) and due_at is not null
       and (user_id, seq) in (select u, s from unnest($1::uuid[], $2::bigint[]) as k (u, s))
     returning event_id as "eventId"`,
    [events.map(({ userId }) => userId), events.map(({ seq }) => seq)],
  )
  return new Set(rows.map(({ eventId }) => eventId))
}

/** Takes all events of the user without publishing them, and clears their text. Returns the partner that they were for. */
export async function clearOutbox(tx: Tx, userId: string): Promise<string | null> {
  const [row] = await tx.query<{ partnerId: string }>(
    `update event set due_at = null, data = '' where user_id = $1 returning partner_id as "partnerId"`,
    [userId],
  )
  return row?.partnerId ?? null
}

/** Deletes taken events, except each user's last one, which determines the next number. */
export async function deleteTakenEvents(tx: Tx, userIds: readonly string[]): Promise<void> {
  await tx.query(
    `delete from event e where user_id = any($1::uuid[]) and due_at is null
       and exists (select 1 from event later where later.user_id = e.user_id and later.seq > e.seq)`,
    [userIds],
  )
}
