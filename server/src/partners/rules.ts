import { isIP, isIPv4 } from 'node:net'
import { type Permission, permissions } from '../lib/partner-permission.ts'

export const roles = ['owner', 'developer', 'viewer'] as const
export type Role = (typeof roles)[number]

const reading: readonly Permission[] = ['partner:read', 'events:read', 'users:read', 'audit:read']

/** Which role may do what. */
export const permissionsOf: Readonly<Record<Role, readonly Permission[]>> = {
  owner: permissions,
  developer: [...reading, 'domains:write', 'kyc-clients:write', 'keys:write', 'webhooks:write'],
  viewer: reading,
}

/** What an API key may be allowed: not to choose people or to make more keys, so that a stolen one ends with itself. */
export const scopes = permissions.filter((each) => each !== 'members:write' && each !== 'keys:write')
export type Scope = (typeof scopes)[number]

export const environments = ['sandbox', 'production'] as const
export type Environment = (typeof environments)[number]

/** A production service signs nobody in for a page that is there for trying things out. */
export function mayServe(mode: Environment, environment: Environment): boolean {
  return mode === 'sandbox' || environment === 'production'
}

/** What a registered domain may look like: the host and port of an origin as a browser writes it, ASCII and lower case. */
const domainPattern =
  /^(?:(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*|\[[0-9a-f:.]+\])(?::([1-9][0-9]{0,4}))?$/
const localPattern = /^localhost(?::([0-9]{1,5}))?$/
const highestPort = 65_535
const longestDomain = 260

/** A developer's own machine: always allowed, on any port. */
export function isLocal(domain: string): boolean {
  const match = localPattern.exec(domain)
  return match !== null && Number(match[1] ?? 0) <= highestPort
}

/** Why a domain cannot be registered, or null. Domains are compared as raw text, so only one spelling may get in. */
export function problemOfDomain(domain: string): string | null {
  if (domain.length > longestDomain) return 'is too long'
  if (isLocal(domain)) return 'is always allowed'
  if (/(^|\.)localhost(:|$)/.test(domain))
    return 'is a subdomain of localhost, which any program on a machine may serve'
  const match = domainPattern.exec(domain)
  if (!match || Number(match[1] ?? 0) > highestPort) {
    return 'must be host or host:port as in the address bar: ASCII (punycode), lower case, no scheme, path or trailing dot'
  }
  const host = domain.replace(/:[0-9]+$/, '')
  if (/^[0-9.]+$/.test(host) && !isIPv4(host)) return 'must be a name or a whole IP address'
  return null
}

/** The host and port of a web origin (`https://app.example.com`), or null when it is not one of http or https. */
export function domainOfOrigin(origin: string): string | null {
  return /^https?:\/\/(.+)$/.exec(origin)?.[1] ?? null
}

/** Why a partner cannot prove that a domain is theirs, or null. */
export function problemOfClaim(domain: string): string | null {
  const problem = problemOfDomain(domain)
  if (problem !== null) return problem
  const host = hostOf(domain)
  return isIP(host) === 0 && host.includes('.') ? null : 'must be a name in the public DNS'
}

/** Without port and brackets. */
function hostOf(domain: string): string {
  return domain.replace(/:[0-9]+$/, '').replace(/^\[|\]$/g, '')
}
