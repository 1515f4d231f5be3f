import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { createSiweMessage } from 'viem/siwe'
import { createCaches } from '../../server/src/platform/cache/caches.ts'
import type { SoakGround } from './ground.ts'
import { NoResponse, type Requests } from './requests.ts'

/** An amount of a card transaction, by its authorization code. */
export type Payment = { readonly code: string; readonly cents: bigint }

/** A user with one card, and the model of the user's money in cents. One action at a time uses it. */
export type SoakUser = {
  readonly userId: string
  readonly account: string
  readonly wallet: PrivateKeyAccount
  readonly cardId: string
  readonly partner: number
  token: string
  isBusy: boolean
  /** Available, without the deposit that is on its way. */
  available: bigint
  /** A deposit that was sent and that the balances have not shown yet. */
  incoming: bigint
  withdrawn: bigint
  readonly holds: Payment[]
  /** Some cleared payments, which can be refunded. */
  readonly cleared: Payment[]
  /** The number of authorization codes used. */
  codes: number
}

export type SoakPartner = { readonly partnerId: string; readonly endpointId: string; readonly token: string }

/** A cent of a token with 18 decimals. */
export const cent = 10n ** 16n
const firstDepositCents = 500_000n

const challenge = { name: 'challenge', method: 'POST', path: '/api/v1/auth/challenge', isRepeatable: false } as const
const ttlInSeconds = 24 * 3600

/** Signs in as a wallet does, and returns the access token. */
export async function signIn(requests: Requests, wallet: PrivateKeyAccount): Promise<string> {
  try {
    const { text: nonce } = await requests.send({ name: 'nonce', path: '/api/v1/auth/nonce' })
    const uri = 'http://localhost/'
    const message = createSiweMessage({
      ...{ address: wallet.address, chainId: 1, domain: 'localhost', nonce, uri, version: '1' },
    })
    const signature = await wallet.signMessage({ message })
    const { body } = await requests.send({ ...challenge, body: { message, signature, ttlInSeconds } })
    return String(body['token'])
  } catch (error) {
    // A nonce is valid once, so another attempt needs another nonce.
    if (error instanceof NoResponse) return signIn(requests, wallet)
    throw error
  }
}

/**
 * Fills the cache of access tokens before anything is measured: in an hour, the sign-ins of the traffic fill half of
 * it.
 */
export async function fillTokenCache(requests: Requests, users: readonly SoakUser[]): Promise<void> {
  const signIns = Math.ceil(createCaches().accessTokens.max / users.length)
  const fill = async (user: SoakUser) => {
    for (let done = 0; done < signIns; done++) {
      user.token = await signIn(requests, user.wallet)
      await requests.send({ name: 'first request', path: '/user/balances/v2', token: user.token })
    }
  }
  await Promise.all(users.map(fill))
}

/** Creates partners, each with one endpoint at the receiver. */
export async function createPartners({ receiver }: SoakGround, requests: Requests): Promise<SoakPartner[]> {
  const partners: SoakPartner[] = []
  for (const number of receiver.accepted.keys()) {
    const token = await signIn(requests, privateKeyToAccount(generatePrivateKey()))
    const create = { method: 'POST', expected: 201, token } as const
    const partner = await requests.send({
      ...create,
      ...{ name: 'create partner', path: '/partner', body: { name: `Partner ${number}` } },
    })
    const endpoint = await requests.send({
      ...create,
      ...{ name: 'create endpoint', path: '/partner/webhooks', body: { url: receiver.urlOf(number) } },
    })
    receiver.setKeys(number, Object(endpoint.body['publicKeys']))
    partners.push({
      partnerId: String(partner.body['partnerId']),
      endpointId: String(endpoint.body['endpointId']),
      token,
    })
  }
  return partners
}

/** Creates an onboarded user with a card, and sends the first deposit. */
export async function createUser(
  { config, chain }: SoakGround,
  requests: Requests,
  partners: readonly SoakPartner[],
  number: number,
): Promise<SoakUser> {
  const wallet = privateKeyToAccount(generatePrivateKey())
  const partner = number % partners.length
  const basic = Buffer.from(`simulator:${config.sandboxPassword}`).toString('base64')
  const made = await requests.send({
    ...{ name: 'create user', method: 'POST', path: '/sandbox/users', expected: 201 },
    headers: { authorization: `Basic ${basic}`, 'idempotency-key': `user-${number}` },
    body: { address: wallet.address, country: 'DE', partnerId: partners[partner]?.partnerId },
  })
  const token = await signIn(requests, wallet)
  const card = await requests.send({
    ...{ name: 'create card', method: 'POST', path: '/cards/virtual', expected: 201, token },
    headers: { 'idempotency-key': 'card' },
    body: { cardName: 'Everyday', phone: '+4915112345678' },
  })
  const account = String(made.body['accountAddress'])
  await chain.mint(euroOf(config), account, firstDepositCents * cent)
  return {
    userId: String(made.body['userId']),
    account,
    wallet,
    cardId: String(card.body['cardId']),
    partner,
    token,
    isBusy: false,
    available: 0n,
    incoming: firstDepositCents,
    withdrawn: 0n,
    holds: [],
    cleared: [],
    codes: 0,
  }
}

export function euroOf({ tokens }: SoakGround['config']): string {
  const [euro] = tokens
  if (euro?.currency !== 'EUR' || euro.decimals !== 18)
    throw new Error('the first token is not a euro with 18 decimals')
  return euro.address
}
