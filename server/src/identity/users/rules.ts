// pure
import type { EventType } from '../../events/rules.ts'
import type { KycStatus } from '../../lib/kyc-status.ts'
import type { Currency } from '../../lib/money.ts'
import type { AccountStatus, UserStatus } from '../../lib/user-status.ts'

/** The transitions of a user's state. A closed user is never reopened. */
const userTransitions: Readonly<Record<UserStatus, readonly UserStatus[]>> = {
  active: ['closed'],
  closed: [],
}

/** The transitions of an account's state. A closed account is never reopened. */
const accountTransitions: Readonly<Record<AccountStatus, readonly AccountStatus[]>> = {
  provisioning: ['active', 'blocked', 'closed'],
  active: ['provisioning', 'blocked', 'closed'],
  blocked: ['provisioning', 'active', 'closed'],
  closed: [],
}

/** The event that reports each new account state to the partner. */
export const accountEvents: Readonly<Record<AccountStatus, EventType>> = {
  provisioning: 'account.provisioning',
  active: 'account.activated',
  blocked: 'account.blocked',
  closed: 'account.closed',
}

/**
 * The event that reports each new KYC status to the partner. There is no table of KYC transitions: the provider
 * decides, and any status may follow any other.
 */
export const kycEvents: Readonly<Record<KycStatus, EventType>> = {
  notStarted: 'kyc.profile.not_started',
  documentsRequested: 'kyc.profile.documents_requested',
  pending: 'kyc.profile.pending',
  processing: 'kyc.profile.processing',
  approved: 'kyc.profile.approved',
  resubmissionRequested: 'kyc.profile.resubmission_requested',
  requiresAction: 'kyc.profile.requires_action',
  rejected: 'kyc.profile.rejected',
}

/** Returns whether an account may change from one state to the other. Keeping a state is always allowed. */
export function mayAccountBecome(from: AccountStatus, to: AccountStatus): boolean {
  return from === to || accountTransitions[from].includes(to)
}

export function mayUserBecome(from: UserStatus, to: UserStatus): boolean {
  return userTransitions[from].includes(to)
}

const currencyOfCountry: Readonly<Record<string, Currency>> = { GB: 'GBP', US: 'USD', BR: 'USD' }

/**
 * Returns the currency of a new account and its cards: the currency of the user's country if a token has it, otherwise
 * the first token's. A card charge can become a debt, and a debt is recorded in a token of its currency.
 */
export function currencyOf(country: string | null, currenciesOfTokens: readonly Currency[]): Currency {
  const preferred = currencyOfCountry[country ?? ''] ?? 'EUR'
  return currenciesOfTokens.includes(preferred) ? preferred : (currenciesOfTokens[0] ?? preferred)
}

/** Returns the canonical form of an email address. At most one user can have each canonical form. */
export function canonicalEmail(email: string): string {
  return email.trim().toLowerCase()
}
