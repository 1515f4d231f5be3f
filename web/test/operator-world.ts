import { createPurser, type OperatorCommand, operatorSession, walletSession } from '@purser/client'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { Service } from './service.ts'

/** The people of the stories of operators. They work over the API, as their own programs would. */

type Token = { readonly address: string; readonly currency: string; readonly decimals: number }

/** The test operator of every sandbox. Its key is public. */
const testOperator = privateKeyToAccount('0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d')

const wallet = () => privateKeyToAccount(generatePrivateKey())

function clientOf(service: Service, account = wallet()) {
  const session = walletSession(account, { domain: new URL(service.url).host, uri: service.url })
  return { account, purser: createPurser({ baseUrl: service.url, auth: session }) }
}

async function eurToken(service: Service): Promise<Token> {
  const { data } = await service.sandbox<{ data: Token[] }>('GET', '/tokens')
  const token = data.find(({ currency }) => currency === 'EUR')
  if (token === undefined) throw new Error('no token in EUR')
  return token
}

export type Cardholder = Awaited<ReturnType<typeof newCardholder>>

/** Creates a verified user with money and a card. */
export async function newCardholder(
  service: Service,
  { euros = 100, partnerId, email }: { euros?: number; partnerId?: string; email?: string } = {},
) {
  const { account, purser } = clientOf(service)
  const { userId, accountAddress } = await service.sandbox<{ userId: string; accountAddress: string }>(
    'POST',
    '/users',
    {
      ...{ address: account.address, country: 'DE' },
      ...(partnerId !== undefined && { partnerId }),
      ...(email !== undefined && { email }),
    },
  )
  const { cardId } = await purser.cards.create({ cardName: 'Everyday', phone: '+4915123456789' })
  const token = await eurToken(service)
  const units = (amount: number) => `${BigInt(amount) * 10n ** BigInt(token.decimals)}`
  const deposit = (amount: number, result = 'approved') =>
    service.sandbox<{ depositId: string; txHash: string }>('POST', '/deposits', {
      ...{ userId, token: token.address, amount: units(amount), result },
    })
  if (euros > 0) await deposit(euros)
  return {
    ...{ userId, cardId, account, accountAddress, purser, deposit },
    withdraw: async (amount: number) =>
      purser.withdrawals.create({ tokenAddress: token.address, amount: units(amount) }),
    send: (transaction_type: string, amount: string, authorization_code: string) =>
      service.sandbox<{ status: string; denial_code?: string }>('POST', '/transactions', {
        ...{ transaction_type, amount, authorization_code, card_id: cardId, currency: 'EUR' },
        merchant_name: 'Trattoria Sole',
      }),
  }
}

/** Creates a partner. Its owner reads its events over the API. */
export async function newPartner(service: Service, name = 'Example Wallet') {
  const { purser } = clientOf(service)
  const { partnerId } = await purser.partner.create({ name })
  await purser.partner.webhooks.create({ url: 'http://localhost:9/hook' })
  return { partnerId, purser }
}

/** The operator of the sandbox, who signs outside of the browser. */
export function operatorClient(service: Service) {
  const session = operatorSession(testOperator, { consoleUrl: service.url })
  const purser = createPurser({ baseUrl: service.url, auth: session })
  return {
    purser,
    /** Proposes and signs a change, which the sandbox makes with one signature. */
    async decide(command: OperatorCommand, subject: string, given: Record<string, string> = {}) {
      const asked = { command, subject, arguments: given, reason: 'The story needs it' }
      const prepared = await purser.operator.proposals.create(asked)
      if ('proposalId' in prepared) throw new Error('the service proposed without a signature')
      const { stateHash, expires, typedData } = prepared
      const signature = await testOperator.signTypedData(typedData as never)
      return purser.operator.proposals.create({ ...asked, signed: { stateHash, expires, signature } })
    },
  }
}
