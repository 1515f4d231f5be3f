/** The roles of operators. docs/operators.md describes each. */
export const operatorRoles = ['viewer', 'support', 'money', 'admin', 'auditor'] as const
export type OperatorRole = (typeof operatorRoles)[number]

/** How the token of an operator's session travels: in the cookie of the console, or as a bearer token. */
export const sessionVias = ['cookie', 'bearer'] as const
export type SessionVia = (typeof sessionVias)[number]

const everybody = operatorRoles
/** Everybody who may change something. */
const staff = ['support', 'money', 'admin'] as const
const treasury = ['money', 'admin'] as const
const admins = ['admin'] as const
const inspectors = ['admin', 'auditor'] as const

/**
 * The permission matrix: the roles that have each permission. Every route under `/operator` names one permission,
 * except the sign-in and the OpenAPI document. Every command names one too. docs/operators.md shows the same table.
 */
export const operatorPermissions = {
  session: everybody,
  'overview:read': everybody,
  'users:read': everybody,
  'ledger:read': everybody,
  'work:read': everybody,
  'partners:read': everybody,
  'operators:read': everybody,
  'decisions:read': everybody,
  'users:reveal': ['support', 'money', 'admin', 'auditor'],
  'reconciliation:run': ['support', 'money', 'admin', 'auditor'],
  'reads:read': inspectors,
  'evidence:read': inspectors,
  'sessions:read': inspectors,
  'sessions:end': admins,
  'proposals:write': staff,
  'users:block': staff,
  'reviews:write': staff,
  'webhooks:resend': staff,
  'users:unblock': treasury,
  'payouts:write': treasury,
  'switches:write': treasury,
  'users:erase': admins,
  'partners:write': admins,
  'domains:write': admins,
  'keys:write': admins,
  'operators:write': admins,
} as const satisfies Readonly<Record<string, readonly OperatorRole[]>>

export type OperatorPermission = keyof typeof operatorPermissions

export function mayOperate(role: OperatorRole, permission: OperatorPermission): boolean {
  const roles: readonly OperatorRole[] = operatorPermissions[permission]
  return roles.includes(role)
}

/** Returns the permissions of a role, in the order of the matrix. */
export function permissionsOfRole(role: OperatorRole): OperatorPermission[] {
  const names = Object.keys(operatorPermissions) as OperatorPermission[]
  return names.filter((permission) => mayOperate(role, permission))
}
