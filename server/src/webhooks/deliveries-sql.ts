import type { EventType } from '../events/rules.ts'
import type { Queryable, Tx } from '../platform/db/db.ts'
import type { DeliveryStatus } from './rules.ts'

export type DeliveryKey = { readonly endpointId: string; readonly position: bigint }
type NewDelivery = DeliveryKey & { readonly partnerId: string; readonly type: EventType }

/** Turns up to `limit` pending deliveries of an endpoint into dead letters, the oldest first. Returns their number. */
export async function abandonDeliveries(tx: Tx, endpointId: string, limit: number): Promise<number> {
  const rows = await tx.query(
    `update webhook_delivery set status = 'dead', due_at = null
     where endpoint_id = $1 and status = 'pending' and position = any(array(
       select position from webhook_delivery where endpoint_id = $1 and status = 'pending'
       order by created_at, position limit $2))
     returning position`,
    [endpointId, limit],
  )
  return rows.length
}

/** Deletes up to `limit` deliveries of an endpoint with their attempts, and returns their number. */
export async function deleteDeliveriesTo(tx: Tx, endpointId: string, limit: number): Promise<number> {
  const deleted = await tx.query<{ position: bigint }>(
    `delete from webhook_delivery where endpoint_id = $1 and position = any(array(
       select position from webhook_delivery where endpoint_id = $1 order by position limit $2))
     returning position`,
    [endpointId, limit],
  )
  await tx.query('delete from webhook_attempt where endpoint_id = $1 and position = any($2::bigint[])', [
    endpointId,
    deleted.map(({ position }) => position),
  ])
  return deleted.length
}

/** Returns the endpoints that have deliveries, even removed ones. Reads one entry of an index for each. */
export async function findReceivingEndpoints(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ endpointId: string }>(
    `with recursive receiver (endpoint_id) as (
       (select endpoint_id from webhook_delivery order by endpoint_id limit 1)
       union all
       select next.endpoint_id from receiver r cross join lateral (
         select d.endpoint_id from webhook_delivery d where d.endpoint_id > r.endpoint_id
         order by d.endpoint_id limit 1
       ) next
     )
     select endpoint_id as "endpointId" from receiver`,
  )
  return rows.map(({ endpointId }) => endpointId)
}

/** Creates deliveries that are due now. An existing delivery becomes due again with a new set of attempts. */
export async function upsertDeliveries(tx: Tx, deliveries: readonly NewDelivery[], now: Date): Promise<void> {
  if (deliveries.length === 0) return
  await tx.query(
    `insert into webhook_delivery (endpoint_id, position, partner_id, type, status, attempts, due_at, created_at)
     select endpoint_id, position, partner_id, type, 'pending', 0, $5, $5
     from unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::text[]) as d (endpoint_id, position, partner_id, type)
     on conflict (endpoint_id, position) do update set status = 'pending', attempts = 0, due_at = excluded.due_at`,
    [
      deliveries.map(({ endpointId }) => endpointId),
      deliveries.map(({ position }) => position),
      deliveries.map(({ partnerId }) => partnerId),
      deliveries.map(({ type }) => type),
      now,
    ],
  )
}

export type RevivedRange = {
  readonly statuses: readonly DeliveryStatus[]
  readonly from: Date | null
  readonly to: Date | null
  /** Only deliveries that are newer than this one. */
  readonly after: DeliveryPosition | null
  readonly limit: number
}

/** Makes up to `limit` ended deliveries due again, the oldest first, and returns their positions, the oldest first. */
export async function reviveDeliveries(
  tx: Tx,
  endpointId: string,
  { statuses, from, to, after, limit }: RevivedRange,
  now: Date,
): Promise<DeliveryPosition[]> {
  const rows = await tx.query<DeliveryPosition>(
    `update webhook_delivery set status = 'pending', attempts = 0, due_at = $2
     where endpoint_id = $1 and position = any(array(
       select position from webhook_delivery
       where endpoint_id = $1 and status = any($3) and created_at >= $4 and created_at <= $5
         and (created_at, position) > ($6, $7)
       order by created_at, position limit $8))
     returning created_at as "createdAt", position`,
    [
      endpointId,
      now,
      statuses,
      from ?? '-infinity',
      to ?? 'infinity',
      after?.createdAt ?? '-infinity',
      after?.position ?? 0n,
      limit,
    ],
  )
  return rows.sort((one, other) => +one.createdAt - +other.createdAt || Number(one.position - other.position))
}

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
  readonly attemptedAt: Date
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
     returning d.endpoint_id as "endpointId", d.position, d.attempts, d.attempted_at as "attemptedAt",
       e.event_id as "eventId", e.body`,
    [keys.map(({ endpointId }) => endpointId), keys.map(({ position }) => position), now, leaseUntil, leasedBy],
  )
}

/** Makes the leased deliveries of a killed process due again. */
export async function releaseDeliveries(db: Queryable, deadProcess: string, now: Date, latest: Date): Promise<void> {
  await db.query(
    `update webhook_delivery set due_at = $2, leased_by = null
     where due_at > $2 and due_at <= $3 and leased_by = $1 and status = 'pending'`,
    [deadProcess, now, latest],
  )
}

export type Attempt = {
  readonly attemptedAt: Date
  readonly milliseconds: number
  readonly responseStatus: number | null
  /** The first KiB of the response; null: there was none. */
  readonly response: string | null
  readonly error: string | null
}

export type AttemptResult = DeliveryKey &
  Attempt & {
    readonly attemptId: string
    readonly attempts: number
    readonly status: DeliveryStatus
    readonly dueAt: Date | null
  }

/** Adds attempts to the history of their deliveries, unless the deliveries were deleted meanwhile. */
export async function insertAttempts(db: Queryable, results: readonly AttemptResult[]): Promise<void> {
  await db.query(
    `insert into webhook_attempt (endpoint_id, position, attempt_id, attempted_at, milliseconds, response_status, response,
       error)
     select r.* from unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::timestamptz[], $5::int[], $6::int[], $7::text[],
       $8::text[]) as r (endpoint_id, position, attempt_id, attempted_at, milliseconds, response_status, response, error)
     join webhook_delivery d on d.endpoint_id = r.endpoint_id and d.position = r.position`,
    [
      results.map(({ endpointId }) => endpointId),
      results.map(({ position }) => position),
      results.map(({ attemptId }) => attemptId),
      results.map(({ attemptedAt }) => attemptedAt),
      results.map(({ milliseconds }) => milliseconds),
      results.map(({ responseStatus }) => responseStatus),
      results.map(({ response }) => response),
      results.map(({ error }) => error),
    ],
  )
}

/** Returns the latest attempts of a delivery, newest first. */
export async function findAttempts(
  db: Queryable,
  { endpointId, position }: DeliveryKey,
  limit: number,
): Promise<Attempt[]> {
  return db.query<Attempt>(
    `select attempted_at as "attemptedAt", milliseconds, response_status as "responseStatus", response, error
     from webhook_attempt where endpoint_id = $1 and position = $2 order by attempt_id desc limit $3`,
    [endpointId, position, limit],
  )
}

/**
 * Records the results of attempts, except for deliveries that were abandoned or resent since the attempt began. A
 * resend counts attempts from one again, so the number alone does not identify an attempt.
 */
export async function recordAttempts(db: Queryable, results: readonly AttemptResult[]): Promise<void> {
  await db.query(
    `update webhook_delivery d set status = r.status, due_at = r.due_at, response_status = r.response_status,
       error = r.error
     from unnest($1::uuid[], $2::bigint[], $3::int[], $4::timestamptz[], $5::text[], $6::timestamptz[], $7::int[],
       $8::text[]) as r (endpoint_id, position, attempts, attempted_at, status, due_at, response_status, error)
     where d.endpoint_id = r.endpoint_id and d.position = r.position and d.attempts = r.attempts
       and d.attempted_at = r.attempted_at and d.status = 'pending'`,
    [
      results.map(({ endpointId }) => endpointId),
      results.map(({ position }) => position),
      results.map(({ attempts }) => attempts),
      results.map(({ attemptedAt }) => attemptedAt),
      results.map(({ status }) => status),
      results.map(({ dueAt }) => dueAt),
      results.map(({ responseStatus }) => responseStatus),
      results.map(({ error }) => error),
    ],
  )
}

export type Delivery = {
  readonly endpointId: string
  readonly position: bigint
  readonly eventId: string
  readonly type: EventType
  readonly status: DeliveryStatus
  readonly attempts: number
  readonly nextAttemptAt: Date | null
  readonly attemptedAt: Date | null
  readonly responseStatus: number | null
  readonly error: string | null
  readonly createdAt: Date
}

const deliveries = `select d.endpoint_id as "endpointId", d.position, d.created_at as "createdAt", e.event_id as "eventId", d.type, d.status, d.attempts,
    d.due_at as "nextAttemptAt", d.attempted_at as "attemptedAt", d.response_status as "responseStatus", d.error
  from webhook_delivery d join partner_event e on e.partner_id = d.partner_id and e.position = d.position`

/** Returns the deliveries of the events at these positions in the log of the partner. */
export async function findDeliveriesOf(
  db: Queryable,
  partnerId: string,
  positions: readonly bigint[],
): Promise<Delivery[]> {
  return db.query<Delivery>(
    `${deliveries} where d.partner_id = $1 and d.position = any($2::bigint[]) order by d.endpoint_id`,
    [partnerId, positions],
  )
}

export type DeliveryPosition = { readonly createdAt: Date; readonly position: bigint }

/** Deliveries from just below `before` down to `from`. */
export type DeliveryRange = {
  readonly before: DeliveryPosition | { readonly createdAt: 'infinity'; readonly position: bigint }
  readonly from: Date | '-infinity'
  readonly limit: number
}

const deliveriesTo = (condition = '') => `${deliveries}
  where d.endpoint_id = $1 and (d.created_at, d.position) < ($2, $3) and d.created_at >= $4 ${condition}
  order by d.created_at desc, d.position desc limit $5`

// Each query contains its status as a literal: otherwise PostgreSQL could not use `webhook_delivery_not_delivered`.
const deliveriesBy = (condition = ''): Readonly<Record<DeliveryStatus | 'any', string>> => ({
  any: deliveriesTo(condition),
  pending: deliveriesTo(`and d.status = 'pending' ${condition}`),
  delivered: deliveriesTo(`and d.status = 'delivered' ${condition}`),
  dead: deliveriesTo(`and d.status = 'dead' ${condition}`),
})
const ofAnyType = deliveriesBy()
const ofOneType = deliveriesBy('and d.type = $6')

/**
 * Returns deliveries to the endpoint, newest first. Reads one range of an index. With the status `delivered`, or with
 * both a status and a type, it also filters the rows of that range.
 */
export async function findDeliveriesTo(
  db: Queryable,
  endpointId: string,
  { status, type }: { readonly status: DeliveryStatus | null; readonly type: EventType | null },
  { before, from, limit }: DeliveryRange,
): Promise<Delivery[]> {
  const range = [endpointId, before.createdAt, before.position, from, limit]
  if (type === null) return db.query<Delivery>(ofAnyType[status ?? 'any'], range)
  return db.query<Delivery>(ofOneType[status ?? 'any'], [...range, type])
}

const delivery = `${deliveries} where d.endpoint_id = $1 and d.position = $2`

export async function findDelivery(db: Queryable, { endpointId, position }: DeliveryKey): Promise<Delivery | null> {
  const [row] = await db.query<Delivery>(delivery, [endpointId, position])
  return row ?? null
}

/**
 * Counts the deliveries that have not arrived, and finds the oldest one that a worker should have sent. Deliveries of
 * disabled or failing endpoints and of inactive partners wait on purpose.
 */
export async function scanDueGauges(
  db: Queryable,
  now: Date,
): Promise<{ waiting: bigint; oldest: Date | null; dead: bigint }> {
  const [row] = await db.query<{ waiting: bigint; oldest: Date | null; dead: bigint }>(
    `-- scanDueGauges
     select count(*) filter (where d.status = 'pending') as waiting,
       min(d.due_at) filter (where d.due_at <= $1 and e.status = 'enabled' and p.status = 'active'
         and f.endpoint_id is null) as oldest,
       count(*) filter (where d.status = 'dead') as dead
     from webhook_delivery d
       left join webhook_endpoint e on e.endpoint_id = d.endpoint_id
       left join partner p on p.partner_id = d.partner_id
       left join webhook_failure f on f.endpoint_id = d.endpoint_id
     where d.status <> 'delivered'`,
    [now],
  )
  return row ?? { waiting: 0n, oldest: null, dead: 0n }
}

export async function deleteDeliveriesOf(
  db: Queryable,
  events: readonly { partnerId: string; position: bigint }[],
): Promise<void> {
  const deleted = await db.query<DeliveryKey>(
    `delete from webhook_delivery d using unnest($1::uuid[], $2::bigint[]) as k (partner_id, position)
     where d.partner_id = k.partner_id and d.position = k.position
     returning d.endpoint_id as "endpointId", d.position`,
    [events.map(({ partnerId }) => partnerId), events.map(({ position }) => position)],
  )
  await db.query(
    `delete from webhook_attempt a using unnest($1::uuid[], $2::bigint[]) as k (endpoint_id, position)
     where a.endpoint_id = k.endpoint_id and a.position = k.position`,
    [deleted.map(({ endpointId }) => endpointId), deleted.map(({ position }) => position)],
  )
}
