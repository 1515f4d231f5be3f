import { functionCall } from '../platform/db/call.ts'
import type { Tx } from '../platform/db/db.ts'
import type { DataNode } from '../platform/db/nodes.ts'
import type { EventType } from './rules.ts'

const call = functionCall('select append_event', ['user_id', 'event_id', 'type', 'data', 'at'])

export async function appendEvent(
  tx: Tx,
  event: { userId: string; eventId: string; type: EventType; data: string; at: Date },
): Promise<void> {
  const { userId, eventId, type, data, at } = event
  await tx.query(call.text, call.values({ user_id: userId, event_id: eventId, type, data, at }))
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

/** Returns due events of one database server. Each user's events are in the order of their numbers. */
export async function scanDueEvents({ query, tablesOf }: DataNode, now: Date, limit: number): Promise<DueEvent[]> {
  const parts = tablesOf('event').map(
    (table) => `select user_id, seq, event_id, partner_id, type, data, created_at, due_at from ${table}`,
  )
  return query<DueEvent>(
    `-- scanDueEvents
     select user_id as "userId", seq, event_id as "eventId", partner_id as "partnerId", type, data,
       created_at as "createdAt"
     from (${parts.join(' union all ')}) as due where due_at <= $1 order by due_at, seq limit $2`,
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

/**
 * Takes all events of the user without publishing them, and clears their text. Returns the partner that they were for.
 */
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
       and exists (
         select 1 from event later
         where later.user_id = any($1::uuid[]) and later.user_id = e.user_id and later.seq > e.seq)`,
    [userIds],
  )
}
