import type { MemberRole, Permission } from './partner.tsx'

export const roles = ['owner', 'developer', 'viewer'] as const satisfies readonly MemberRole[]

const all: readonly MemberRole[] = roles
const changing: readonly MemberRole[] = ['owner', 'developer']

/** The role matrix: the roles with each permission. A browser test compares it with the service. */
export const rolesWith = {
  'partner:read': all,
  'users:read': all,
  'events:read': all,
  'audit:read': all,
  'domains:write': changing,
  'kyc-clients:write': changing,
  'keys:write': changing,
  'webhooks:write': changing,
  'members:write': ['owner'],
  'users:details': ['owner'],
} as const satisfies Readonly<Record<Permission, readonly MemberRole[]>>

/** The permissions that an API key can have. */
export const scopes = (Object.keys(rolesWith) as Permission[]).filter(
  (permission) => permission !== 'members:write' && permission !== 'keys:write',
)
