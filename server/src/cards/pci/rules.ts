// pure
import { entryOf } from '../../lib/states.ts'
import type { CardStatus } from '../cards/rules.ts'

/** The parts of a card that an owner can view. */
export const viewActions = ['view-details', 'view-pin'] as const
export type ViewAction = (typeof viewActions)[number]

/** The time to sign a challenge. */
export const challengeLifeSeconds = 300
/** The time to open the frame after the signature. */
export const viewLifeSeconds = 60

const actionTexts: Readonly<Record<ViewAction, string>> = {
  'view-details': 'Show number, expiry and security code of the card',
  'view-pin': 'Show the PIN of the card',
}

const shownParts: Readonly<Record<ViewAction, 'details' | 'pin'>> = { 'view-details': 'details', 'view-pin': 'pin' }

/** Returns the part of the card that an action shows. */
export function shownPart(action: ViewAction): 'details' | 'pin' {
  return entryOf(shownParts, action)
}

/** Returns whether a card in this state can be viewed: only after its creation, and before it ends. */
export function isViewable(status: CardStatus): boolean {
  return status === 'active' || status === 'blocked'
}

/** Returns the EIP-712 message for the wallet. Its first field is the text that people read. */
export function viewRequest(
  card: { readonly cardId: string; readonly last4: string },
  { action, chainId, nonce }: { action: ViewAction; chainId: number; nonce: bigint },
) {
  return {
    domain: { name: 'Purser', version: '1', chainId },
    primaryType: 'Message',
    types: {
      Message: [
        { name: 'authorization', type: 'string' },
        { name: 'nonce', type: 'uint256' },
      ],
    },
    message: { authorization: `${actionTexts[action]} ending in ${card.last4} (${card.cardId})`, nonce },
  } as const
}

/** The hosts that a Content-Security-Policy can name. It cannot name an IPv6 address. */
const policyHost = /^[a-z0-9.-]+(?::[0-9]+)?$/

/**
 * Returns the pages that may embed a card: pages of the domains, and of localhost for developers. Browsers match a host
 * without a scheme over https, and over http only if the frame itself is served over http.
 */
export function frameAncestors(domains: readonly string[]): string {
  return ['http://localhost:*', 'https://localhost:*', ...domains.filter((domain) => policyHost.test(domain))].join(' ')
}
