import type { Ctx } from '../context.ts'
import { addSeconds } from '../lib/clock.ts'
import {
  addCounts,
  type DayCount,
  deleteRequestsBefore,
  findCounts,
  findRequests,
  insertRequests,
  type PartnerRequest,
  type RequestPosition,
} from './activity-sql.ts'
import { type Actor, pageOf } from './partners.ts'

/**
 * The activity of a partner: counts by day, and a log of its requests. Owns `partner_day_count` and `partner_request`.
 *
 * Each process collects both in memory and writes them every few seconds, so that no request or card message waits for
 * the writes. A killed process loses the last seconds. Memory is bounded: once it is full, further requests and new
 * counts are dropped.
 */
export type { DayCount, PartnerRequest, RequestPosition }

/** A count is `users`, `cards`, `transactions` or `declines:<code>`. */
export type PartnerActivity = {
  /** By day, partner and name of the count. */
  readonly counts: Map<string, DayCount & { readonly partnerId: string }>
  readonly requests: (PartnerRequest & { readonly partnerId: string })[]
  /** The number of requests that were not recorded. */
  dropped: number
}

const maxCounts = 20_000
const maxRequests = 5000
const retentionSeconds = 7 * 86_400
const deletedAtOnce = 1000

type ActivityCtx = Pick<Ctx, 'caches' | 'clock'>

/** Counts something that happened now. Call it after the commit. */
export function countForPartner({ caches, clock }: ActivityCtx, partnerId: string, name: string): void {
  const { counts } = caches.partnerActivity
  const day = clock.now().toISOString().slice(0, 10)
  const key = `${partnerId} ${day} ${name}`
  const known = counts.get(key)
  if (known === undefined && counts.size >= maxCounts) return
  counts.set(key, { partnerId, day, name, count: (known?.count ?? 0n) + 1n })
}

export function recordRequest({ caches }: Pick<Ctx, 'caches'>, partnerId: string, request: PartnerRequest): void {
  const { requests } = caches.partnerActivity
  if (requests.length >= maxRequests) caches.partnerActivity.dropped++
  else requests.push({ ...request, partnerId })
}

/**
 * Writes everything that was collected. After a failure, the counts are kept for the next time, and the requests are
 * lost.
 */
export async function writeActivity({ db, caches, log }: Pick<Ctx, 'db' | 'caches' | 'log'>): Promise<void> {
  const { partnerActivity: activity } = caches
  const counts = [...activity.counts.values()]
  const requests = activity.requests.splice(0)
  activity.counts.clear()
  if (activity.dropped > 0) log.warn({ requests: activity.dropped }, 'requests of partners not recorded')
  activity.dropped = 0
  try {
    if (counts.length > 0) await addCounts(db, counts)
  } catch (error) {
    for (const one of counts) {
      const key = `${one.partnerId} ${one.day} ${one.name}`
      activity.counts.set(key, { ...one, count: one.count + (activity.counts.get(key)?.count ?? 0n) })
    }
    throw error
  }
  if (requests.length > 0) await insertRequests(db, requests)
}

/** Returns the counts of a partner from one day to another, both included, oldest first. */
export function readCounts(
  { db }: Pick<Ctx, 'db'>,
  { partnerId }: Actor,
  range: { readonly from: string; readonly to: string },
): Promise<DayCount[]> {
  return findCounts(db, partnerId, range)
}

/** Returns a page of the partner's requests, newest first. */
export async function listRequests(
  { db }: Pick<Ctx, 'db'>,
  { partnerId }: Actor,
  { limit, after, isFailed }: { limit: number; after: RequestPosition | null; isFailed: boolean },
): Promise<{ rows: readonly PartnerRequest[]; hasNext: boolean }> {
  return pageOf(await findRequests(db, partnerId, { after, isFailed, limit: limit + 1 }), limit)
}

/** Deletes requests older than 7 days, in batches. */
export async function deleteOldRequests({ db, clock }: Pick<Ctx, 'db' | 'clock'>, signal: AbortSignal): Promise<void> {
  const before = addSeconds(clock.now(), -retentionSeconds)
  while (!signal.aborted && (await deleteRequestsBefore(db, before, deletedAtOnce)) === deletedAtOnce);
}
