/** The words of the commands for operators. The names come from a generated table. */

/** Describes arguments and options. */
export const descriptions: Readonly<Record<string, string>> = {
  action: 'Only this action, such as user.details-read',
  actor: 'Only this actor: wallet:<address>, key:<id>, operator or purser',
  address: 'The address of the operator',
  by: 'Only decisions of this wallet, or break-glass decisions of this name',
  cardTransactionId: 'The id of the card transaction',
  depositId: 'The id of the deposit',
  details: 'Whether the partner may read details of its users',
  domain: 'The domain',
  endpointId: 'The id of the webhook endpoint',
  from: 'The first day or time, such as 2026-01-31',
  kid: 'The id of the signing key',
  limit: 'The maximum number, by default 50',
  partnerId: 'The id of the partner',
  payee: 'The wallet of an owner of the user',
  proposalId: 'The id of the proposal',
  q: 'An exact id, wallet, email address, hash, code or name, or 1234 12/29 for a card',
  reason: 'The reason. It is stored forever, so it must not name people',
  reviewId: 'The id of the review',
  seq: 'The number of the movement',
  sessionId: 'The id of the session',
  state: 'Only those that wait in this state',
  status: 'Only this status',
  subject: 'Only records about this subject, such as the id of a user',
  token: 'The address of the token',
  to: 'The day or time after the last one, such as 2026-02-28',
  transfer: 'The transfer: <chain id>:<transaction hash>:<position of the log in the transaction, from 0>',
  userId: 'The id of the user',
  wallet: 'The address, or eip155:<chain id>:<address> for a contract',
  withdrawalId: 'The id of the withdrawal or return',
}

/** The columns of lists with more fields than a terminal can show. Other lists show all fields that are not objects. */
export const columns: Readonly<Record<string, readonly string[]>> = {
  'operators.list': ['address', 'role', 'name', 'personId', 'removedAt'],
  'sessions.list': ['sessionId', 'address', 'signedInAt', 'expiresAt', 'isCurrent'],
  'users.list': ['userId', 'status', 'accountStatus', 'kycStatus', 'country', 'createdAt'],
  'users.listCards': ['cardId', 'name', 'status', 'currency', 'last4', 'createdAt'],
  'users.listDecisions': ['decidedAt', 'decidedBy', 'approvedBy', 'command', 'reason'],
  'users.listDeposits': ['depositId', 'status', 'chainState', 'screening', 'amount', 'createdAt'],
  'users.listStatement': ['createdAt', 'type', 'status', 'amount', 'currency', 'isCredit', 'description'],
  'users.listWithdrawals': ['withdrawalId', 'status', 'amount', 'toAddress', 'createdAt'],
  'decisions.list': ['decidedAt', 'decidedBy', 'approvedBy', 'command', 'subject', 'reason'],
  'deposits.list': ['depositId', 'transfer', 'status', 'chainState', 'screening', 'amount', 'createdAt'],
  'partners.listAudit': ['createdAt', 'actor', 'action', 'subject'],
  'payouts.list': ['withdrawalId', 'status', 'unpaid', 'amount', 'toAddress', 'createdAt'],
  'proposals.list': ['proposalId', 'status', 'command', 'subject', 'proposedBy', 'expiresAt'],
  'reads.list': ['readAt', 'readBy', 'userId', 'reason'],
  'reconciliation.list': ['startedAt', 'isClean', 'users', 'movements', 'badUsers', 'badRows'],
}

/** The nouns of decisions, as the lists name them. */
export const nouns: Readonly<Record<string, string>> = {
  domain: 'domains',
  keys: 'signing-keys',
  operator: 'operators',
  partner: 'partners',
  switch: 'switches',
  user: 'users',
}

/** The summaries of the words before these commands. */
export const operatorGroups: Readonly<Record<string, string>> = {
  operator: 'Everything that operators read and decide',
  'operator chains': 'The chains that the service watches',
  'operator decisions': 'Signed decisions',
  'operator deposits': 'Deposits that wait',
  'operator domains': 'Sign-in domains',
  'operator operators': 'Operators and their roles',
  'operator partners': 'Partners and their approval',
  'operator payouts': 'Payouts that wait',
  'operator proposals': 'Decisions that wait for another person',
  'operator reads': 'Reads of personal data',
  'operator reconciliation': 'Checks of the books',
  'operator reviews': 'Reviews that wait',
  'operator sessions': 'Open sessions of operators',
  'operator signing-keys': 'The keys that sign access tokens',
  'operator switches': 'Kill switches',
  'operator switches card-approvals': 'The kill switch of card approvals',
  'operator switches payouts': 'The kill switch of payouts',
  'operator transfers': 'Transfers with an unknown arrival',
  'operator users': 'Users, their cards, money and books',
  'operator webhooks': 'Dead letters of partners',
}

/** The effect of each decision. */
export const effects: Readonly<Record<string, string>> = {
  'user block': 'Blocks the account of a user',
  'user unblock': 'Unblocks the account of a user',
  'user erase': 'Erases the personal data of a closed user',
  'deposits return': 'Returns a rejected deposit to its sender',
  'transfers tell': 'Declares the amount that a transfer credited',
  'payouts order': 'Pays out money that reached a user after closing, to the wallet of an owner',
  'payouts decide': 'Resolves a payout that paid nobody',
  'payouts cancel': 'Cancels a payout that is not signed yet',
  'payouts assign': 'Assigns a recovered payout to its user',
  'reviews done': 'Closes a review',
  'webhooks resend': 'Sends up to 10,000 dead letters of an endpoint again, the oldest first',
  'partner approve': 'Approves a partner',
  'partner suspend': 'Suspends a partner',
  'partner details': 'Allows a partner to read cards and statements of its users, or forbids it',
  'domain add': 'Adds a sign-in domain',
  'domain remove': 'Removes a sign-in domain',
  'keys rotate': 'Publishes a new signing key, which later replaces the current one',
  'keys retire': 'Retires a key, so the access tokens that it signed are rejected',
  'switch payouts off': 'Stops all payouts',
  'switch payouts on': 'Resumes payouts',
  'switch card-approvals off': 'Declines every authorization',
  'switch card-approvals on': 'Resumes approving authorizations',
  'operator add': 'Adds an operator',
  'operator change': 'Changes the role of an operator',
  'operator remove': 'Removes an operator',
}

/** Returns a summary in the third person: `Reject or withdraw a proposal` becomes `Rejects or withdraws a proposal`. */
export const thirdPerson = (summary: string) =>
  summary.replace(/^(\w+)( or \w+)?/, (_match, one: string, other?: string) =>
    [one, other].map((verb) => (verb === undefined ? '' : `${verb}${verb.endsWith('ch') ? 'es' : 's'}`)).join(''),
  )
