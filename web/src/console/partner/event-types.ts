import type { EventType } from '@purser/client'

/** Every type of event with its resource. The compiler checks that none is missing. */
const resources = {
  'account.created': 'account',
  'account.provisioning': 'account',
  'account.activated': 'account',
  'account.blocked': 'account',
  'account.closed': 'account',
  'account.balance.changed': 'account',
  'kyc.profile.not_started': 'kyc.profile',
  'kyc.profile.documents_requested': 'kyc.profile',
  'kyc.profile.pending': 'kyc.profile',
  'kyc.profile.processing': 'kyc.profile',
  'kyc.profile.approved': 'kyc.profile',
  'kyc.profile.resubmission_requested': 'kyc.profile',
  'kyc.profile.requires_action': 'kyc.profile',
  'kyc.profile.rejected': 'kyc.profile',
  'deposit.pending': 'deposit',
  'deposit.approved': 'deposit',
  'deposit.rejected': 'deposit',
  'withdrawal.pending': 'withdrawal',
  'withdrawal.processing': 'withdrawal',
  'withdrawal.completed': 'withdrawal',
  'withdrawal.failed': 'withdrawal',
  'card.created': 'card',
  'card.provisioning': 'card',
  'card.activated': 'card',
  'card.blocked': 'card',
  'card.unblocked': 'card',
  'card.canceled': 'card',
  'card.lost': 'card',
  'card.stolen': 'card',
  'card.expired': 'card',
  'card.transaction.pending': 'card.transaction',
  'card.transaction.settled': 'card.transaction',
  'card.transaction.cancelled': 'card.transaction',
  'card.transaction.declined': 'card.transaction',
  'webhook.endpoint.disabled': 'webhook.endpoint',
} as const satisfies Readonly<Record<EventType, string>>

const eventTypes = Object.keys(resources) as readonly EventType[]

/** Filters for all events of a resource, as endpoints take them. */
export const resourceFilters: readonly string[] = [...new Set(Object.values(resources))].map((name) => `${name}.*`)

export const typesOf = (filter: string): readonly EventType[] =>
  eventTypes.filter((type) => `${resources[type]}.*` === filter)

/**
 * Returns the group filter that covers `narrower`, which is an event type or a narrower filter. As in the service, a
 * group matches by its prefix: `card.*` also matches `card.transaction.settled`.
 */
export const coverOf = (filters: readonly string[], narrower: string): string | undefined =>
  filters.find((each) => each !== narrower && each.endsWith('.*') && narrower.startsWith(each.slice(0, -1)))

export const eventTypeOf = (text: string | null): EventType | undefined => eventTypes.find((type) => type === text)

export const eventTypeOptions = eventTypes.map((type) => ({ value: type, label: type }))
