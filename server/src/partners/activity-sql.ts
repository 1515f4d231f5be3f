import { lastId } from '../lib/id.ts'
import type { Queryable } from '../platform/db/db.ts'

/** `day` is a date such as `2026-01-31`. */
export type DayCount = { readonly day: string; readonly name: string; readonly count: bigint }

/** Adds to the counts. Sorted, so that two processes lock the rows in the same order. */
export async function addCounts(
  db: Queryable,
  counts: readonly (DayCount & { readonly partnerId: string })[],
): Promise<void> {
  await db.query(
    `insert into partner_day_count (partner_id, day, name, count)
     select partner_id, day, name, count from unnest($1::uuid[], $2::date[], $3::text[], $4::bigint[])
       as c (partner_id, day, name, count)
     where exists (select from partner p where p.partner_id = c.partner_id)
     order by partner_id, day, name
     on conflict (partner_id, day, name) do update set count = partner_day_count.count + excluded.count`,
    [
      counts.map(({ partnerId }) => partnerId),
      counts.map(({ day }) => day),
      counts.map(({ name }) => name),
      counts.map(({ count }) => count),
    ],
  )
}

export async function findCounts(
  db: Queryable,
  partnerId: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<DayCount[]> {
  return db.query<DayCount>(
    `select day::text, name, count from partner_day_count
     where partner_id = $1 and day between $2::date and $3::date order by day, name`,
    [partnerId, from, to],
  )
}

export type PartnerRequest = {
  readonly requestId: string
  readonly actor: string
  readonly method: string
  readonly route: string
  readonly status: number
  readonly code: string | null
  readonly milliseconds: number
  readonly requestedAt: Date
}

export async function insertRequests(
  db: Queryable,
  requests: readonly (PartnerRequest & { readonly partnerId: string })[],
): Promise<void> {
  await db.query(
    `insert into partner_request (partner_id, request_id, actor, method, route, status, code, milliseconds, requested_at)
     select r.* from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::smallint[], $7::text[], $8::int[],
       $9::timestamptz[]) as r (partner_id, request_id, actor, method, route, status, code, milliseconds, requested_at)
     where exists (select from partner p where p.partner_id = r.partner_id)`,
    [
      requests.map(({ partnerId }) => partnerId),
      requests.map(({ requestId }) => requestId),
      requests.map(({ actor }) => actor),
      requests.map(({ method }) => method),
      requests.map(({ route }) => route),
      requests.map(({ status }) => status),
      requests.map(({ code }) => code),
      requests.map(({ milliseconds }) => milliseconds),
      requests.map(({ requestedAt }) => requestedAt),
    ],
  )
}

/** The place of a request in the log: newest first, ties by id. */
export type RequestPosition = Pick<PartnerRequest, 'requestedAt' | 'requestId'>

const requests = (condition = '') => `
  select request_id as "requestId", actor, method, route, status, code, milliseconds, requested_at as "requestedAt"
  from partner_request where partner_id = $1 and (requested_at, request_id) < ($2, $3) ${condition}
  order by requested_at desc, request_id desc limit $4`
const allRequests = requests()
const failedRequests = requests('and code is not null')

export async function findRequests(
  db: Queryable,
  partnerId: string,
  { after, isFailed, limit }: { after: RequestPosition | null; isFailed: boolean; limit: number },
): Promise<PartnerRequest[]> {
  const range = [partnerId, after?.requestedAt ?? 'infinity', after?.requestId ?? lastId, limit]
  return db.query<PartnerRequest>(isFailed ? failedRequests : allRequests, range)
}

/** Deletes up to `limit` requests from before the given time, and returns their number. */
export async function deleteRequestsBefore(db: Queryable, before: Date, limit: number): Promise<number> {
  const deleted = await db.query(
    `delete from partner_request where (partner_id, requested_at, request_id) in (
       select partner_id, requested_at, request_id from partner_request where requested_at < $1
       order by requested_at limit $2)
     returning request_id`,
    [before, limit],
  )
  return deleted.length
}
