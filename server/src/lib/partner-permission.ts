/** The permissions of a partner's members, by role, and API keys, by scope. */
export const permissions = [
  'partner:read',
  'members:write',
  'domains:write',
  'kyc-clients:write',
  'keys:write',
  'webhooks:write',
  'events:read',
  'users:read',
  'users:details',
  'audit:read',
] as const

export type Permission = (typeof permissions)[number]
