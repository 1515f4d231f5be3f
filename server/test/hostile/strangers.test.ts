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

/** How one comes to have a thing of a kind, who has it, who has not, and an id that nobody has. */
type Owned = { make(): Promise<string>; owner: string; stranger: string; nobodys(): string }

async function newPartnerOwner(): Promise<string> {
  const token = await client.signIn(newWallet())
  await client.request('POST', '/partner', { token, body: { name: 'Example' } })
  return token
}

const newAddress = () => newWallet().address

/** By the name in the path, of users and of partners. A new kind of resource needs a line here. */
async function kindsOfThings(): Promise<{ user: Record<string, Owned>; partner: Record<string, Owned> }> {
  const bank = await money(client)
  const [user, otherUser] = [await client.newUser(), await client.newUser()]
  await bank.newCard(otherUser)
  await bank.deposit(user, units('100'))
  const [owner, stranger] = [await newPartnerOwner(), await newPartnerOwner()]
  const made = async (path: string, body: object) =>
    (await client.request('POST', `/partner${path}`, { token: owner, body })).body
  const domain = () => `${newName('app-')}.partner.example`
  const users = { owner: user.token, stranger: otherUser.token }
  const partners = { owner, stranger, nobodys: randomUUID }
  return {
    user: {
      cardId: { ...users, make: () => bank.newCard(user), nobodys: randomUUID },
      address: { ...users, make: () => addWallet(user), nobodys: newAddress },
    },
    partner: {
      address: {
        ...partners,
        make: async () => (await made('/members', { address: newAddress(), role: 'viewer' })).address,
        nobodys: newAddress,
      },
      domain: {
        ...partners,
        make: async () => (await made('/domains', { domain: domain(), environment: 'sandbox' })).domain,
        nobodys: domain,
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
        nobodys: () => `evt_${randomUUID().replaceAll('-', '')}`,
      },
    },
  }
}

const unsigned = { message: signInMessage({ address: newWallet().address, nonce: newName('n') }), signature: '0x' }

/** What a route needs besides the id, and what its owner is answered where that is no 200, 201 or 202. */
const asking: Record<string, { query?: string; body?: unknown; ownerIsAnswered?: number }> = {
  'GET /pci/cards/{cardId}/challenge': { query: '?action=view-details' },
  'POST /pci/cards/{cardId}/token': {
    body: { action: 'view-details', nonce: '1', signature: '0x' },
    ownerIsAnswered: 403,
  },
  'POST /user/owners/{address}/remove': { body: { approval: unsigned }, ownerIsAnswered: 422 },
  'PATCH /partner/members/{address}': { body: { role: 'developer' } },
  'POST /partner/api-keys/{keyId}/rotate': { body: {} },
  'PATCH /partner/webhooks/{endpointId}': { body: { description: 'Main' } },
  'POST /partner/webhooks/{endpointId}/rotate': { body: {} },
  'POST /partner/events/{eventId}/resend': { body: {} },
}

test('on every route with an id a stranger learns nothing: the answer is that of an id that does not exist', async () => {
  const things = await kindsOfThings()
  const routes = client.document.operations.filter(({ path, isSandbox }) => path.includes('{') && !isSandbox)
  expect(routes.length).toBeGreaterThan(3)
  for (const { method, path } of routes) {
    const route = `${method} ${path}`
    const name = /\{([^}]+)\}/.exec(path)?.[1] ?? ''
    const thing = things[path.startsWith('/partner/') ? 'partner' : 'user'][name]
    if (thing === undefined) throw new Error(`${path}: how does one own a ${name}?`)
    const { make, nobodys, owner, stranger } = thing
    const { query = '', body, ownerIsAnswered } = asking[route] ?? {}
    const ask = (id: string, token: string) =>
      client.request(method, `${path.replace(`{${name}}`, id)}${query}`, { token, body })
    const id = await make()
    const [theirs, unknown] = [await ask(id, stranger), await ask(nobodys(), stranger)]
    expect([theirs.status, theirs.text], route).toEqual([unknown.status, unknown.text])
    expect(theirs.status, route).toBe(404)
    const wanted = ownerIsAnswered === undefined ? [200, 201, 202] : [ownerIsAnswered]
    expect(wanted, route).toContain((await ask(id, owner)).status)
    if (name === 'cardId') await client.request('POST', `/cards/${id}/cancel`, { token: owner })
  }
})

async function addWallet(user: User): Promise<string> {
  const body = await ownerProof(client, user, newWallet())
  return (await client.request('POST', '/user/owners', { token: user.token, body })).body.address
}
