import { randomUUID } from 'node:crypto'
import { createSiweMessage } from 'viem/siwe'
import { newWallet, type Reply, type TestService, type Wallet } from './service.ts'

/** A partner and its owner, and requests that the owner sends. */
export type TestPartner = {
  partnerId: string
  owner: Wallet
  token: string
  ask(method: string, path: string, body?: unknown): Promise<Reply>
  /** Invites a new wallet with a role, signs it in and accepts. */
  member(role: string): Promise<{ address: string; token: string }>
  /** Creates an API key with the scopes. */
  key(...scopes: string[]): Promise<string>
  /** Claims and verifies a new domain. */
  domain(): Promise<string>
}

/** Signs in at a domain and returns the response of the challenge. */
export async function signInAt(service: TestService, domain: string, wallet: Wallet): Promise<Reply> {
  const nonce = (await service.request('GET', '/api/v1/auth/nonce')).text
  const { address } = wallet
  const message = createSiweMessage({ address, chainId: 1, domain, nonce, uri: `https://${domain}/`, version: '1' })
  const signature = await wallet.signMessage({ message })
  return service.request('POST', '/api/v1/auth/challenge', { body: { message, signature } })
}

export async function newPartner(
  service: Pick<TestService, 'request' | 'signIn'>,
  name = 'Example Wallet',
): Promise<TestPartner> {
  const owner = newWallet()
  const token = await service.signIn(owner)
  const made = await service.request('POST', '/partner', { token, body: { name } })
  if (made.status !== 201) throw new Error(`no partner: ${made.status} ${made.text}`)
  let valid = token
  async function ask(method: string, path: string, body?: unknown): Promise<Reply> {
    const answer = await service.request(method, `/partner${path}`, { token: valid, body })
    if (answer.body?.error !== 'TOKEN_EXPIRED') return answer
    // The test has moved the clock past the access token's expiry.
    valid = await service.signIn(owner)
    return ask(method, path, body)
  }
  return {
    partnerId: made.body.partnerId,
    owner,
    token,
    ask,
    async member(role) {
      const wallet = newWallet()
      const invited = await ask('POST', '/invitations', { address: wallet.address, role })
      if (invited.status !== 201) throw new Error(`no invitation: ${invited.status} ${invited.text}`)
      const token = await service.signIn(wallet)
      const joined = await service.request('POST', `/invitations/${invited.body.invitationId}/accept`, { token })
      if (joined.status !== 200) throw new Error(`no member: ${joined.status} ${joined.text}`)
      return { address: wallet.address, token }
    },
    async key(...scopes) {
      const made = await ask('POST', '/api-keys', { name: 'Server', scopes })
      if (made.status !== 201) throw new Error(`no key: ${made.status} ${made.text}`)
      return made.body.key
    },
    async domain() {
      const domain = `app-${randomUUID().slice(0, 8)}.partner.example`
      await ask('POST', '/domains', { domain, environment: 'production' })
      const verified = await ask('POST', `/domains/${domain}/verify`)
      if (verified.status !== 200) throw new Error(`no domain: ${verified.status} ${verified.text}`)
      return domain
    },
  }
}
