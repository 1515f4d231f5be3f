import { entryOf } from './states.ts'

/**
 * `pending`: waits for an operator's approval. Domains, KYC clients and webhook endpoints have an effect only while
 * their partner is `active`. A `suspended` partner also loses its access to users and events.
 */
export const partnerStatuses = ['pending', 'active', 'suspended'] as const

export type PartnerStatus = (typeof partnerStatuses)[number]

const accessOf: Readonly<Record<PartnerStatus, boolean>> = { pending: true, active: true, suspended: false }

/** Returns whether the members and keys of a partner may use permissions other than `partner:read`. */
export function hasAccess(status: PartnerStatus): boolean {
  return entryOf(accessOf, status)
}

export const statusesWithAccess = partnerStatuses.filter(hasAccess)
