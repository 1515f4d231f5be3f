import { createPurser, walletSession } from '@purser/client'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { euros, eurToken } from './operators.ts'
import type { Service } from './service.ts'

/** Users and partners of the stories of operators. They work over the API, as their own programs would. */

function newClient(service: Service, account = privateKeyToAccount(generatePrivateKey())) {
  const session = walletSession(account, { domain: new URL(service.url).host, uri: service.url })
  return { account, purser: createPurser({ baseUrl: service.url, auth: session }) }
}

type Given = {
  readonly money?: number
  readonly partnerId?: string
  readonly email?: string
  readonly country?: string
  readonly account?: PrivateKeyAccount
}

type Created = { readonly userId: string; readonly accountAddress: string }

/** Creates a verified user without money, or finds the user of the account. The test has the key of the wallet. */
export async function newUser(service: Service, { account: own, ...given }: Omit<Given, 'money'> = {}) {
  const { account, purser } = newClient(service, own)
  const user = { address: account.address, country: 'DE', ...given }
  // Earlier stories of this service may have used a test wallet, too.
  const { data } = await service.sandbox<{ data: (Created & { owners: string[] })[] }>('GET', '/users?limit=100')
  const known = data.find(({ owners }) => owners.includes(account.address))
  const { userId, accountAddress } = known ?? (await service.sandbox<Created>('POST', '/users', user))
  const token = await eurToken(service)
  /** Signs a message that approves a change. */
  const signed = async (statement: string, signer = account) => {
    const { host, origin } = new URL(service.url)
    const lines = [`URI: ${origin}`, 'Version: 1', 'Chain ID: 1', `Nonce: ${await purser.auth.createNonce()}`]
    const begin = [`${host} wants you to sign in with your Ethereum account:`, signer.address, '', statement, '']
    const message = [...begin, ...lines, `Issued At: ${new Date().toISOString()}`].join('\n')
    return { message, signature: await signer.signMessage({ message }) }
  }
  return {
    ...{ userId, account, accountAddress, purser, signed },
    deposit: (amount: number, result = 'approved') =>
      service.sandbox<{ depositId: string; txHash: string }>('POST', '/deposits', {
        ...{ userId, token: token.address, amount: euros(token, amount), result },
      }),
    withdraw: async (amount: number) =>
      purser.withdrawals.create({ tokenAddress: token.address, amount: euros(token, amount) }),
  }
}

/** Creates a verified user with money and a card. */
export async function newCardholder(service: Service, { money = 100, ...given }: Given = {}) {
  const user = await newUser(service, given)
  const { cardId } = await user.purser.cards.create({ cardName: 'Everyday', phone: '+4915123456789' })
  if (money > 0) await user.deposit(money)
  return {
    ...user,
    cardId,
    send: (transaction_type: string, amount: string, authorization_code: string) =>
      service.sandbox<{ status: string; denial_code?: string }>('POST', '/transactions', {
        ...{ transaction_type, amount, authorization_code, card_id: cardId, currency: 'EUR' },
        merchant_name: 'Trattoria Sole',
      }),
  }
}

/** Creates a partner, whose endpoint does not respond. */
export async function newPartner(service: Service) {
  const { purser } = newClient(service)
  const { partnerId } = await purser.partner.create({ name: 'Example Wallet' })
  await purser.partner.webhooks.create({ url: 'http://localhost:9/hook' })
  return { partnerId, purser }
}
