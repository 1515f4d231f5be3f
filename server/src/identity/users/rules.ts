import type { EventType } from '../../events/rules.ts'
import type { KycStatus } from '../../lib/kyc-status.ts'
import type { Currency } from '../../lib/money.ts'
import type { AccountStatus } from '../../lib/user-status.ts'

/** From each state to the ones that it may become. A closed account never opens again. */
const nextStatuses: Readonly<Record<AccountStatus, readonly AccountStatus[]>> = {
  provisioning: ['active', 'blocked', 'closed'],
  active: ['provisioning', 'blocked', 'closed'],
  blocked: ['provisioning', 'active', 'closed'],
  closed: [],
}

/** What the partner is told when it has become so. */
export const accountEvents: Readonly<Record<AccountStatus, EventType>> = {
  provisioning: 'account.provisioning',
  active: 'account.activated',
  blocked: 'account.blocked',
  closed: 'account.closed',
}

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

export function mayBecome(from: AccountStatus, to: AccountStatus): boolean {
  return from === to || nextStatuses[from].includes(to)
}

const currencies: Readonly<Record<string, Currency>> = { GB: 'GBP', US: 'USD', BR: 'USD' }

/**
 * The currency of a new account and of its cards: its country's where the programme has a token in it, else that of the
 * first token. What a card is charged must have a token to be owed in.
 */
export function currencyOf(country: string | null, currenciesOfTokens: readonly Currency[]): Currency {
  const wanted = currencies[country ?? ''] ?? 'EUR'
  return currenciesOfTokens.includes(wanted) ? wanted : (currenciesOfTokens[0] ?? wanted)
}

/** One form for each mail address, so that it belongs to one user at most. */
export function canonicalEmail(email: string): string {
  return email.trim().toLowerCase()
}
