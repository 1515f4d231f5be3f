/** The states of an account. `identity/users/rules.ts` has their transitions. */
export const accountStatuses = ['provisioning', 'active', 'blocked', 'closed'] as const
export type AccountStatus = (typeof accountStatuses)[number]
