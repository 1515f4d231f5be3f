import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Page } from '@playwright/test'
import { createPurser, type Purser, type WalletAdapter, type WebhookEvent, walletSession } from '@purser/client'
import { expressHandler } from '@purser/client/webhooks'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect } from './fixtures.ts'
import type { Service } from './service.ts'
import { installWallet } from './wallet.ts'

/** Members, users and servers of partners. They work over the API, as their own programs would. */

type Account = WalletAdapter & { readonly address: string }

/** A wallet that signs in on a page of the domain, by default on the service's own. */
export function walletAt(service: Service, account: Account = privateKeyToAccount(generatePrivateKey()), at?: string) {
  const { host, origin } = new URL(at ?? service.url)
  const auth = walletSession(account, { domain: host, uri: origin })
  return { address: account.address, purser: createPurser({ baseUrl: service.url, auth, maxRetries: 0 }) }
}

/** Invites a wallet, which accepts. */
export async function addMember(owner: Purser, member: ReturnType<typeof walletAt>, role: 'developer' | 'viewer') {
  const { invitationId } = await owner.partner.invitations.create({ address: member.address, role })
  await member.purser.invitations.accept(invitationId)
  return member
}

/** A partner's server. It accepts only deliveries whose signature its keys verify. */
export async function startReceiver() {
  const events: WebhookEvent[] = []
  const statuses: number[] = []
  // A secret of another endpoint, as after a mistake in a deployment.
  let keys: readonly string[] = [`whsec_${randomBytes(32).toString('base64')}`]
  const receive = expressHandler((event) => events.push(event), { keys: () => keys })
  const server = createServer(async (request, response) => {
    await receive(request, response)
    statuses.push(response.statusCode)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}/hook`,
    /** The events whose signature was verified, and the statuses of all responses. */
    events,
    statuses,
    trust(secret: string) {
      keys = [secret]
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Creates a partner, whose owner is the wallet of the browser. */
export async function newPartnerOwner(page: Page, service: Service) {
  const owner = walletAt(service, await installWallet(page.context()))
  const { partnerId } = await owner.purser.partner.create({ name: 'Example Wallet' })
  return { ...owner, partnerId }
}

/** Opens a page of the console, and signs in with the wallet of the browser. */
export async function signInAsMember(page: Page, path = '') {
  await page.goto(`/console/partner${path}`)
  await page.getByRole('button', { name: 'Story Wallet' }).click()
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible()
}
