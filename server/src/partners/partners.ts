import type { Ctx } from '../context.ts'
import type { Db } from '../db/db.ts'
import { InvalidInput } from '../lib/refusal.ts'
import { onePer, snapshot } from '../lib/snapshot.ts'
import { domainOfOrigin, isLocal, problemOfDomain } from './rules.ts'
import { deleteDomain, insertDomain, selectDomains } from './sql.ts'

/**
 * The domains that partners serve their users from. Owns `sign_in_domain`.
 * One list says which domains a sign-in message may name and which origins CORS lets in; `localhost` needs no row.
 */
type Operator = Pick<Ctx, 'db' | 'clock'>

/** How long a domain that was added or removed elsewhere may take to count here. */
const oldestMilliseconds = 1000

const domainsOf = onePer((db: Db) => snapshot(async () => new Set(await selectDomains(db))))

/** Returns false when the domain was there already. */
export async function registerDomain(ctx: Operator, domain: string): Promise<boolean> {
  const problem = problemOfDomain(domain)
  if (problem !== null) throw new InvalidInput(`${domain} ${problem}`)
  const isNew = await insertDomain(ctx.db, domain, ctx.clock.now())
  domainsOf(ctx.db).forget()
  return isNew
}

/** Returns false when there was no such domain. */
export async function removeDomain(ctx: Operator, domain: string): Promise<boolean> {
  const wasThere = await deleteDomain(ctx.db, domain)
  domainsOf(ctx.db).forget()
  return wasThere
}

export function listDomains(ctx: Operator): Promise<string[]> {
  return selectDomains(ctx.db)
}

/** Those that count now, for what every stranger may ask: no query each. */
export async function currentDomains(ctx: Pick<Ctx, 'db'>): Promise<readonly string[]> {
  return [...(await domainsOf(ctx.db).read(oldestMilliseconds))]
}

/** Compared as raw text: no case folding, no default port, no subdomains, so nothing can be spelled into the list. */
export async function isDomainAllowed(ctx: Pick<Ctx, 'db'>, domain: string): Promise<boolean> {
  return isLocal(domain) || (await domainsOf(ctx.db).read(oldestMilliseconds)).has(domain)
}

export async function isOriginAllowed(ctx: Pick<Ctx, 'db'>, origin: string): Promise<boolean> {
  const domain = domainOfOrigin(origin)
  return domain !== null && (await isDomainAllowed(ctx, domain))
}
