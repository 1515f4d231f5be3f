/** Every operator command, as it is typed, and its description. Words in brackets are arguments. */
const descriptions = {
  'domain list': 'Lists the registered sign-in domains. localhost needs no registration.',
  'domain add <domain> <reason>': 'Adds a sign-in domain, such as app.example.com or app.example.com:8443.',
  'domain remove <domain> <reason>': 'Removes a sign-in domain.',
  'partner list': 'Lists up to 1000 partners with their status: pending ones first, then the newest.',
  'partner approve <partnerId> <reason>': 'Approves a partner. Its domains, KYC clients and webhooks take effect.',
  'partner suspend <partnerId> <reason>':
    'Suspends a partner within a second. Access tokens from its domains are rejected, and its webhooks wait.',
  'partner details <partnerId> <details> <reason>':
    'Lets the owners and API keys of a partner read cards and statements of its users (on), or ends that (off).',
  'deposits return <id> <reason>':
    'Returns a rejected deposit to its sender. The rejection can no longer be overturned unless the payout fails.',
  'payouts list': 'Lists open withdrawals and returns, and those that need a decision.',
  'payouts order <userId> <token> <payee> <reason>':
    'Pays what a closed user has in a token, less debts, to the wallet of an owner. Money can arrive after closing.',
  'payouts cancel <id> <reason>':
    'Cancels a pending payout. The user gets the money back, or the deposit stays rejected.',
  'payouts decide <id> <decision> <reason>':
    'Resolves an unpaid payout: paid (the payee has the money), refund (the user gets it back) or again (pay once more).',
  'payouts assign <id> <userId> <reason>':
    'Assigns a recovered payout to its user, as after a restore. The user is debited.',
  'transfers list': 'Lists transfers whose arrival is unknown.',
  'transfers tell <transfer> <amount> <reason>': 'Declares the quantity of tokens that arrived, such as 0 or 12.5.',
  'user block <userId> <reason>':
    'Blocks an account: no new card payments, cards or withdrawals. Withdrawals whose payout is not signed yet fail.',
  'user unblock <userId> <reason>': 'Restores the state that the account had before the block.',
  'user erase <userId> <reason>': 'Erases the personal data of a closed user now. The books stay.',
  'switch list': 'Shows the kill switches, and when each was last changed.',
  'switch payouts <state> <reason>':
    'Stops all payouts (off), or resumes them (on). Withdrawals stay pending meanwhile.',
  'switch card-approvals <state> <reason>':
    'Declines every authorization (off), or resumes approving authorizations (on). Reversals, clearings and refunds are always posted.',
  'decisions list': 'Lists the newest 100 operator decisions, with author, time and reason.',
  'decisions verify': 'Verifies the log of all decisions, and the signatures of the operators.',
  'operator list': 'Lists all operators with their role and person, the removed ones last.',
  'operator add <wallet> <role> <person> <reason>':
    'Adds an operator: an address, or eip155:<chain id>:<address> for a contract. The person is a name, or the id of a known person.',
  'operator change <wallet> <role> <reason>': 'Gives an operator another role, and ends the sessions of the wallet.',
  'operator remove <wallet> <reason>': 'Removes an operator, and ends the sessions of the wallet.',
  'webhooks resend <endpointId> <reason>': 'Makes up to 10,000 dead letters of a webhook endpoint due again.',
  'factory list': 'Shows the factory of the deposit addresses on each chain, and how to deploy it.',
  'reviews list': 'Lists the newest 100 card transactions and deferred messages to review.',
  'reviews done <id> <reason>': 'Closes a review, and records who closed it (OPERATOR).',
  'secrets list': 'Counts the rows that are stored under older values of SECRET.',
  'secrets rotate': 'Stores everything under the first value of SECRET. See docs/secrets.md.',
  'keys list': 'Lists the keys that sign access tokens.',
  'keys rotate <reason>': 'Publishes a new key, which signs new tokens after 10 minutes. Old access tokens stay valid.',
  'keys retire <kid> <reason>': 'Retires a compromised key. All processes reject its access tokens within a second.',
} as const

export type Typed = keyof typeof descriptions

/** Returns the usage of all commands, or of those given. */
export function usageOf(commands: readonly string[] = Object.keys(descriptions)): string {
  const lines = Object.entries(descriptions)
    .filter(([typed]) => commands.includes(typed))
    .map(([typed, description]) => `  ${typed}\n      ${description}`)
  return `Usage: npm run operator -- <command>\n\n${lines.join('\n')}\n`
}
