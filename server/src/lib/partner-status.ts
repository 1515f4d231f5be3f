/**
 * `pending`: waits for an operator's approval. Only what an `active` partner registers has an effect. A `suspended` partner
 * also loses its access to users and events.
 */
export const partnerStatuses = ['pending', 'active', 'suspended'] as const

export type PartnerStatus = (typeof partnerStatuses)[number]
