import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, connect, newName, newWallet } from '../acceptance/client.ts'
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

/** A new kind of resource needs a line here. */
async function kindsOfThings(): Promise<Record<string, Owned>> {
  const bank = await money(client)
  const [user, otherUser] = [await client.newUser(), await client.newUser()]
  await bank.newCard(otherUser)
  await bank.deposit(user, units('100'))
  const [owner, stranger] = [await newPartnerOwner(), await newPartnerOwner()]
  const made = async (path: string, body: object) =>
    (await client.request('POST', `/partner${path}`, { token: owner, body })).body
  const ofPartner = (make: () => Promise<string>, nobodys: () => string = randomUUID): Owned => ({
    make,
    owner,
    stranger,
    nobodys,
  })
  const domain = () => `${newName('app-')}.partner.example`
  return {
    cardId: { make: () => bank.newCard(user), owner: user.token, stranger: otherUser.token, nobodys: randomUUID },
    address: ofPartner(
      async () => (await made('/members', { address: newWallet().address, role: 'viewer' })).address,
      () => newWallet().address,
    ),
    domain: ofPartner(
      async () => (await made('/domains', { domain: domain(), environment: 'sandbox' })).domain,
      domain,
    ),
    clientId: ofPartner(async () => (await made('/kyc-clients', { clientId: newName('client.') })).clientId),
    keyId: ofPartner(async () => (await made('/api-keys', { name: 'a', scopes: ['users:read'] })).keyId),
    endpointId: ofPartner(() => newEndpoint(client, owner)),
    eventId: ofPartner(
      () => newEvent(client, owner),
      () => `evt_${randomUUID().replaceAll('-', '')}`,
    ),
  }
}

/** What a route with an id needs beside it. */
const bodies: Record<string, object> = {
  'PATCH /partner/members/{address}': { role: 'developer' },
  'POST /partner/api-keys/{keyId}/rotate': {},
  'PATCH /partner/webhooks/{endpointId}': { description: 'Main' },
  'POST /partner/webhooks/{endpointId}/rotate': {},
  'POST /partner/events/{eventId}/resend': {},
}

test('on every route with an id a stranger learns nothing: the answer is that of an id that does not exist', async () => {
  const things = await kindsOfThings()
  const routes = client.document.operations.filter(({ path, isSandbox }) => path.includes('{') && !isSandbox)
  expect(routes.length).toBeGreaterThan(3)
  for (const { method, path } of routes) {
    const route = `${method} ${path}`
    const name = /\{([^}]+)\}/.exec(path)?.[1] ?? ''
    const thing = things[name]
    if (thing === undefined) throw new Error(`${path}: how does one own a ${name}?`)
    const { make, nobodys, owner, stranger } = thing
    const ask = (id: string, token: string) =>
      client.request(method, path.replace(`{${name}}`, id), { token, body: bodies[route] })
    const id = await make()
    const [theirs, unknown] = [await ask(id, stranger), await ask(nobodys(), stranger)]
    expect([theirs.status, theirs.text], route).toEqual([unknown.status, unknown.text])
    expect(theirs.status, route).toBe(404)
    expect([200, 201, 202], route).toContain((await ask(id, owner)).status)
    if (name === 'cardId') await client.request('POST', `/cards/${id}/cancel`, { token: owner })
  }
})
