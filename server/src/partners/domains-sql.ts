import { statusesWithAccess } from '../lib/partner-status.ts'
import type { Queryable, Tx } from '../platform/db/db.ts'
import type { Environment } from './rules.ts'

/**
 * Locks the list for a change. The lock is on the table, because a domain that is not listed has no row to lock. Other
 * writers wait; readers do not.
 */
export async function lockDomains(tx: Tx): Promise<void> {
  await tx.query('lock table sign_in_domain in share row exclusive mode')
}

export async function insertSignInDomain(db: Queryable, domain: string, at: Date): Promise<boolean> {
  const rows = await db.query(
    `insert into sign_in_domain (domain, created_at) values ($1, $2)
     on conflict (domain) do nothing returning domain`,
    [domain, at],
  )
  return rows.length > 0
}

export async function deleteSignInDomain(db: Queryable, domain: string): Promise<boolean> {
  const rows = await db.query('delete from sign_in_domain where domain = $1 returning domain', [domain])
  return rows.length > 0
}

export async function findSignInDomains(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ domain: string }>('select domain from sign_in_domain order by domain')
  return rows.map(({ domain }) => domain)
}

/** Returns the domains that have an effect, and each partner without access in a row without a domain. */
export async function findEffectiveDomains(
  db: Queryable,
): Promise<{ domain: string | null; partnerId: string | null }[]> {
  return db.query(
    `select d.domain, d.partner_id as "partnerId" from sign_in_domain d left join partner p on p.partner_id = d.partner_id
     where d.partner_id is null or p.status = 'active'
     union all select null, partner_id from partner where status <> all($1)
     order by domain`,
    [statusesWithAccess],
  )
}

/**
 * Assigns a new domain to the partner. An active partner also gets a domain that an operator registered. Returns false
 * when the domain belongs to another partner, or to the programme while the partner is not active.
 */
export async function assignDomain(tx: Tx, partnerId: string, domain: string, at: Date): Promise<boolean> {
  const inserted = await tx.query(
    `insert into sign_in_domain (domain, created_at, partner_id) values ($1, $2, $3)
     on conflict (domain) do nothing returning domain`,
    [domain, at, partnerId],
  )
  if (inserted.length > 0) return true
  const taken = await tx.query(
    `update sign_in_domain set partner_id = $2, created_at = case when partner_id = $2 then created_at else $3 end
     where domain = $1 and (partner_id = $2 or (partner_id is null
       and exists (select from partner p where p.partner_id = $2 and p.status = 'active'))) returning domain`,
    [domain, partnerId, at],
  )
  return taken.length > 0
}

export async function unassignDomain(tx: Tx, partnerId: string, domain: string): Promise<void> {
  await tx.query('delete from sign_in_domain where domain = $1 and partner_id = $2', [domain, partnerId])
}

/** A partner's claim. `verifiedAt` is null until the proof is found, and again after an operator removes the domain. */
export type DomainClaim = {
  readonly domain: string
  readonly environment: Environment
  readonly proof: string
  readonly createdAt: Date
  readonly verifiedAt: Date | null
}

const claimColumns = `select c.domain, c.environment, c.proof, c.created_at as "createdAt", d.created_at as "verifiedAt"
  from partner_domain c left join sign_in_domain d on d.domain = c.domain and d.partner_id = c.partner_id`

export async function findDomainClaim(db: Queryable, partnerId: string, domain: string): Promise<DomainClaim | null> {
  const [row] = await db.query<DomainClaim>(`${claimColumns} where c.partner_id = $1 and c.domain = $2`, [
    partnerId,
    domain,
  ])
  return row ?? null
}

export async function findDomainClaims(db: Queryable, partnerId: string): Promise<DomainClaim[]> {
  return db.query<DomainClaim>(`${claimColumns} where c.partner_id = $1 order by c.created_at, c.domain`, [partnerId])
}

export async function insertDomainClaim(tx: Tx, partnerId: string, claim: DomainClaim): Promise<boolean> {
  const rows = await tx.query(
    `insert into partner_domain (partner_id, domain, environment, proof, created_at) values ($1, $2, $3, $4, $5)
     on conflict (partner_id, domain) do nothing returning domain`,
    [partnerId, claim.domain, claim.environment, claim.proof, claim.createdAt],
  )
  return rows.length > 0
}

export async function deleteDomainClaim(tx: Tx, partnerId: string, domain: string): Promise<boolean> {
  const rows = await tx.query('delete from partner_domain where partner_id = $1 and domain = $2 returning domain', [
    partnerId,
    domain,
  ])
  return rows.length > 0
}
