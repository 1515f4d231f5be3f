import type { Queryable, Tx } from '../platform/db/db.ts'
import type { DisabledReason, EndpointStatus } from './rules.ts'

export type Endpoint = {
  readonly endpointId: string
  readonly partnerId: string
  readonly url: string
  readonly events: readonly string[]
  readonly description: string
  readonly status: EndpointStatus
  readonly disabledReason: DisabledReason | null
  /** the encrypted seeds of the keys, newest first; the older ones sign until `previousKeyUntil` */
  readonly keySeeds: readonly string[]
  readonly previousKeyUntil: Date | null
  readonly failingSince: Date | null
  readonly createdAt: Date
}

const endpointColumns = `endpoint_id as "endpointId", partner_id as "partnerId", url, events, description, status,
  disabled_reason as "disabledReason", key_seeds as "keySeeds",
  previous_key_until as "previousKeyUntil", created_at as "createdAt",
  (select failing_since from webhook_failure f where f.endpoint_id = e.endpoint_id) as "failingSince"`

export async function findEndpoint(db: Queryable, partnerId: string, endpointId: string): Promise<Endpoint | null> {
  const [row] = await db.query<Endpoint>(
    `select ${endpointColumns} from webhook_endpoint e where partner_id = $1 and endpoint_id = $2`,
    [partnerId, endpointId],
  )
  return row ?? null
}

/** Locks an endpoint of any partner. */
export async function lockEndpointById(tx: Tx, endpointId: string): Promise<Endpoint | null> {
  const [row] = await tx.query<Endpoint>(
    `select ${endpointColumns} from webhook_endpoint e where endpoint_id = $1 for no key update`,
    [endpointId],
  )
  return row ?? null
}

export function findEndpoints(db: Queryable, partnerId: string): Promise<Endpoint[]> {
  return findEndpointsOf(db, [partnerId])
}

export async function findEndpointsOf(db: Queryable, partnerIds: readonly string[]): Promise<Endpoint[]> {
  return db.query<Endpoint>(
    `select ${endpointColumns} from webhook_endpoint e where partner_id = any($1::uuid[]) order by endpoint_id`,
    [partnerIds],
  )
}

/**
 * Returns the enabled endpoints of active partners whose log has events. Anyone can sign up, so unused endpoints must
 * cost nothing.
 */
export async function findEnabledEndpoints(db: Queryable): Promise<Endpoint[]> {
  return db.query<Endpoint>(
    `select ${endpointColumns} from webhook_endpoint e
     where status = 'enabled' and exists (select from partner_stream s where s.partner_id = e.partner_id and s.position > 0)
       and exists (select from partner p where p.partner_id = e.partner_id and p.status = 'active')`,
  )
}

/** Returns those of the endpoints that are enabled. */
export async function findEnabledOf(db: Queryable, endpointIds: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ endpointId: string }>(
    `select endpoint_id as "endpointId" from webhook_endpoint
     where endpoint_id = any($1::uuid[]) and status = 'enabled'`,
    [endpointIds],
  )
  return rows.map(({ endpointId }) => endpointId)
}

export async function insertEndpoint(tx: Tx, endpoint: Endpoint): Promise<void> {
  await tx.query(
    `insert into webhook_endpoint (endpoint_id, partner_id, url, events, description, status, key_seeds, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      endpoint.endpointId,
      endpoint.partnerId,
      endpoint.url,
      endpoint.events,
      endpoint.description,
      endpoint.status,
      endpoint.keySeeds,
      endpoint.createdAt,
    ],
  )
}

export async function updateEndpoint(tx: Tx, endpoint: Endpoint): Promise<void> {
  await tx.query(
    `update webhook_endpoint set url = $3, events = $4, description = $5, status = $6, disabled_reason = $7,
       key_seeds = $8, previous_key_until = $9
     where partner_id = $1 and endpoint_id = $2`,
    [
      endpoint.partnerId,
      endpoint.endpointId,
      endpoint.url,
      endpoint.events,
      endpoint.description,
      endpoint.status,
      endpoint.disabledReason,
      endpoint.keySeeds,
      endpoint.previousKeyUntil,
    ],
  )
}

export async function updateSeeds(
  tx: Tx,
  partnerId: string,
  endpointId: string,
  keySeeds: readonly string[],
): Promise<void> {
  await tx.query('update webhook_endpoint set key_seeds = $3 where partner_id = $1 and endpoint_id = $2', [
    partnerId,
    endpointId,
    keySeeds,
  ])
}

const hasOldSeed = `exists (select from unnest(key_seeds) as seed where not starts_with(seed, $1))`

/** Counts the endpoints with a seed that does not begin with the prefix of the first secret. */
export async function countOldSeeds(db: Queryable, prefix: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::integer as count from webhook_endpoint where ${hasOldSeed}`,
    [prefix],
  )
  return row?.count ?? 0
}

/** Returns the next endpoints with a seed that is encrypted under an older secret. */
export function scanOldSeeds(
  db: Queryable,
  prefix: string,
  after: string,
  limit: number,
): Promise<Pick<Endpoint, 'partnerId' | 'endpointId'>[]> {
  return db.query(
    `select partner_id as "partnerId", endpoint_id as "endpointId" from webhook_endpoint
     where endpoint_id > $2 and ${hasOldSeed} order by endpoint_id limit $3`,
    [prefix, after, limit],
  )
}

export async function deleteEndpoint(tx: Tx, partnerId: string, endpointId: string): Promise<boolean> {
  const rows = await tx.query(
    'delete from webhook_endpoint where partner_id = $1 and endpoint_id = $2 returning endpoint_id',
    [partnerId, endpointId],
  )
  await deleteFailures(tx, [endpointId])
  return rows.length > 0
}

type Failing = { readonly endpointId: string; readonly failingSince: Date }

/**
 * Records a failed attempt of each endpoint, and returns when its uninterrupted failures began. They begin again with
 * this attempt if the previous failure was earlier than `pausedSince`.
 */
export async function upsertFailures(
  db: Queryable,
  endpointIds: readonly string[],
  now: Date,
  pausedSince: Date,
): Promise<Failing[]> {
  return db.query<Failing>(
    `insert into webhook_failure as f (endpoint_id, failing_since, failed_at)
     select unnest($1::uuid[]), $2::timestamptz, $2::timestamptz
     on conflict (endpoint_id) do update set failed_at = excluded.failed_at,
       failing_since = case when f.failed_at < $3 then excluded.failing_since else f.failing_since end
     returning endpoint_id as "endpointId", failing_since as "failingSince"`,
    [endpointIds, now, pausedSince],
  )
}

/** Clears the time of the first failure, after a success. */
export async function deleteFailures(db: Queryable, endpointIds: readonly string[]): Promise<void> {
  await db.query('delete from webhook_failure where endpoint_id = any($1::uuid[])', [endpointIds])
}
