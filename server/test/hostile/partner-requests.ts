import { setTimeout as delay } from 'node:timers/promises'
import { type Client, newName, newWallet } from '../acceptance/client.ts'

type Good = { user: { token: string }; path?: string; body?: unknown }

/**
 * Returns valid requests of a partner's owner, and a function that causes the rejections which need several requests.
 */
export function partnerRequests(client: () => Client) {
  async function owner(): Promise<{ token: string; address: string }> {
    const wallet = newWallet()
    const token = await client().signIn(wallet)
    await client().request('POST', '/partner', { token, body: { name: 'Example' } })
    return { token, address: wallet.address }
  }
  const ask = (token: string, method: string, path: string, body?: unknown) =>
    client().request(method, `/partner${path}`, { token, body })

  const newDomain = (end = 'example') => ({ domain: `${newName('app-')}.partner.${end}`, environment: 'sandbox' })
  const newMember = () => ({ address: newWallet().address, role: 'viewer' })
  const newClient = () => ({ clientId: newName('client.') })

  const read = async (): Promise<Good> => ({ user: await owner() })
  const write = async (body: unknown): Promise<Good> => ({ user: await owner(), body })

  async function withMember(body?: unknown): Promise<Good> {
    const user = await owner()
    const { path, user: member } = await withReceived('accept', Promise.resolve(user))
    await client().request('POST', path ?? '', { token: member.token })
    return { user, path: `/partner/members/${member.address}`, body }
  }
  async function withInvitation(): Promise<Good> {
    const user = await owner()
    const { body } = await ask(user.token, 'POST', '/invitations', newMember())
    return { user, path: `/partner/invitations/${body.invitationId}` }
  }
  /** Returns an invitation for a wallet that has signed in. */
  async function withReceived(decision: string, by = owner()): Promise<Good & { user: { address: string } }> {
    const wallet = newWallet()
    const invited = { address: wallet.address, role: 'viewer' }
    const { body } = await ask((await by).token, 'POST', '/invitations', invited)
    const user = { address: wallet.address, token: await client().signIn(wallet) }
    return { user, path: `/invitations/${body.invitationId}/${decision}` }
  }
  async function withDomain(more = ''): Promise<Good> {
    const user = await owner()
    const claim = newDomain()
    await ask(user.token, 'POST', '/domains', claim)
    return { user, path: `/partner/domains/${claim.domain}${more}` }
  }
  async function withClient(): Promise<Good> {
    const user = await owner()
    const made = newClient()
    await ask(user.token, 'POST', '/kyc-clients', made)
    return { user, path: `/partner/kyc-clients/${made.clientId}` }
  }
  async function withKey(more = '', body?: unknown): Promise<Good> {
    const user = await owner()
    const made = await ask(user.token, 'POST', '/api-keys', { name: 'a', scopes: ['users:read'] })
    return { user, path: `/partner/api-keys/${made.body.keyId}${more}`, body }
  }

  async function withEndpoint(more = '', body?: unknown): Promise<Good> {
    const user = await owner()
    return { user, path: `/partner/webhooks/${await newEndpoint(client(), user.token)}${more}`, body }
  }
  async function withDelivery(): Promise<Good> {
    const user = await owner()
    const eventId = await newEvent(client(), user.token)
    const { data } = (await ask(user.token, 'GET', '/webhooks')).body
    return { user, path: `/partner/webhooks/${data[0].endpointId}/deliveries/${eventId}` }
  }
  async function withEvent(more = '', body?: unknown): Promise<Good> {
    const user = await owner()
    return { user, path: `/partner/events/${await newEvent(client(), user.token)}${more}`, body }
  }

  const good: Record<string, () => Promise<Good>> = {
    'POST /partner': async () => ({
      user: { token: await client().signIn(newWallet()) },
      body: { name: 'Example' },
    }),
    'GET /partner': read,
    'PATCH /partner': () => write({ name: 'Renamed' }),
    'GET /partner/statistics': read,
    'GET /partner/requests': read,
    'GET /partner/users': read,
    'GET /partner/audit': read,
    'GET /partner/members': read,
    'GET /partner/invitations': read,
    'POST /partner/invitations': () => write(newMember()),
    'DELETE /partner/invitations/{invitationId}': withInvitation,
    'GET /invitations': async () => ({ user: { token: await client().signIn(newWallet()) } }),
    'POST /invitations/{invitationId}/accept': () => withReceived('accept'),
    'POST /invitations/{invitationId}/decline': () => withReceived('decline'),
    'PATCH /partner/members/{address}': () => withMember({ role: 'developer' }),
    'DELETE /partner/members/{address}': () => withMember(),
    'GET /partner/domains': read,
    'POST /partner/domains': () => write(newDomain()),
    'POST /partner/domains/{domain}/verify': () => withDomain('/verify'),
    'DELETE /partner/domains/{domain}': () => withDomain(),
    'GET /partner/kyc-clients': read,
    'POST /partner/kyc-clients': () => write(newClient()),
    'DELETE /partner/kyc-clients/{clientId}': withClient,
    'GET /partner/api-keys': read,
    'POST /partner/api-keys': () => write({ name: 'a', scopes: ['users:read'] }),
    'POST /partner/api-keys/{keyId}/rotate': () => withKey('/rotate', {}),
    'DELETE /partner/api-keys/{keyId}': () => withKey(),
    'GET /partner/webhooks': read,
    'POST /partner/webhooks': () => write({ url: nowhere }),
    'GET /partner/webhooks/{endpointId}': () => withEndpoint(),
    'PATCH /partner/webhooks/{endpointId}': () => withEndpoint('', { description: 'Main' }),
    'DELETE /partner/webhooks/{endpointId}': () => withEndpoint(),
    'POST /partner/webhooks/{endpointId}/rotate': () => withEndpoint('/rotate', {}),
    'POST /partner/webhooks/{endpointId}/test': () => withEndpoint('/test', { type: 'account.created' }),
    'GET /partner/webhooks/{endpointId}/deliveries/{eventId}': withDelivery,
    'POST /partner/webhooks/{endpointId}/resend': () => withEndpoint('/resend'),
    'GET /partner/webhooks/{endpointId}/deliveries': () => withEndpoint('/deliveries'),
    'GET /partner/events': read,
    'GET /partner/events/{eventId}': () => withEvent(),
    'POST /partner/events/{eventId}/resend': () => withEvent('/resend', {}),
  }

  async function causeRemainingRejections(): Promise<void> {
    const { token, address } = await owner()
    const nobody = newWallet().address
    await ask(token, 'POST', '', { name: 'Again' })
    await ask(token, 'GET', '/statistics?from=x')
    await ask(token, 'POST', '/invitations', { address, role: 'viewer' })
    const elsewhere = await ask((await owner()).token, 'POST', '/invitations', { address, role: 'viewer' })
    await client().request('POST', `/invitations/${elsewhere.body.invitationId}/accept`, { token })
    for (const who of [nobody, address]) {
      await ask(token, 'PATCH', `/members/${who}`, { role: 'viewer' })
      await ask(token, 'DELETE', `/members/${who}`)
    }
    const [claim, unproven, other] = [newDomain(), newDomain('invalid'), await owner()]
    for (const each of [claim, claim, unproven]) await ask(token, 'POST', '/domains', each)
    for (const { domain } of [claim, unproven]) await ask(token, 'POST', `/domains/${domain}/verify`)
    await ask(other.token, 'POST', '/domains', claim)
    await ask(other.token, 'POST', `/domains/${claim.domain}/verify`)
    await ask(token, 'POST', '/domains/%20/verify')
    await ask(token, 'DELETE', '/domains/%20')
    const mine = newClient()
    for (const each of [mine, mine]) await ask(token, 'POST', '/kyc-clients', each)
    await ask(token, 'DELETE', '/kyc-clients/%20')
    const unknown = `evt_${'0'.repeat(32)}`
    await ask(token, 'GET', `/events?after=${unknown}`)
    await ask(token, 'GET', `/events/${unknown}`)
    await ask(token, 'POST', `/events/${unknown}/resend`, {})
    const { user, path: event = '' } = await withEvent()
    const endpointId = await newEndpoint(client(), user.token)
    await ask(user.token, 'PATCH', `/webhooks/${endpointId}`, { status: 'disabled' })
    await ask(user.token, 'PATCH', `/webhooks/${endpointId}`, { description: 'Main', version: 'of an earlier state' })
    await ask(user.token, 'GET', `/webhooks/${endpointId}/deliveries/${unknown}`)
    await ask(user.token, 'POST', `/webhooks/${endpointId}/resend`)
    await ask(user.token, 'POST', `/webhooks/${endpointId}/test`, { type: 'account.created' })
    await ask(user.token, 'POST', `${event.replace('/partner', '')}/resend`, { endpointId })
    for (let i = 0; i < 21; i++) await newEndpoint(client(), other.token)
    const key = { name: 'a', scopes: ['users:read'] }
    const made = await Promise.all(Array.from({ length: 51 }, () => ask(other.token, 'POST', '/api-keys', key)))
    const valid = made.find(({ status }) => status === 201)
    await ask(other.token, 'POST', `/api-keys/${valid?.body.keyId}/rotate`, {})
  }

  return { good, causeRemainingRejections }
}

/** A URL at which no server listens. */
const nowhere = 'http://127.0.0.1:9/'

export async function newEndpoint(client: Client, token: string): Promise<string> {
  return (await client.request('POST', '/partner/webhooks', { token, body: { url: nowhere } })).body.endpointId
}

/** Creates a user of the partner, and returns the id of the event that reports it. */
export async function newEvent(client: Client, token: string): Promise<string> {
  await newEndpoint(client, token)
  const { partnerId } = (await client.request('GET', '/partner', { token })).body
  await client.sandbox('POST', '/users', { address: newWallet().address, partnerId })
  for (;;) {
    const [event] = (await client.request('GET', '/partner/events', { token })).body.data
    if (event !== undefined) return event.id
    await delay(20)
  }
}
