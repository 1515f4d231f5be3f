import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { grantDetails, suspendPartner } from '../../src/partners/approval.ts'
import { lockPartner } from '../../src/partners/partners.ts'
import { newPartner, type TestPartner } from '../support/partner.ts'
import { lockWaits } from '../support/run/cluster.ts'
import { newWallet, type TestService, useService } from '../support/service.ts'

const service: TestService = useService({ worker: false })

const invite = async ({ ask }: TestPartner, address: string, role = 'developer', more: object = {}) =>
  (await ask('POST', '/invitations', { address, role, ...more })).body
const decide = (decision: string, invitationId: string, token: string) =>
  service.request('POST', `/invitations/${invitationId}/${decision}`, { token })
const received = async (token: string) => (await service.request('GET', '/invitations', { token })).body.data
const openOf = async ({ ask }: TestPartner) => (await ask('GET', '/invitations')).body.data
const actsFor = async (token: string) => (await service.request('GET', '/partner', { token })).body

async function newcomer() {
  const wallet = newWallet()
  return { address: wallet.address, token: await service.signIn(wallet) }
}

describe('invitations', () => {
  test('an invited wallet is not a member until it accepts with its own access token', async () => {
    const partner = await newPartner(service)
    const { address, token } = await newcomer()
    const { invitationId, ...invited } = await invite(partner, address)
    expect(invited).toMatchObject({ address, role: 'developer', invitedBy: `wallet:${partner.owner.address}` })
    expect(await actsFor(token)).toMatchObject({ error: 'NOT_A_MEMBER' })
    expect(await received(token)).toMatchObject([{ invitationId, partnerName: 'Example Wallet', role: 'developer' }])

    expect(await decide('accept', invitationId, partner.token)).toMatchObject({ status: 404 })
    const joined = await decide('accept', invitationId, token)
    expect(joined).toMatchObject({ status: 200, body: { partnerId: partner.partnerId, address, role: 'developer' } })
    expect(await actsFor(token)).toMatchObject({ partnerId: partner.partnerId })
    expect([await received(token), await openOf(partner)]).toEqual([[], []])
    expect((await partner.ask('GET', '/audit')).body.data.at(-1)).toMatchObject({
      actor: `wallet:${address}`,
      action: 'member.added',
    })
  })

  test('an invited wallet can sign up as its own partner, and then cannot accept', async () => {
    const partner = await newPartner(service)
    const { address, token } = await newcomer()
    const { invitationId } = await invite(partner, address)
    const own = await service.request('POST', '/partner', { token, body: { name: 'Own' } })
    expect(own.status).toBe(201)
    const refused = await decide('accept', invitationId, token)
    expect(refused).toMatchObject({ status: 409, body: { error: 'ALREADY_A_MEMBER' } })
    expect(await actsFor(token)).toMatchObject({ partnerId: own.body.partnerId })
  })

  test('a declined, revoked, replaced or expired invitation cannot be accepted', async () => {
    const partner = await newPartner(service)
    const wallet = newWallet()
    const { address } = wallet
    const token = await service.signIn(wallet)
    const invited = async (role?: string) => (await invite(partner, address, role)).invitationId
    const declined = await invited()
    expect((await decide('decline', declined, token)).status).toBe(200)
    const revoked = await invited()
    expect((await partner.ask('DELETE', `/invitations/${revoked}`)).status).toBe(200)
    expect((await partner.ask('DELETE', `/invitations/${revoked}`)).body.error).toBe('INVITATION_NOT_FOUND')
    const replaced = await invited('viewer')
    const expired = await invited('owner')
    expect(await openOf(partner)).toHaveLength(1)
    await service.sandbox('POST', '/clock', { advanceSeconds: 7 * 86_400 })
    const later = await service.signIn(wallet)
    for (const id of [declined, revoked, replaced, expired, randomUUID()]) {
      expect(await decide('accept', id, later)).toMatchObject({ status: 404, body: { error: 'INVITATION_NOT_FOUND' } })
    }
    expect(await openOf(partner)).toEqual([])
  })

  test('an invitation ends when its sender is removed or demoted, and when the partner is suspended', async () => {
    const partner = await newPartner(service)
    const [leaving, demoted] = [await partner.member('owner'), await partner.member('owner')]
    const { address, token } = await newcomer()
    const as = (sender: { token: string }) =>
      service.request('POST', '/partner/invitations', { token: sender.token, body: { address, role: 'owner' } })
    await as(leaving)
    await partner.ask('DELETE', `/members/${leaving.address}`)
    expect(await received(token)).toEqual([])
    await as(demoted)
    await partner.ask('PATCH', `/members/${demoted.address}`, { role: 'viewer' })
    expect(await received(token)).toEqual([])
    const { invitationId } = await invite(partner, address)
    await suspendPartner(service.ctx, partner.partnerId)
    expect(await received(token)).toEqual([])
    expect((await decide('accept', invitationId, token)).status).toBe(404)
  })

  test('a partner has at most 20 open invitations, and its members cannot be invited again', async () => {
    const partner = await newPartner(service)
    const { ask } = partner
    for (let i = 0; i < 20; i++) await invite(partner, newWallet().address)
    const [first] = await openOf(partner)
    const another = () => ask('POST', '/invitations', { address: newWallet().address, role: 'viewer' })
    expect(await another()).toMatchObject({ status: 422, body: { error: 'INVITATION_LIMIT_REACHED' } })
    expect((await ask('POST', '/invitations', { address: first.address, role: 'viewer' })).status).toBe(201)
    await ask('DELETE', `/invitations/${(await openOf(partner))[0].invitationId}`)
    expect((await another()).status).toBe(201)
    const self = await ask('POST', '/invitations', { address: partner.owner.address, role: 'viewer' })
    expect(self).toMatchObject({ status: 409, body: { error: 'ALREADY_A_MEMBER' } })
  })
})

describe('limits of a partner', () => {
  test('a partner has at most 20 KYC clients', async () => {
    const { ask } = await newPartner(service)
    const add = () => ask('POST', '/kyc-clients', { clientId: `client.${randomUUID()}` })
    for (let i = 0; i < 20; i++) expect((await add()).status).toBe(201)
    expect(await add()).toMatchObject({ status: 422, body: { error: 'KYC_CLIENT_LIMIT_REACHED' } })
  })

  test('a partner has at most 50 valid API keys, rotated ones included', async () => {
    const { ask, key } = await newPartner(service)
    for (let i = 0; i < 50; i++) await key('partner:read')
    const [{ keyId }] = (await ask('GET', '/api-keys')).body.data
    const limited = { status: 422, body: { error: 'API_KEY_LIMIT_REACHED' } }
    expect(await ask('POST', '/api-keys', { name: 'More', scopes: ['partner:read'] })).toMatchObject(limited)
    expect(await ask('POST', `/api-keys/${keyId}/rotate`, {})).toMatchObject(limited)
    await ask('DELETE', `/api-keys/${keyId}`)
    expect((await ask('POST', '/api-keys', { name: 'More', scopes: ['partner:read'] })).status).toBe(201)
  })

  test('a partner has at most 100 domains', async () => {
    const { ask } = await newPartner(service)
    const claim = () => ask('POST', '/domains', { domain: `${randomUUID()}.example`, environment: 'sandbox' })
    for (let i = 0; i < 100; i++) expect((await claim()).status).toBe(201)
    expect(await claim()).toMatchObject({ status: 422, body: { error: 'DOMAIN_LIMIT_REACHED' } })
  })
})

describe('API keys of members', () => {
  async function withKey() {
    const partner = await newPartner(service)
    const member = await partner.member('developer')
    const body = { name: 'Server', scopes: ['partner:read'] }
    const made = (await service.request('POST', '/partner/api-keys', { token: member.token, body })).body
    const works = async () => (await service.request('GET', '/partner', { token: made.key })).status
    return { partner, member, made, works }
  }

  test('an API key names its creator, and the removal of that member lists and revokes it', async () => {
    const { partner, member, made, works } = await withKey()
    const kept = await partner.key('partner:read')
    expect(made.createdBy).toBe(`wallet:${member.address}`)
    expect((await partner.ask('GET', '/api-keys')).body.data[0]).toMatchObject({ createdBy: made.createdBy })
    const removed = await partner.ask('DELETE', `/members/${member.address}`)
    expect(removed.body).toMatchObject({
      success: true,
      apiKeys: [{ keyId: made.keyId, revokedAt: expect.any(String) }],
    })
    expect([await works(), (await service.request('GET', '/partner', { token: kept })).status]).toEqual([401, 200])
    const log = (await partner.ask('GET', '/audit')).body.data.slice(-2)
    expect(log).toMatchObject([{ action: 'member.removed' }, { action: 'api-key.revoked', subject: made.keyId }])
  })

  test('a demotion revokes the API keys that can do more than the new role', async () => {
    const { partner, member, made: reader, works: readerWorks } = await withKey()
    const body = { name: 'Writer', scopes: ['partner:read', 'domains:write'] }
    const writer = (await service.request('POST', '/partner/api-keys', { token: member.token, body })).body
    const demote = (role: string) => partner.ask('PATCH', `/members/${member.address}`, { role })
    const claim = async () => {
      const claimed = { domain: `${randomUUID()}.example.com`, environment: 'sandbox' }
      return (await service.request('POST', '/partner/domains', { token: writer.key, body: claimed })).status
    }
    expect([reader.scopes, (await demote('owner')).status]).toEqual([['partner:read'], 200])
    expect([(await demote('developer')).status, await claim()]).toEqual([200, 201])
    expect([(await demote('viewer')).status, await claim(), await readerWorks()]).toEqual([200, 401, 200])
    const log = (await partner.ask('GET', '/audit')).body.data.slice(-2)
    expect(log).toMatchObject([
      { action: 'member.role-changed', subject: member.address },
      { action: 'api-key.revoked', subject: writer.keyId },
    ])
  })

  test('a member that is removed while its requests wait creates neither an API key nor an invitation', async () => {
    const partner = await newPartner(service)
    const member = await partner.member('owner')
    const { db } = service.ctx
    const untilWaiting = (count: number) => expect.poll(async () => (await db.query(lockWaits)).length).toBe(count)
    const post = (path: string, body: object) => service.request('POST', path, { token: member.token, body })
    const answers = await db.transaction(async (tx) => {
      await lockPartner(tx, partner.partnerId)
      const removal = partner.ask('DELETE', `/members/${member.address}`)
      await untilWaiting(1)
      const made = post('/partner/api-keys', { name: 'Late', scopes: ['partner:read'] })
      const invited = post('/partner/invitations', { address: newWallet().address, role: 'owner' })
      await untilWaiting(3)
      return { all: () => Promise.all([removal, made, invited]) }
    })
    expect((await answers.all()).map(({ status }) => status)).toEqual([200, 403, 403])
    expect([(await partner.ask('GET', '/api-keys')).body.data, await openOf(partner)]).toEqual([[], []])
  })

  test('a member that is demoted while its requests wait creates no API key that exceeds its new role', async () => {
    const partner = await newPartner(service)
    await grantDetails(service.as('operator'), partner.partnerId, true)
    const member = await partner.member('owner')
    await partner.key('users:details')
    const [{ keyId }] = (await partner.ask('GET', '/api-keys')).body.data
    const { db } = service.ctx
    const untilWaiting = (count: number) => expect.poll(async () => (await db.query(lockWaits)).length).toBe(count)
    const post = (path: string, body: object) => service.request('POST', path, { token: member.token, body })
    const answers = await db.transaction(async (tx) => {
      await lockPartner(tx, partner.partnerId)
      const demotion = partner.ask('PATCH', `/members/${member.address}`, { role: 'developer' })
      await untilWaiting(1)
      const made = post('/partner/api-keys', { name: 'Late', scopes: ['users:details'] })
      const rotated = post(`/partner/api-keys/${keyId}/rotate`, {})
      await untilWaiting(3)
      return { all: () => Promise.all([demotion, made, rotated]) }
    })
    expect((await answers.all()).map(({ status }) => status)).toEqual([200, 403, 403])
    const keys = (await partner.ask('GET', '/api-keys')).body.data
    expect(keys).toMatchObject([{ keyId, expiresAt: null, revokedAt: null }])
  })

  test('an owner can keep the API keys of a removed member, and a leaving member cannot keep its own', async () => {
    const { partner, member, made, works } = await withKey()
    const leave = await service.request('DELETE', `/partner/members/${member.address}?keepKeys=true`, member)
    expect(leave).toMatchObject({ status: 403, body: { error: 'NOT_PERMITTED' } })
    const removed = await partner.ask('DELETE', `/members/${member.address}?keepKeys=true`)
    expect(removed.body.apiKeys).toMatchObject([{ keyId: made.keyId, revokedAt: null }])
    expect(await works()).toBe(200)
  })
})
