import { randomBytes } from 'node:crypto'
import type { Ctx } from '../context.ts'
import { InvalidInput, Refusal } from '../lib/errors.ts'
import type { Tx } from '../platform/db/db.ts'
import {
  assignDomain,
  type DomainClaim,
  deleteDomainClaim,
  deleteSignInDomain,
  findDomainClaim,
  findDomainClaims,
  findEffectiveDomains,
  findSignInDomains,
  insertDomainClaim,
  insertSignInDomain,
  lockDomains,
  unassignDomain,
} from './domains-sql.ts'
import { type Actor, recordPartnerChange } from './partners.ts'
import {
  domainOfOrigin,
  type Environment,
  isLocal,
  isProtected,
  problemOfDomain,
  problemOfDomainClaim,
  problemOfEnvironment,
} from './rules.ts'

/**
 * Sign-in domains and domain claims. Owns `sign_in_domain` and `partner_domain`. One list defines both the domains
 * that sign-in messages may name and the origins that CORS allows. `localhost` is always allowed. Operators edit the
 * list directly. A partner's domain joins the list once it publishes the domain proof, and has an effect while the
 * partner is active.
 *
 * Invariant: a sign-in domain belongs to at most one partner.
 */
type OperatorCtx = Pick<Ctx, 'db' | 'clock' | 'caches'>
type DomainCtx = Pick<Ctx, 'db' | 'caches'>

const maxDomains = 100

export type SignInDomains = {
  /** The partner of each domain that has an effect; null: the programme's own domain. */
  readonly partners: ReadonlyMap<string, string | null>
  readonly suspended: ReadonlySet<string>
}

/** The maximum time until this process notices a change of the list, or of a partner's status, by another process. */
const maxAgeMilliseconds = 1000

function domainsOf({ caches, db }: DomainCtx): Promise<SignInDomains> {
  return caches.signInDomains.read(maxAgeMilliseconds, async () => {
    const rows = await findEffectiveDomains(db)
    return {
      partners: new Map(rows.flatMap(({ domain, partnerId }) => (domain === null ? [] : [[domain, partnerId]]))),
      suspended: new Set(rows.flatMap(({ domain, partnerId }) => (domain === null && partnerId ? [partnerId] : []))),
    }
  })
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

export function listDomains({ db }: OperatorCtx): Promise<string[]> {
  return findSignInDomains(db)
}

/** Returns the partner's domains and the programme's own, which belong to no partner. */
export async function domainsFor(ctx: DomainCtx, partnerId: string | null): Promise<readonly string[]> {
  const domains = [...(await domainsOf(ctx)).partners]
  return domains.flatMap(([domain, owner]) => (owner === null || owner === partnerId ? [domain] : []))
}

/**
 * Returns the partner of a domain that sign-in messages may name; its `partnerId` is null for the programme's own
 * domains. Returns null for domains that messages may not name. Compares raw text, without case folding, default ports
 * or subdomains, so that no alternative spelling of a domain passes.
 */
export async function findSignInDomain(
  ctx: DomainCtx,
  domain: string,
): Promise<{ readonly partnerId: string | null } | null> {
  const partnerId = isLocal(domain) ? null : (await domainsOf(ctx)).partners.get(domain)
  return partnerId === undefined ? null : { partnerId }
}

/** Returns the partner that owns the origin's domain, or null. */
export async function partnerOfOrigin(ctx: DomainCtx, origin: string): Promise<string | null> {
  const domain = domainOfOrigin(origin)
  return domain === null ? null : ((await findSignInDomain(ctx, domain))?.partnerId ?? null)
}

/** Returns whether pages of an origin may call the API. */
export async function isOriginAllowed(ctx: DomainCtx & Pick<Ctx, 'config'>, origin: string): Promise<boolean> {
  const domain = domainOfOrigin(origin)
  if (domain === null || !isProtected(origin, domain, ctx.config.allowsHttpOnLocalhost)) return false
  return (await findSignInDomain(ctx, domain)) !== null
}

export async function isSuspended(ctx: DomainCtx, partnerId: string): Promise<boolean> {
  return (await domainsOf(ctx)).suspended.has(partnerId)
}

export type { DomainClaim }
export { lockDomains }

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
  const misplaced = problemOfEnvironment(environment, ctx.config.servesEveryEnvironment)
  if (misplaced !== null) throw new InvalidInput(`body/environment ${misplaced}`)
  await recordPartnerChange(ctx, tx, actor, { action: 'domain.claimed', subject: domain, detail: { environment } })
  if ((await findDomainClaims(tx, actor.partnerId)).length >= maxDomains) throw new Refusal('DOMAIN_LIMIT_REACHED')
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
  if (!(await ctx.domainProof.isPublished(domain, claim.proof))) throw new Refusal('DOMAIN_NOT_PROVEN')
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
