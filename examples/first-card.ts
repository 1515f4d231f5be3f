// Signs in with a new wallet, creates a card, deposits 25 EUR, pays 9.99 EUR by card and prints the statement.
// Start the service with `npm start`, then run this in another terminal: npm run example
// This command uses the Node.js that npm installed. Without npm, use Node.js 22.18 or later, which runs TypeScript.
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
// In your own project: import … from '@purser/client'
import {
  createPurser,
  formatAmount,
  PurserConnectionError,
  parseAmount,
  simulator,
  walletSession,
} from '../client/src/index.ts'

const baseUrl = process.env['BASE_URL'] ?? `http://localhost:${process.env['PORT'] ?? 8080}`
const wallet = privateKeyToAccount(generatePrivateKey())
const session = walletSession(wallet, { domain: 'localhost', uri: 'http://localhost' })
const purser = createPurser({ baseUrl, auth: [session, simulator(process.env['SANDBOX_PASSWORD'])] })

await purser.health.get({ maxRetries: 0 }).catch((error) => {
  if (!(error instanceof PurserConnectionError)) throw error
  console.error(`Cannot reach Purser at ${baseUrl}. Start it in another terminal: npm start`)
  process.exit(1)
})

// The simulator creates a user who has completed onboarding. This wallet is the owner.
const { userId, accountAddress } = await purser.sandbox.users.create({ address: wallet.address })

// Create a card, fund the account and pay. The first of these calls signs in with the wallet.
const { cardId } = await purser.cards.create({ cardName: 'Groceries', phone: '+4915123456789' })
const [eur] = (await purser.sandbox.tokens.list()).data
if (eur === undefined) throw new Error('The service has no tokens.')
const amount = String(parseAmount('25', eur.decimals))
await purser.sandbox.deposits.create({ userId, token: eur.address, amount })
const payment = { card_id: cardId, amount: '9.99', currency: 'EUR', merchant_name: 'Corner Shop' }
await purser.sandbox.transactions.send({ transaction_type: 'authorization', ...payment })

// Print the statement and the balance.
for await (const item of purser.statement.list()) {
  const quantity = formatAmount({ amount: BigInt(item.amount), decimals: item.decimals }, { fractionDigits: 2 })
  const sign = item.isCredit ? '+' : '-'
  console.log(`${item.createdAt}  ${sign}${quantity} ${item.currency}  ${item.description} (${item.status})`)
}
for (const { spendable, decimals, currency } of (await purser.balances.list()).data) {
  const quantity = formatAmount({ amount: BigInt(spendable), decimals }, { fractionDigits: 2 })
  if (spendable !== '0') console.log(`Balance: ${quantity} ${currency}`)
}
console.log(`
To continue by hand (see docs/sandbox.md):

export CARD=${cardId} ACCOUNT=${accountAddress} TOKEN=${eur.address}
export BEARER=${session.token()}
curl -s -H "Authorization: Bearer $BEARER" ${baseUrl}/user/statement`)
