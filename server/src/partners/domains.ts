import { randomBytes } from 'node:crypto'
import type { Ctx } from '../context.ts'
import { InvalidInput, Refusal } from '../lib/errors.ts'
import type { Tx } from '../platform/db/db.ts'
import { type Actor, recordPartnerChange } from './partners.ts'
import {
  domainOfOrigin,
  type Environment,
  isLocal,
  isProtected,
  mayServe,
  problemOfDomain,
  problemOfDomainClaim,
} from './rules.ts'
import {
  assignDomain,
  type DomainClaim,
  deleteDomainClaim,
  deleteSignInDomain,
  findDomainClaim,
  findDomainClaims,
  findSignInDomains,
  insertDomainClaim,
  insertSignInDomain,
  unassignDomain,
} from './sql.ts'

/**
 * Sign-in domains and domain claims. Owns `sign_in_domain` and `partner_domain`.
 * One list serves for the domains that sign-in messages may name and for the origins that CORS allows. `localhost` is
 * always allowed. Operators edit the list directly. A partner's domain joins the list once it publishes the domain proof.
 *
 * Invariant: a sign-in domain belongs to at most one partner.
 */
type OperatorCtx = Pick<Ctx, 'db' | 'clock' | 'caches'>
type DomainCtx = Pick<Ctx, 'db' | 'caches'>

/** The maximum time until this process notices a change of the list by another process. */
const maxAgeMilliseconds = 1000

function domainsOf({ caches, db }: DomainCtx): Promise<ReadonlyMap<string, string | null>> {
  return caches.signInDomains.read(
    maxAgeMilliseconds,
    async () => new Map((await findSignInDomains(db)).map(({ domain, partnerId }) => [domain, partnerId])),
  )
}

/** Adds a domain to the list. Returns false when it is already listed. */
export async function registerDomain(ctx: OperatorCtx, domain: string): Promise<boolean> {
  const problem = problemOfDomain(domain)
  if (problem !== null) throw new InvalidInput(`${domain} ${problem}`)
  const isNew = await insertSignInDomain(ctx.db, domain, ctx.clock.now())
  ctx.caches.signInDomains.clear()
  return isNew
}

/** Removes a domain from the list. Returns false when it is not listed. */
export async function removeDomain(ctx: OperatorCtx, domain: string): Promise<boolean> {
  const wasThere = await deleteSignInDomain(ctx.db, domain)
  ctx.caches.signInDomains.clear()
  return wasThere
}

export async function listDomains(ctx: OperatorCtx): Promise<string[]> {
  return (await findSignInDomains(ctx.db)).map(({ domain }) => domain)
}

/** Returns the partner's domains and the programme's own, which belong to no partner. */
export async function domainsFor(ctx: DomainCtx, partnerId: string | null): Promise<readonly string[]> {
  const domains = [...(await domainsOf(ctx))]
  return domains.flatMap(([domain, owner]) => (owner === null || owner === partnerId ? [domain] : []))
}

/**
 * Returns whether a sign-in message may name the domain. Compares raw text, without case folding, default ports or
 * subdomains, so that no alternative spelling of a domain passes.
 */
export async function isDomainAllowed(ctx: DomainCtx, domain: string): Promise<boolean> {
  return isLocal(domain) || (await domainsOf(ctx)).has(domain)
}

/** Returns the partner that owns the domain, or null. */
export async function partnerOfDomain(ctx: DomainCtx, domain: string): Promise<string | null> {
  return (await domainsOf(ctx)).get(domain) ?? null
}

/** Returns the partner that owns the origin's domain, or null. */
export async function partnerOfOrigin(ctx: DomainCtx, origin: string): Promise<string | null> {
  const domain = domainOfOrigin(origin)
  return domain === null ? null : partnerOfDomain(ctx, domain)
}

/** Returns whether pages of an origin may call the API. */
export async function isOriginAllowed(ctx: DomainCtx & Pick<Ctx, 'config'>, origin: string): Promise<boolean> {
  const domain = domainOfOrigin(origin)
  return domain !== null && isProtected(origin, domain, ctx.config.mode) && (await isDomainAllowed(ctx, domain))
}

export type { DomainClaim }

export function listDomainClaims(ctx: Ctx, { partnerId }: Actor): Promise<DomainClaim[]> {
  return findDomainClaims(ctx.db, partnerId)
}

export async function claimDomain(
  ctx: Ctx,
  tx: Tx,
  actor: Actor,
  { domain, environment }: { domain: string; environment: Environment },
): Promise<DomainClaim> {
  const problem = problemOfDomainClaim(domain)
  if (problem !== null) throw new InvalidInput(`body/domain ${problem}`)
  await recordPartnerChange(ctx, tx, actor, { action: 'domain.claimed', subject: domain, detail: { environment } })
  const proof = randomBytes(24).toString('base64url')
  const claim: DomainClaim = { domain, environment, proof, createdAt: ctx.clock.now(), verifiedAt: null }
  if (!(await insertDomainClaim(tx, actor.partnerId, claim))) throw new Refusal('DOMAIN_CLAIMED')
  return claim
}

/** Looks up the domain proof and, if it is published, adds the domain to the list. Idempotent. */
export async function verifyDomain(ctx: Ctx, actor: Actor, domain: string): Promise<DomainClaim> {
  const claim = await findDomainClaim(ctx.db, actor.partnerId, domain)
  if (claim === null) throw new Refusal('DOMAIN_NOT_FOUND')
  if (claim.verifiedAt !== null) return claim
  if (!mayServe(ctx.config.mode, claim.environment)) throw new Refusal('DOMAIN_NOT_PROVEN')
  if (!(await ctx.domainProof.isShown(domain, claim.proof))) throw new Refusal('DOMAIN_NOT_PROVEN')
  const now = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    await recordPartnerChange(ctx, tx, actor, { action: 'domain.verified', subject: domain })
    if ((await findDomainClaim(tx, actor.partnerId, domain)) === null) throw new Refusal('DOMAIN_NOT_FOUND')
    if (!(await assignDomain(tx, actor.partnerId, domain, now))) throw new Refusal('DOMAIN_IN_USE')
  })
  ctx.caches.signInDomains.clear()
  return { ...claim, verifiedAt: now }
}

/** Ends the claim and removes the domain from the list: in this process at once, in others within a second. */
export async function releaseDomain(ctx: Ctx, tx: Tx, actor: Actor, domain: string): Promise<void> {
  await recordPartnerChange(ctx, tx, actor, { action: 'domain.removed', subject: domain })
  if (!(await deleteDomainClaim(tx, actor.partnerId, domain))) throw new Refusal('DOMAIN_NOT_FOUND')
  await unassignDomain(tx, actor.partnerId, domain)
  tx.afterCommit(() => ctx.caches.signInDomains.clear())
}
