// Signs in with a new wallet, creates a card, deposits 25 EUR, pays 9.99 EUR by card and prints the statement.
// Start the service with `npm start`, then run this in another terminal: npm run example
// That uses the Node.js that npm installed. Without npm, it needs Node.js 22.18 or later, which runs TypeScript.
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { createSiweMessage } from 'viem/siwe'

const url = process.env['BASE_URL'] ?? `http://localhost:${process.env['PORT'] ?? 8080}`
const simulator = `Basic ${btoa(`simulator:${process.env['SANDBOX_PASSWORD'] ?? 'sandbox'}`)}`
const send = async (path: string, init?: RequestInit) =>
  fetch(url + path, init).catch(() => {
    console.error(`Cannot reach Purser at ${url}. Start it in another terminal: npm start`)
    process.exit(1)
  })
const call = async (method: string, path: string, authorization: string, body?: object) => {
  const headers = { authorization, ...(body ? { 'content-type': 'application/json' } : {}) }
  const response = await send(path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return response.json()
}

// The simulator creates a user who has completed onboarding. This wallet is the owner.
const wallet = privateKeyToAccount(generatePrivateKey())
const { userId, accountAddress } = await call('POST', '/sandbox/users', simulator, { address: wallet.address })

// Sign-In with Ethereum: request a nonce, sign a message with it, exchange the signature for an access token.
const nonce = await (await send('/api/v1/auth/nonce')).text()
const message = createSiweMessage({
  address: wallet.address,
  chainId: 1,
  domain: 'localhost',
  nonce,
  uri: 'http://localhost',
  version: '1',
})
const signature = await wallet.signMessage({ message })
const { token } = await call('POST', '/api/v1/auth/challenge', '', { message, signature, ttlInSeconds: 3600 })
const bearer = `Bearer ${token}`

// Create a card, fund the account and pay.
const { cardId } = await call('POST', '/cards/virtual', bearer, { cardName: 'Groceries', phone: '+4915123456789' })
const [eur] = (await call('GET', '/sandbox/tokens', simulator)).data
await call('POST', '/sandbox/deposits', simulator, {
  userId,
  token: eur.address,
  amount: `25${'0'.repeat(eur.decimals)}`,
})
const payment = { card_id: cardId, amount: '9.99', currency: 'EUR', merchant_name: 'Corner Shop' }
await call('POST', '/sandbox/transactions', simulator, { transaction_type: 'authorization', ...payment })

// Print the statement and the balance.
const statement = await call('GET', '/user/statement?limit=10', bearer)
for (const item of statement.data) {
  const quantity = Number(item.amount) / 10 ** item.decimals
  console.log(
    `${item.createdAt}  ${item.isCredit ? '+' : '-'}${quantity} ${item.currency}  ${item.description} (${item.status})`,
  )
}
const [row] = (await call('GET', '/user/balances/v2', bearer)).data
console.log(`Balance: ${Number(row.spendable) / 10 ** row.decimals} ${row.currency}`)
console.log(`
To continue by hand (see docs/sandbox.md):

export CARD=${cardId} ACCOUNT=${accountAddress} TOKEN=${eur.address}
export BEARER=${token}
curl -s -H "Authorization: Bearer $BEARER" ${url}/user/statement`)
