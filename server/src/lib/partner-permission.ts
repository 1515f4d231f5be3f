/** What may be allowed to who acts for a partner: a member, by role, or an API key, by scope. */
export const permissions = [
  'partner:read',
  'members:write',
  'domains:write',
  'kyc-clients:write',
  'keys:write',
  'webhooks:write',
  'events:read',
  'users:read',
  'audit:read',
] as const

export type Permission = (typeof permissions)[number]
