import type { PartnerStatus } from '../lib/partner-status.ts'
import type { Queryable } from '../platform/db/db.ts'

/** The tables of partners are small, and every node of a sharded database has them. */
export type PartnerRow = {
  readonly partnerId: string
  readonly name: string
  readonly status: PartnerStatus
  readonly createdAt: Date
}

export function findPartnersBefore(
  db: Queryable,
  status: PartnerStatus | null,
  below: string,
  limit: number,
): Promise<PartnerRow[]> {
  return db.query<PartnerRow>(
    `select partner_id as "partnerId", name, status, created_at as "createdAt" from partner
     where partner_id < $1 ${status === null ? '' : 'and status = $3'} order by partner_id desc limit $2`,
    status === null ? [below, limit] : [below, limit, status],
  )
}

export type DomainRow = { readonly domain: string; readonly partnerId: string | null; readonly createdAt: Date }

export function findDomainsAfter(db: Queryable, after: string, limit: number): Promise<DomainRow[]> {
  return db.query<DomainRow>(
    `select domain, partner_id as "partnerId", created_at as "createdAt" from sign_in_domain
     where domain > $1 order by domain limit $2`,
    [after, limit],
  )
}
