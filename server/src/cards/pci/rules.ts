// pure
import type { CardStatus } from '../cards/rules.ts'

/** What an owner may have shown. */
export const viewActions = ['view-details', 'view-pin'] as const
export type ViewAction = (typeof viewActions)[number]

/** From the challenge to its signature. */
export const challengeLifeSeconds = 300
/** From the signature to the opened frame. */
export const viewLifeSeconds = 60

const actionTexts: Readonly<Record<ViewAction, string>> = {
  'view-details': 'Show number, expiry and security code of the card',
  'view-pin': 'Show the PIN of the card',
}

/** Whether a card has anything to show: also a blocked one, but none that is not made yet or has come to its end. */
export function isViewable(status: CardStatus): boolean {
  return status === 'active' || status === 'blocked'
}

/** The EIP-712 message that a wallet signs; its first field is what people read there. */
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

/** Hosts that a Content-Security-Policy can name; it has no form for an IPv6 address. */
const policyHost = /^[a-z0-9.-]+(?::[0-9]+)?$/

/**
 * Whose pages may show a card: those of the domains, and developers' own machines. A host without a scheme is meant as
 * https, and as http too only where the frame itself is served so.
 */
export function frameAncestors(domains: readonly string[]): string {
  return ['http://localhost:*', 'https://localhost:*', ...domains.filter((domain) => policyHost.test(domain))].join(' ')
}
