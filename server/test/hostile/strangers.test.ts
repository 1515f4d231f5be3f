import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, connect, newName, newWallet, ownerProof, signInMessage, type User } from '../acceptance/client.ts'
import { money, units } from '../acceptance/money.ts'
import { newEndpoint, newEvent } from './partner-requests.ts'

let client: Client
beforeAll(async () => {
  client = await connect()
})
afterAll(() => client.stop())

/** A kind of resource: how to create one, the access tokens of its owner and of a stranger, and an unused id. */
type Owned = { make(): Promise<string>; owner: string; stranger: string; unusedId(): string }

async function newPartnerOwner(): Promise<string> {
  const token = await client.signIn(newWallet())
  await client.request('POST', '/partner', { token, body: { name: 'Example' } })
  return token
}

const newAddress = () => newWallet().address

/** Returns the kinds of resources of users and partners by path parameter. A new kind needs an entry here. */
async function resourceKinds(): Promise<{ user: Record<string, Owned>; partner: Record<string, Owned> }> {
  const bank = await money(client)
  const [user, otherUser] = [await client.newUser(), await client.newUser()]
  await bank.newCard(otherUser)
  await bank.deposit(user, units('100'))
  const [owner, stranger] = [await newPartnerOwner(), await newPartnerOwner()]
  const made = async (path: string, body: object) =>
    (await client.request('POST', `/partner${path}`, { token: owner, body })).body
  const domain = () => `${newName('app-')}.partner.example`
  const users = { owner: user.token, stranger: otherUser.token }
  const partners = { owner, stranger, unusedId: randomUUID }
  return {
    user: {
      cardId: { ...users, make: () => bank.newCard(user), unusedId: randomUUID },
      address: { ...users, make: () => addWallet(user), unusedId: newAddress },
      withdrawalId: {
        ...users,
        make: async () => {
          const body = { tokenAddress: bank.tokenOf('EUR').address, amount: '1' }
          return (await client.request('POST', '/user/withdrawal', { token: user.token, body })).body.withdrawalId
        },
        unusedId: randomUUID,
      },
      cardTransactionId: {
        ...users,
        make: async () => {
          const cardId = await bank.newCard(user)
          await bank.card(cardId, 'authorization')
          await client.request('POST', `/cards/${cardId}/cancel`, { token: user.token })
          return (await bank.cardRows(user)).at(-1).id
        },
        unusedId: randomUUID,
      },
      invitationId: {
        ...users,
        make: async () => {
          // Each invitation comes from another partner, since the wallet joins the first one.
          const [token, body] = [await newPartnerOwner(), { address: user.wallet.address, role: 'viewer' }]
          return (await client.request('POST', '/partner/invitations', { token, body })).body.invitationId
        },
        unusedId: randomUUID,
      },
    },
    partner: {
      address: { ...partners, make: async () => (await newMember(made)).address, unusedId: newAddress },
      invitationId: {
        ...partners,
        make: async () => (await made('/invitations', { address: newAddress(), role: 'viewer' })).invitationId,
        unusedId: randomUUID,
      },
      domain: {
        ...partners,
        make: async () => (await made('/domains', { domain: domain(), environment: 'sandbox' })).domain,
        unusedId: domain,
      },
      clientId: {
        ...partners,
        make: async () => (await made('/kyc-clients', { clientId: newName('client.') })).clientId,
      },
      keyId: {
        ...partners,
        make: async () => (await made('/api-keys', { name: 'a', scopes: ['users:read'] })).keyId,
      },
      endpointId: { ...partners, make: () => newEndpoint(client, owner) },
      eventId: {
        ...partners,
        make: () => newEvent(client, owner),
        unusedId: () => `evt_${randomUUID().replaceAll('-', '')}`,
      },
    },
  }
}

const unsigned = { message: signInMessage({ address: newWallet().address, nonce: newName('n') }), signature: '0x' }

/** The query and body that a route needs, and the owner's statuses unless they are 200, 201 or 202. */
const requests: Record<string, { query?: string; body?: unknown; ownerStatus?: number | readonly number[] }> = {
  'PATCH /cards/{cardId}': { body: { cardName: 'Mine' } },
  'PUT /cards/{cardId}/limits': { body: { perTransaction: null, daily: null } },
  'POST /cards/{cardId}/report': { body: { reason: 'lost' } },
  'GET /pci/cards/{cardId}/challenge': { query: '?action=view-details' },
  'POST /pci/cards/{cardId}/token': {
    body: { action: 'view-details', nonce: '1', signature: '0x' },
    ownerStatus: 403,
  },
  'POST /user/owners/{address}/remove': { body: { approval: unsigned }, ownerStatus: 422 },
  // The worker may have sent the payout before.
  'POST /user/withdrawals/{withdrawalId}/cancel': { ownerStatus: [200, 409] },
  'PATCH /partner/members/{address}': { body: { role: 'developer' } },
  'POST /partner/api-keys/{keyId}/rotate': { body: {} },
  'PATCH /partner/webhooks/{endpointId}': { body: { description: 'Main' } },
  'POST /partner/webhooks/{endpointId}/rotate': { body: {} },
  'POST /partner/events/{eventId}/resend': { body: {} },
  'POST /partner/webhooks/{endpointId}/test': { body: { type: 'account.created' } },
  // The endpoint has no delivery of the event.
  'GET /partner/webhooks/{endpointId}/deliveries/{eventId}': { ownerStatus: 404 },
}

test('on every route with an id, a stranger gets the same response as for an id that does not exist', async () => {
  const resources = await resourceKinds()
  // Other tests check operators, and the details of users, which an operator must grant.
  const routes = client.document.operations.filter(
    ({ path, isSandbox }) => path.includes('{') && !isSandbox && !/^\/(operator|partner\/users)\//.test(path),
  )
  expect(routes.length).toBeGreaterThan(3)
  for (const { method, path } of routes) {
    const route = `${method} ${path}`
    const name = /\{([^}]+)\}/.exec(path)?.[1] ?? ''
    const resource = resources[path.startsWith('/partner/') ? 'partner' : 'user'][name]
    if (resource === undefined) throw new Error(`${path}: resourceKinds has no ${name}`)
    const { make, unusedId, owner, stranger } = resource
    const { query = '', body, ownerStatus = [200, 201, 202] } = requests[route] ?? {}
    const kinds = resources[path.startsWith('/partner/') ? 'partner' : 'user']
    const ask = (id: string, token: string) => {
      const filled = path
        .replace(`{${name}}`, id)
        .replace(/\{([^}]+)\}/g, (_all, other) => kinds[other]?.unusedId() ?? '')
      return client.request(method, `${filled}${query}`, { token, body })
    }
    const id = await make()
    const [theirs, unknown] = [await ask(id, stranger), await ask(unusedId(), stranger)]
    expect([theirs.status, theirs.text], route).toEqual([unknown.status, unknown.text])
    expect(theirs.status, route).toBe(404)
    expect([ownerStatus].flat(), route).toContain((await ask(id, owner)).status)
    if (name === 'cardId') await client.request('POST', `/cards/${id}/cancel`, { token: owner })
  }
})

/** Invites a wallet, which accepts. */
async function newMember(made: (path: string, body: object) => Promise<any>): Promise<{ address: string }> {
  const wallet = newWallet()
  const { invitationId } = await made('/invitations', { address: wallet.address, role: 'viewer' })
  const token = await client.signIn(wallet)
  return (await client.request('POST', `/invitations/${invitationId}/accept`, { token })).body
}

async function addWallet(user: User): Promise<string> {
  const body = await ownerProof(client, user, newWallet())
  return (await client.request('POST', '/user/owners', { token: user.token, body })).body.address
}
