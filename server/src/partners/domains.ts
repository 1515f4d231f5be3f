import { randomBytes } from 'node:crypto'
import type { Ctx } from '../context.ts'
import { InvalidInput, Refusal } from '../lib/errors.ts'
import type { Tx } from '../platform/db/db.ts'
import { type Actor, recordChange } from './partners.ts'
import { domainOfOrigin, type Environment, isLocal, mayServe, problemOfClaim, problemOfDomain } from './rules.ts'
import {
  type Domain,
  deleteClaim,
  deleteDomain,
  deleteProvenDomain,
  findDomain,
  findDomains,
  insertClaim,
  insertDomain,
  selectDomains,
  takeDomain,
} from './sql.ts'

/**
 * The domains that users are served from. Owns `sign_in_domain` and `partner_domain`.
 * One list says which domains a sign-in message may name and which origins CORS lets in; `localhost` needs no row. An
 * operator writes into it; a partner claims a domain, and it joins the list once the domain shows the claim's proof.
 * Invariant: a domain in the list is one partner's at most.
 */
type Operator = Pick<Ctx, 'db' | 'clock' | 'caches'>
type DomainCtx = Pick<Ctx, 'db' | 'caches'>

/** How long a domain that was added or removed elsewhere may take to count here. */
const maxAgeMilliseconds = 1000

function domainsOf({ caches, db }: DomainCtx): Promise<ReadonlyMap<string, string | null>> {
  return caches.signInDomains.read(
    maxAgeMilliseconds,
    async () => new Map((await selectDomains(db)).map(({ domain, partnerId }) => [domain, partnerId])),
  )
}

/** Returns false when the domain was there already. */
export async function registerDomain(ctx: Operator, domain: string): Promise<boolean> {
  const problem = problemOfDomain(domain)
  if (problem !== null) throw new InvalidInput(`${domain} ${problem}`)
  const isNew = await insertDomain(ctx.db, domain, ctx.clock.now())
  ctx.caches.signInDomains.clear()
  return isNew
}

/** Returns false when there was no such domain. */
export async function removeDomain(ctx: Operator, domain: string): Promise<boolean> {
  const wasThere = await deleteDomain(ctx.db, domain)
  ctx.caches.signInDomains.clear()
  return wasThere
}

export async function listDomains(ctx: Operator): Promise<string[]> {
  return (await selectDomains(ctx.db)).map(({ domain }) => domain)
}

/** Those of the partner, and the programme's own, which are no partner's. */
export async function domainsFor(ctx: DomainCtx, partnerId: string | null): Promise<readonly string[]> {
  const domains = [...(await domainsOf(ctx))]
  return domains.flatMap(([domain, owner]) => (owner === null || owner === partnerId ? [domain] : []))
}

/** Compared as raw text: no case folding, no default port, no subdomains, so nothing can be spelled into the list. */
export async function isDomainAllowed(ctx: DomainCtx, domain: string): Promise<boolean> {
  return isLocal(domain) || (await domainsOf(ctx)).has(domain)
}

/** Whose domain it is; null: nobody's. */
export async function partnerOfDomain(ctx: DomainCtx, domain: string): Promise<string | null> {
  return (await domainsOf(ctx)).get(domain) ?? null
}

/** Whose page it is; null: nobody's. */
export async function partnerOfOrigin(ctx: DomainCtx, origin: string): Promise<string | null> {
  const domain = domainOfOrigin(origin)
  return domain === null ? null : partnerOfDomain(ctx, domain)
}

export async function isOriginAllowed(ctx: DomainCtx, origin: string): Promise<boolean> {
  const domain = domainOfOrigin(origin)
  return domain !== null && (await isDomainAllowed(ctx, domain))
}

export type { Domain }

export function listClaims(ctx: Ctx, { partnerId }: Actor): Promise<Domain[]> {
  return findDomains(ctx.db, partnerId)
}

export async function claimDomain(
  ctx: Ctx,
  tx: Tx,
  actor: Actor,
  { domain, environment }: { domain: string; environment: Environment },
): Promise<Domain> {
  const problem = problemOfClaim(domain)
  if (problem !== null) throw new InvalidInput(`body/domain ${problem}`)
  await recordChange(ctx, tx, actor, { action: 'domain.claimed', subject: domain, detail: { environment } })
  const proof = randomBytes(24).toString('base64url')
  const claim: Domain = { domain, environment, proof, createdAt: ctx.clock.now(), verifiedAt: null }
  if (!(await insertClaim(tx, actor.partnerId, claim))) throw new Refusal('DOMAIN_CLAIMED')
  return claim
}

/** Looks for the proof, and lets the domain sign users in when it is there. Repeatable. */
export async function verifyDomain(ctx: Ctx, actor: Actor, domain: string): Promise<Domain> {
  const claim = await findDomain(ctx.db, actor.partnerId, domain)
  if (claim === null) throw new Refusal('DOMAIN_NOT_FOUND')
  if (claim.verifiedAt !== null) return claim
  if (!mayServe(ctx.config.mode, claim.environment)) throw new Refusal('DOMAIN_NOT_PROVEN')
  if (!(await ctx.domainProof.isShown(domain, claim.proof))) throw new Refusal('DOMAIN_NOT_PROVEN')
  const now = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    await recordChange(ctx, tx, actor, { action: 'domain.verified', subject: domain })
    if ((await findDomain(tx, actor.partnerId, domain)) === null) throw new Refusal('DOMAIN_NOT_FOUND')
    if (!(await takeDomain(tx, actor.partnerId, domain, now))) throw new Refusal('DOMAIN_IN_USE')
  })
  ctx.caches.signInDomains.clear()
  return { ...claim, verifiedAt: now }
}

/** Signs nobody in from now on; here at once, in other processes within a second. */
export async function giveUpDomain(ctx: Ctx, tx: Tx, actor: Actor, domain: string): Promise<void> {
  await recordChange(ctx, tx, actor, { action: 'domain.removed', subject: domain })
  if (!(await deleteClaim(tx, actor.partnerId, domain))) throw new Refusal('DOMAIN_NOT_FOUND')
  await deleteProvenDomain(tx, actor.partnerId, domain)
  tx.afterCommit(() => ctx.caches.signInDomains.clear())
}
