import type { EventType } from '../events/rules.ts'
import { ledgerAccounts, type TokenBalance } from '../ledger/rules.ts'
import type { Queryable, Tx } from '../platform/db/db.ts'
import type { DeliveryStatus } from './rules.ts'

/** Turns the pending deliveries of a disabled endpoint into dead letters. */
export async function abandonDeliveries(tx: Tx, endpointId: string): Promise<void> {
  await tx.query(
    `update webhook_delivery set status = 'dead', due_at = null where endpoint_id = $1 and status = 'pending'`,
    [endpointId],
  )
}

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

export type LoggedEvent = {
  readonly position: bigint
  readonly eventId: string
  readonly type: EventType
  readonly body: string
  readonly createdAt: Date
}

export async function insertLoggedEvents(
  tx: Tx,
  events: readonly (LoggedEvent & { readonly partnerId: string; readonly userId: string | null })[],
): Promise<void> {
  await tx.query(
    `insert into partner_event (partner_id, position, event_id, type, body, created_at, about_user)
     select * from unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[], $7::uuid[])`,
    [
      events.map(({ partnerId }) => partnerId),
      events.map(({ position }) => position),
      events.map(({ eventId }) => eventId),
      events.map(({ type }) => type),
      events.map(({ body }) => body),
      events.map(({ createdAt }) => createdAt),
      events.map(({ userId }) => userId),
    ],
  )
}

/** Creates deliveries that are due now. An existing delivery becomes due again with a new set of attempts. */
export async function upsertDeliveries(
  tx: Tx,
  deliveries: readonly (DeliveryKey & { readonly partnerId: string })[],
  now: Date,
): Promise<void> {
  if (deliveries.length === 0) return
  await tx.query(
    `insert into webhook_delivery (endpoint_id, position, partner_id, status, attempts, due_at)
     select endpoint_id, position, partner_id, 'pending', 0, $4
     from unnest($1::uuid[], $2::bigint[], $3::uuid[]) as d (endpoint_id, position, partner_id)
     on conflict (endpoint_id, position) do update set status = 'pending', attempts = 0, due_at = excluded.due_at`,
    [
      deliveries.map(({ endpointId }) => endpointId),
      deliveries.map(({ position }) => position),
      deliveries.map(({ partnerId }) => partnerId),
      now,
    ],
  )
}

export async function reviveDeadLetters(tx: Tx, endpointId: string, now: Date): Promise<number> {
  const rows = await tx.query(
    `update webhook_delivery set status = 'pending', attempts = 0, due_at = $2
     where endpoint_id = $1 and status = 'dead' returning position`,
    [endpointId, now],
  )
  return rows.length
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
 * Stores the current balances as reported, and returns the users whose stored balances differed. A user without reported
 * balances is compared with `initial`.
 */
export async function updateReportedBalances(
  tx: Tx,
  current: readonly { partnerId: string; userId: string; balances: string }[],
  initial: string,
): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ userId: string }>(
    `update partner_user p set balances = t.balances
     from unnest($1::uuid[], $2::uuid[], $3::text[]) as t (partner_id, user_id, balances)
     where p.partner_id = t.partner_id and p.user_id = t.user_id and coalesce(p.balances, $4) <> t.balances
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

export type DeliveryKey = { readonly endpointId: string; readonly position: bigint }

/** Returns due deliveries: for each endpoint, at most as many as its queue has capacity for. */
export async function scanDueDeliveries(
  db: Queryable,
  capacities: readonly { endpointId: string; free: number }[],
  now: Date,
): Promise<DeliveryKey[]> {
  return db.query<DeliveryKey>(
    `-- scanDueDeliveries
     select d.endpoint_id as "endpointId", d.position
     from unnest($1::uuid[], $2::int[]) as e (endpoint_id, free) cross join lateral (
       select w.endpoint_id, w.position from webhook_delivery w
       where w.endpoint_id = e.endpoint_id and w.due_at <= $3 order by w.due_at, w.position limit e.free
     ) d`,
    [capacities.map(({ endpointId }) => endpointId), capacities.map(({ free }) => free), now],
  )
}

export type LeasedDelivery = DeliveryKey & {
  readonly attempts: number
  readonly eventId: string
  readonly body: string
}

/** Leases the deliveries that no other worker has leased, and returns them. */
export async function leaseDeliveries(
  db: Queryable,
  keys: readonly DeliveryKey[],
  { now, leaseUntil, leasedBy }: { now: Date; leaseUntil: Date; leasedBy: string },
): Promise<LeasedDelivery[]> {
  return db.query<LeasedDelivery>(
    `update webhook_delivery d set due_at = $4, attempts = d.attempts + 1, attempted_at = $3, leased_by = $5
     from unnest($1::uuid[], $2::bigint[]) as k (endpoint_id, position), partner_event e
     where d.endpoint_id = k.endpoint_id and d.position = k.position and d.due_at <= $3
       and e.partner_id = d.partner_id and e.position = d.position
     returning d.endpoint_id as "endpointId", d.position, d.attempts, e.event_id as "eventId", e.body`,
    [keys.map(({ endpointId }) => endpointId), keys.map(({ position }) => position), now, leaseUntil, leasedBy],
  )
}

/** Makes the deliveries due that a dead process had leased. */
export async function releaseDeliveries(db: Queryable, deadProcess: string, now: Date, latest: Date): Promise<void> {
  await db.query(
    `update webhook_delivery set due_at = $2, leased_by = null
     where due_at > $2 and due_at <= $3 and leased_by = $1 and status = 'pending'`,
    [deadProcess, now, latest],
  )
}

export type AttemptResult = DeliveryKey & {
  readonly attempts: number
  readonly status: DeliveryStatus
  readonly dueAt: Date | null
  readonly responseStatus: number | null
  readonly error: string | null
}

/** Records the results of attempts, except for deliveries that were abandoned or resent since the attempt began. */
export async function recordAttempts(db: Queryable, results: readonly AttemptResult[]): Promise<void> {
  await db.query(
    `update webhook_delivery d set status = r.status, due_at = r.due_at, response_status = r.response_status,
       error = r.error
     from unnest($1::uuid[], $2::bigint[], $3::int[], $4::text[], $5::timestamptz[], $6::int[], $7::text[])
       as r (endpoint_id, position, attempts, status, due_at, response_status, error)
     where d.endpoint_id = r.endpoint_id and d.position = r.position and d.attempts = r.attempts
       and d.status = 'pending'`,
    [
      results.map(({ endpointId }) => endpointId),
      results.map(({ position }) => position),
      results.map(({ attempts }) => attempts),
      results.map(({ status }) => status),
      results.map(({ dueAt }) => dueAt),
      results.map(({ responseStatus }) => responseStatus),
      results.map(({ error }) => error),
    ],
  )
}

const loggedColumns = `position, event_id as "eventId", type, body, created_at as "createdAt"`

export async function findLoggedEvent(db: Queryable, partnerId: string, eventId: string): Promise<LoggedEvent | null> {
  const [row] = await db.query<LoggedEvent>(
    `select ${loggedColumns} from partner_event where partner_id = $1 and event_id = $2`,
    [partnerId, eventId],
  )
  return row ?? null
}

/** Returns events in the order of the log. */
export async function findLoggedEvents(
  db: Queryable,
  partnerId: string,
  { after, limit }: { after: bigint; limit: number },
): Promise<LoggedEvent[]> {
  return db.query<LoggedEvent>(
    `select ${loggedColumns} from partner_event where partner_id = $1 and position > $2 order by position limit $3`,
    [partnerId, after, limit],
  )
}

/** Returns the events about a user that were made at the given times and whose text contains `part`, in order. */
export async function findEventsAbout(
  db: Queryable,
  partnerId: string,
  { userId, times, part }: { userId: string; times: readonly Date[]; part: string },
): Promise<LoggedEvent[]> {
  return db.query<LoggedEvent>(
    `select ${loggedColumns} from partner_event
     where partner_id = $1 and about_user = $2 and created_at = any($3::timestamptz[]) and strpos(body, $4) > 0
     order by position`,
    [partnerId, userId, times, part],
  )
}

export type Delivery = {
  readonly endpointId: string
  readonly eventId: string
  readonly type: EventType
  readonly status: DeliveryStatus
  readonly attempts: number
  readonly nextAttemptAt: Date | null
  readonly attemptedAt: Date | null
  readonly responseStatus: number | null
  readonly error: string | null
}

const deliveries = `select d.endpoint_id as "endpointId", e.event_id as "eventId", e.type, d.status, d.attempts,
    d.due_at as "nextAttemptAt", d.attempted_at as "attemptedAt", d.response_status as "responseStatus", d.error
  from webhook_delivery d join partner_event e on e.partner_id = d.partner_id and e.position = d.position`

export async function findDeliveriesOf(db: Queryable, partnerId: string, position: bigint): Promise<Delivery[]> {
  return db.query<Delivery>(`${deliveries} where d.partner_id = $1 and d.position = $2 order by d.endpoint_id`, [
    partnerId,
    position,
  ])
}

/** Returns deliveries to the endpoint, newest first. */
export async function findDeliveriesTo(
  db: Queryable,
  endpointId: string,
  { status, limit }: { status: Delivery['status'] | null; limit: number },
): Promise<Delivery[]> {
  return db.query<Delivery>(
    `${deliveries} where d.endpoint_id = $1 and ($2::text is null or d.status = $2) order by d.position desc limit $3`,
    [endpointId, status, limit],
  )
}

export async function scanDueGauges(
  db: Queryable,
  now: Date,
): Promise<{ waiting: bigint; oldest: Date | null; dead: bigint }> {
  const [row] = await db.query<{ waiting: bigint; oldest: Date | null; dead: bigint }>(
    `-- scanDueGauges
     select count(*) filter (where status = 'pending') as waiting, min(due_at) filter (where due_at <= $1) as oldest,
       count(*) filter (where status = 'dead') as dead
     from webhook_delivery where status <> 'delivered'`,
    [now],
  )
  return row ?? { waiting: 0n, oldest: null, dead: 0n }
}

/** Deletes up to `limit` events from before the given time, with their deliveries, and returns the number of events. */
export async function deleteEventsBefore(db: Queryable, before: Date, limit: number): Promise<number> {
  const deleted = await db.query<{ partnerId: string; position: bigint }>(
    `delete from partner_event where (partner_id, position) in (
       select partner_id, position from partner_event where created_at < $1 order by created_at limit $2)
     returning partner_id as "partnerId", position`,
    [before, limit],
  )
  await deleteDeliveriesOf(db, deleted)
  return deleted.length
}

/** Deletes the partner's events about the user, with their deliveries. */
export async function deleteEventsAbout(tx: Tx, partnerId: string, userId: string): Promise<void> {
  const deleted = await tx.query<{ partnerId: string; position: bigint }>(
    `delete from partner_event where partner_id = $1 and about_user = $2
     returning partner_id as "partnerId", position`,
    [partnerId, userId],
  )
  await deleteDeliveriesOf(tx, deleted)
}

async function deleteDeliveriesOf(
  db: Queryable,
  events: readonly { partnerId: string; position: bigint }[],
): Promise<void> {
  await db.query(
    `delete from webhook_delivery d using unnest($1::uuid[], $2::bigint[]) as k (partner_id, position)
     where d.partner_id = k.partner_id and d.position = k.position`,
    [events.map(({ partnerId }) => partnerId), events.map(({ position }) => position)],
  )
}
