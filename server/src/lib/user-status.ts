export const userStatuses = ['active', 'closed'] as const
export type UserStatus = (typeof userStatuses)[number]

export const accountStatuses = ['provisioning', 'active', 'blocked', 'closed'] as const
export type AccountStatus = (typeof accountStatuses)[number]
