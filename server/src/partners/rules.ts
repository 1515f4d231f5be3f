// pure
import { isIP, isIPv4 } from 'node:net'
import { type Permission, permissions } from '../lib/partner-permission.ts'

export const roles = ['owner', 'developer', 'viewer'] as const
export type Role = (typeof roles)[number]

const readPermissions: readonly Permission[] = ['partner:read', 'events:read', 'users:read', 'audit:read']

/** The permissions of each role. */
export const permissionsOf: Readonly<Record<Role, readonly Permission[]>> = {
  owner: permissions,
  developer: [...readPermissions, 'domains:write', 'kyc-clients:write', 'keys:write', 'webhooks:write'],
  viewer: readPermissions,
}

/** Returns the permissions that have an effect. `users:details` needs a grant by the programme. */
export function effective<P extends Permission>(given: readonly P[], readsDetails: boolean): readonly P[] {
  return readsDetails ? given : given.filter((each) => each !== 'users:details')
}

/** The permissions of API keys. With a stolen key, nobody can add members or keys that outlive its revocation. */
export const scopes = permissions.filter((each) => each !== 'members:write' && each !== 'keys:write')
export type Scope = (typeof scopes)[number]

/**
 * Returns whether users may sign in at a domain, given its partner and theirs. Users of every partner may use the
 * programme's domains. The programme's own users, who have no partner, may not use a partner's domains.
 */
export function mayServeUser(partnerId: string | null, userPartnerId: string | null): boolean {
  return partnerId === null || partnerId === userPartnerId
}

export const environments = ['sandbox', 'production'] as const
export type Environment = (typeof environments)[number]

/** Returns why a service cannot use the domains of an environment, or null. */
export function problemOfEnvironment(environment: Environment, servesEveryEnvironment: boolean): string | null {
  if (environment === 'production' || servesEveryEnvironment) return null
  return 'must be production, because a sandbox domain works only in the sandbox'
}

/** The host and port of an origin as browsers write it: ASCII and lower case. */
const domainPattern =
  /^(?:(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*|\[[0-9a-f:.]+\])(?::([1-9][0-9]{0,4}))?$/
const localPattern = /^localhost(?::([0-9]{1,5}))?$/
const maxPort = 65_535
const maxDomainLength = 260

/** Returns whether the domain is a developer's own machine, which is allowed on any port. */
export function isLocal(domain: string): boolean {
  const match = localPattern.exec(domain)
  return match !== null && Number(match[1] ?? 0) <= maxPort
}

/** Returns why a domain cannot be registered, or null. Accepts one spelling, because domains are compared as text. */
export function problemOfDomain(domain: string): string | null {
  if (domain.length > maxDomainLength) return `must have at most ${maxDomainLength} characters`
  if (isLocal(domain)) return 'is always allowed and needs no registration'
  if (/(^|\.)localhost(:|$)/.test(domain))
    return 'must not be a subdomain of localhost, which any local program can serve'
  const match = domainPattern.exec(domain)
  if (!match || Number(match[1] ?? 0) > maxPort) {
    return 'must be host or host:port as in the address bar: ASCII (punycode), lower case, no scheme, path or trailing dot'
  }
  const host = domain.replace(/:[0-9]+$/, '')
  if (/^[0-9.]+$/.test(host) && !isIPv4(host)) return 'must be a host name or a complete IP address'
  return null
}

/** Returns the host and port of an http or https origin (`https://app.example.com`), or null for other origins. */
export function domainOfOrigin(origin: string): string | null {
  return /^https?:\/\/(.+)$/.exec(origin)?.[1] ?? null
}

/**
 * Returns whether nobody on the network can change the pages of an origin. Plain http is for a developer's own machine.
 */
export function isProtected(origin: string, domain: string, allowsHttpOnLocalhost: boolean): boolean {
  return origin.startsWith('https://') || (allowsHttpOnLocalhost && isLocal(domain))
}

/** Returns why a partner cannot claim a domain, or null. The domain proof requires a name in the public DNS. */
export function problemOfDomainClaim(domain: string): string | null {
  const problem = problemOfDomain(domain)
  if (problem !== null) return problem
  const host = hostOf(domain)
  return isIP(host) === 0 && host.includes('.') ? null : 'must be a name in the public DNS'
}

/** Returns the host without its port and brackets. */
function hostOf(domain: string): string {
  return domain.replace(/:[0-9]+$/, '').replace(/^\[|\]$/g, '')
}
