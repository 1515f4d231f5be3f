import type { Queryable } from '../db/db.ts'

export async function insertDomain(db: Queryable, domain: string, at: Date): Promise<boolean> {
  const rows = await db.query(
    `insert into sign_in_domain (domain, created_at) values ($1, $2)
     on conflict (domain) do nothing returning domain`,
    [domain, at],
  )
  return rows.length > 0
}

export async function deleteDomain(db: Queryable, domain: string): Promise<boolean> {
  const rows = await db.query('delete from sign_in_domain where domain = $1 returning domain', [domain])
  return rows.length > 0
}

export async function selectDomains(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ domain: string }>('select domain from sign_in_domain order by domain')
  return rows.map(({ domain }) => domain)
}
