import type { Currency } from '../lib/money.ts'

export const accountStatuses = ['provisioning', 'active', 'blocked', 'closed'] as const
export type AccountStatus = (typeof accountStatuses)[number]

/** From each state to the ones that it may become. A closed account never opens again. */
const nextStatuses: Readonly<Record<AccountStatus, readonly AccountStatus[]>> = {
  provisioning: ['active', 'blocked', 'closed'],
  active: ['provisioning', 'blocked', 'closed'],
  blocked: ['provisioning', 'active', 'closed'],
  closed: [],
}

export function mayBecome(from: AccountStatus, to: AccountStatus): boolean {
  return from === to || nextStatuses[from].includes(to)
}

const currencies: Readonly<Record<string, Currency>> = { GB: 'GBP', US: 'USD', BR: 'USD' }

/** The currency of a new account and of its cards. */
export function currencyOf(country: string | null): Currency {
  return currencies[country ?? ''] ?? 'EUR'
}

/** One form for each mail address, so that it belongs to one user at most. */
export function canonicalEmail(email: string): string {
  return email.trim().toLowerCase()
}
