import type { EventType } from '../events/rules.ts'
import { ledgerAccounts, type TokenBalance } from '../ledger/rules.ts'
import type { Queryable, Tx } from '../platform/db/db.ts'
import { deleteDeliveriesOf } from './deliveries-sql.ts'

/** Locks the partners' logs, reserves the given numbers of positions, and returns the last reserved one of each log. */
export async function reservePositions(
  tx: Tx,
  counts: readonly { partnerId: string; by: number }[],
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await tx.query<{ partnerId: string; position: bigint }>(
    `insert into partner_stream (partner_id, position)
     select partner_id, position from unnest($1::uuid[], $2::bigint[]) as c (partner_id, position)
     on conflict (partner_id) do update set position = partner_stream.position + excluded.position
     returning partner_id as "partnerId", position`,
    [counts.map(({ partnerId }) => partnerId), counts.map(({ by }) => by)],
  )
  return new Map(rows.map(({ partnerId, position }) => [partnerId, position]))
}

/**
 * Locks the logs of partners, whose ids must be sorted. Waits until running publications and resends have created their
 * deliveries. Later publications see the caller's change.
 */
export async function lockLogs(tx: Tx, partnerIds: readonly string[]): Promise<void> {
  await reservePositions(
    tx,
    partnerIds.map((partnerId) => ({ partnerId, by: 0 })),
  )
}

export type LoggedEvent = {
  readonly position: bigint
  readonly eventId: string
  readonly type: EventType
  readonly body: string
  /** Whether the partner made it to test an endpoint. */
  readonly isTest: boolean
  readonly createdAt: Date
}

export async function insertLoggedEvents(
  tx: Tx,
  events: readonly (LoggedEvent & { readonly partnerId: string; readonly userId: string | null })[],
): Promise<void> {
  await tx.query(
    `insert into partner_event (partner_id, position, event_id, type, body, created_at, about_user, is_test)
     select * from unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[], $7::uuid[],
       $8::boolean[])`,
    [
      events.map(({ partnerId }) => partnerId),
      events.map(({ position }) => position),
      events.map(({ eventId }) => eventId),
      events.map(({ type }) => type),
      events.map(({ body }) => body),
      events.map(({ createdAt }) => createdAt),
      events.map(({ userId }) => userId),
      events.map(({ isTest }) => isTest),
    ],
  )
}

export type AccountOf = { readonly userId: string; readonly accountId: string }

export async function findAccounts(tx: Tx, userIds: readonly string[]): Promise<AccountOf[]> {
  return tx.query<AccountOf>(
    'select user_id as "userId", account_id as "accountId" from account where user_id = any($1::uuid[])',
    [userIds],
  )
}

export type UserBalance = TokenBalance & { readonly userId: string; readonly token: string }

export async function findUserBalances(tx: Tx, userIds: readonly string[]): Promise<UserBalance[]> {
  return tx.query<UserBalance>(
    `select user_id as "userId", token, ${ledgerAccounts.join(', ')} from ledger_balance
     where user_id = any($1::uuid[])`,
    [userIds],
  )
}

/**
 * Stores the current balances as reported, and returns the users whose stored balances differed. A user without
 * reported balances is compared with `initial`.
 */
export async function updateReportedBalances(
  tx: Tx,
  current: readonly { partnerId: string; userId: string; balances: string }[],
  initial: string,
): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ userId: string }>(
    `update partner_user p set balances = t.balances
     from unnest($1::uuid[], $2::uuid[], $3::text[]) as t (partner_id, user_id, balances)
     where p.user_id = any($2) and p.partner_id = t.partner_id and p.user_id = t.user_id and coalesce(p.balances, $4) <> t.balances
     returning p.user_id as "userId"`,
    [
      current.map(({ partnerId }) => partnerId),
      current.map(({ userId }) => userId),
      current.map(({ balances }) => balances),
      initial,
    ],
  )
  return new Set(rows.map(({ userId }) => userId))
}

const loggedColumns = `position, event_id as "eventId", type, body, is_test as "isTest", created_at as "createdAt"`

export async function findLoggedEvent(db: Queryable, partnerId: string, eventId: string): Promise<LoggedEvent | null> {
  const [row] = await db.query<LoggedEvent>(
    `select ${loggedColumns} from partner_event where partner_id = $1 and event_id = $2`,
    [partnerId, eventId],
  )
  return row ?? null
}

export type EventFilter = {
  readonly type: EventType | null
  readonly userId: string | null
  readonly order: 'oldest' | 'newest'
}

const maxPosition = 2n ** 63n - 1n
const loggedEvents = (order: EventFilter['order'], condition = '') => `
  select ${loggedColumns} from partner_event
  where partner_id = $1 and position ${order === 'oldest' ? '>' : '<'} $2 and not is_test ${condition}
  order by position ${order === 'oldest' ? '' : 'desc'} limit $3`
const loggedIn = (order: EventFilter['order']) => ({
  all: loggedEvents(order),
  ofType: loggedEvents(order, 'and type = $4'),
  ofUser: loggedEvents(order, 'and about_user = $4'),
  ofBoth: loggedEvents(order, 'and about_user = $4 and type = $5'),
})
const logged = { oldest: loggedIn('oldest'), newest: loggedIn('newest') }

/** Returns the events that follow `after` in the order, without tests. Each filter reads one range of an index. */
export async function findLoggedEvents(
  db: Queryable,
  partnerId: string,
  { after, limit, type, userId, order }: EventFilter & { after: bigint | null; limit: number },
): Promise<LoggedEvent[]> {
  const range = [partnerId, after ?? (order === 'oldest' ? 0n : maxPosition), limit]
  const { all, ofType, ofUser, ofBoth } = logged[order]
  if (userId !== null && type !== null) return db.query<LoggedEvent>(ofBoth, [...range, userId, type])
  if (userId !== null) return db.query<LoggedEvent>(ofUser, [...range, userId])
  return type === null ? db.query<LoggedEvent>(all, range) : db.query<LoggedEvent>(ofType, [...range, type])
}

/** Returns the last positions of the partners' logs. */
export async function findPositions(
  db: Queryable,
  partnerIds: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await db.query<{ partnerId: string; position: bigint }>(
    'select partner_id as "partnerId", position from partner_stream where partner_id = any($1::uuid[])',
    [partnerIds],
  )
  return new Map(rows.map(({ partnerId, position }) => [partnerId, position]))
}

/** Returns the events about a user that were made since the given time and whose text contains `part`, in order. */
export async function findEventsAbout(
  db: Queryable,
  partnerId: string,
  { userId, since, part }: { userId: string; since: Date; part: string },
): Promise<LoggedEvent[]> {
  return db.query<LoggedEvent>(
    `select ${loggedColumns} from partner_event
     where partner_id = $1 and about_user = $2 and created_at >= $3 and strpos(body, $4) > 0
     order by position`,
    [partnerId, userId, since, part],
  )
}

/** Deletes up to `limit` events from before the given time, with their deliveries, and returns the number of events. */
export async function deleteEventsBefore(tx: Tx, before: Date, limit: number): Promise<number> {
  const deleted = await tx.query<{ partnerId: string; position: bigint }>(
    `delete from partner_event where (partner_id, position) in (
       select partner_id, position from partner_event where created_at < $1 order by created_at limit $2)
     returning partner_id as "partnerId", position`,
    [before, limit],
  )
  await deleteDeliveries(tx, deleted)
  return deleted.length
}

/** Deletes the partner's events about the user, with their deliveries. */
export async function deleteEventsAbout(tx: Tx, partnerId: string, userId: string): Promise<void> {
  const deleted = await tx.query<{ partnerId: string; position: bigint }>(
    `delete from partner_event where partner_id = $1 and about_user = $2
     returning partner_id as "partnerId", position`,
    [partnerId, userId],
  )
  await deleteDeliveries(tx, deleted)
}

/** Deletes the deliveries of deleted events. The locks wait for running resends, so that no delivery is left behind. */
async function deleteDeliveries(tx: Tx, deleted: readonly { partnerId: string; position: bigint }[]): Promise<void> {
  if (deleted.length === 0) return
  await lockLogs(tx, [...new Set(deleted.map(({ partnerId }) => partnerId))].sort())
  await deleteDeliveriesOf(tx, deleted)
}
