import type { SearchHit } from '@purser/client'

/** The messages of the search. */
export const search = {
  title: 'Search',
  resultsFor: (text: string) => `Results for “${text}”`,
  label: 'Results',
  found: 'Found',
  by: 'Matches the',
  user: 'User',
  kinds: {
    user: 'User',
    card: 'Card',
    cardTransaction: 'Card transaction',
    deposit: 'Deposit',
    payout: 'Payout',
    event: 'Event',
    partner: 'Partner',
  } satisfies Record<SearchHit['kind'], string>,
  names: {
    userId: 'user id',
    wallet: 'wallet',
    depositAddress: 'deposit address',
    email: 'email address',
    applicantId: 'applicant id',
    cardId: 'card id',
    last4: 'last digits and expiry',
    authorizationCode: 'authorization code',
    transactionHash: 'transaction hash',
    depositId: 'deposit id',
    withdrawalId: 'withdrawal id',
    eventId: 'event id',
    partnerId: 'partner id',
    partnerName: 'name of the partner',
  } satisfies Record<SearchHit['matched'], string>,
  emptyTitle: 'Nothing matches this text',
  emptyText: 'The search finds only whole ids and names, not parts of them. Check for missing characters.',
  what: 'The search finds',
  whole: 'Paste the whole text. Parts of it find nothing.',
  examples: [
    ['Ids', 'of users, cards, deposits, withdrawals, returns, applicants, partners and events'],
    ['Addresses', 'of wallets and of deposits, such as 0x52…cD1a'],
    ['Email addresses', 'in upper or lower case'],
    ['Transaction hashes', 'of deposits and payouts, also of attempts with an earlier fee'],
    ['Cards', 'as last digits and expiry, such as 1234 12/29'],
    ['Authorization codes', 'of card transactions'],
    ['Names', 'of partners'],
  ] as readonly (readonly [what: string, detail: string])[],
}

export type SearchMessages = typeof search
