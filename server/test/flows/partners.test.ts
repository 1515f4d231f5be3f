import { createHash, randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { modeValues } from '../../src/config/mode-values.ts'
import { lockPartner } from '../../src/partners/partners.ts'
import { newPartner, signInAt as signInTo } from '../support/partner.ts'
import { lockWaits } from '../support/run/cluster.ts'
import { newWallet, type Reply, startService, useService, type Wallet } from '../support/service.ts'

const service = useService()

const signInAt = (domain: string, wallet: Wallet) => signInTo(service, domain, wallet)

const newDomain = (end = 'example') => `app-${randomUUID().slice(0, 8)}.partner.${end}`

describe('partner sign-up', () => {
  test('a wallet that signs up becomes the owner of a new partner and cannot sign up twice', async () => {
    const { ask, token, owner, partnerId } = await newPartner(service, '  Example Wallet ')
    const mine = await ask('GET', '')
    expect(mine).toMatchObject({ status: 200, body: { partnerId, name: 'Example Wallet' } })
    expect(mine.body.permissions).toContain('members:write')
    expect((await ask('GET', '/members')).body.data).toMatchObject([{ address: owner.address, role: 'owner' }])
    const again = await service.request('POST', '/partner', { token, body: { name: 'Second' } })
    expect(again).toMatchObject({ status: 409, body: { error: 'ALREADY_A_MEMBER' } })
    expect((await ask('GET', '/audit')).body.data).toHaveLength(1)
  })

  test('concurrent sign-ups of one wallet create one partner', async () => {
    const token = await service.signIn(newWallet())
    const both = await Promise.all(
      ['One', 'Other'].map((name) => service.request('POST', '/partner', { token, body: { name } })),
    )
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
  })

  test('a partner request gets 403 for a wallet that is not a member and 401 without an access token', async () => {
    const token = await service.signIn(newWallet())
    expect(await service.request('GET', '/partner', { token })).toMatchObject({
      status: 403,
      body: { error: 'NOT_A_MEMBER' },
    })
    expect(await service.request('GET', '/partner')).toMatchObject({ status: 401, body: { error: 'UNAUTHORIZED' } })
  })
})

describe('partner members', () => {
  test('viewers only read, developers also manage domains and API keys, and owners also manage members', async () => {
    const { ask, member } = await newPartner(service)
    const [developer, viewer] = [await member('developer'), await member('viewer')]
    const statuses = async (token: string) => [
      (await service.request('GET', '/partner/members', { token })).status,
      (await service.request('GET', '/partner/audit', { token })).status,
      (await service.request('POST', '/partner/domains', { token, body: domainBody() })).status,
      (await service.request('POST', '/partner/api-keys', { token, body: { name: 'a', scopes: ['users:read'] } }))
        .status,
      (await service.request('POST', '/partner/invitations', { token, body: memberBody() })).status,
    ]
    const domainBody = () => ({ domain: newDomain(), environment: 'sandbox' })
    const memberBody = () => ({ address: newWallet().address, role: 'owner' })
    expect(await statuses(developer.token)).toEqual([200, 200, 201, 201, 403])
    expect(await statuses(viewer.token)).toEqual([200, 200, 403, 403, 403])

    const promoted = await ask('PATCH', `/members/${viewer.address}`, { role: 'owner' })
    expect(promoted).toMatchObject({ status: 200, body: { role: 'owner' } })
    expect(await statuses(viewer.token)).toEqual([200, 200, 201, 201, 201])
  })

  test('a removed member is rejected at the next request although the access token is still valid', async () => {
    const { ask, member } = await newPartner(service)
    const { address, token } = await member('developer')
    expect(await ask('DELETE', `/members/${address}`)).toMatchObject({ status: 200, body: { success: true } })
    expect(await service.request('GET', '/partner', { token })).toMatchObject({
      status: 403,
      body: { error: 'NOT_A_MEMBER' },
    })
    expect(await ask('DELETE', `/members/${address}`)).toMatchObject({
      status: 404,
      body: { error: 'MEMBER_NOT_FOUND' },
    })
  })

  test('every member can leave, but only an owner can remove other members', async () => {
    const { member, owner } = await newPartner(service)
    const { address, token } = await member('viewer')
    const remove = (who: string) => service.request('DELETE', `/partner/members/${who}`, { token })
    expect(await remove(owner.address)).toMatchObject({ status: 403, body: { error: 'NOT_PERMITTED' } })
    expect((await remove(address)).status).toBe(200)
  })

  test('the last owner of a partner cannot be removed or demoted, even when two owners remove each other concurrently', async () => {
    const { ask, member, owner, token } = await newPartner(service)
    expect(await ask('DELETE', `/members/${owner.address}`)).toMatchObject({
      status: 409,
      body: { error: 'LAST_OWNER' },
    })
    expect((await ask('PATCH', `/members/${owner.address}`, { role: 'viewer' })).body.error).toBe('LAST_OWNER')
    const other = await member('owner')
    const answers = await Promise.all([
      service.request('DELETE', `/partner/members/${other.address}`, { token }),
      service.request('DELETE', `/partner/members/${owner.address}`, { token: other.token }),
    ])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('a partner cannot remove a member of another partner', async () => {
    const [one, other] = [await newPartner(service), await newPartner(service)]
    expect((await one.ask('DELETE', `/members/${other.owner.address}`)).body.error).toBe('MEMBER_NOT_FOUND')
  })
})

describe('sign-in domains of partners', () => {
  test('users can sign in at a domain from its verification until its removal', async () => {
    const { ask } = await newPartner(service)
    const domain = newDomain()
    const claimed = await ask('POST', '/domains', { domain, environment: 'production' })
    expect(claimed).toMatchObject({ status: 201, body: { domain, verifiedAt: null } })
    expect(claimed.body.proof.dnsName).toBe(`_purser-challenge.${domain}`)
    expect((await signInAt(domain, newWallet())).body.error).toBe('DOMAIN_NOT_ALLOWED')

    const verified = await ask('POST', `/domains/${domain}/verify`)
    expect(verified).toMatchObject({ status: 200, body: { verifiedAt: expect.any(String) } })
    expect((await signInAt(domain, newWallet())).status).toBe(200)
    expect((await ask('POST', `/domains/${domain}/verify`)).status).toBe(200)

    expect((await ask('DELETE', `/domains/${domain}`)).status).toBe(200)
    expect((await signInAt(domain, newWallet())).body.error).toBe('DOMAIN_NOT_ALLOWED')
    expect((await ask('GET', '/domains')).body.data).toEqual([])
  })

  test('a domain that a partner takes over from the programme is verified from then on', async () => {
    const { ask, partnerId } = await newPartner(service)
    const domain = newDomain()
    const { db } = service.ctx
    await db.query(`update partner set status = 'active' where partner_id = $1`, [partnerId])
    await db.query(`insert into sign_in_domain (domain, created_at) values ($1, '2026-01-01')`, [domain])
    const claimed = await ask('POST', '/domains', { domain, environment: 'production' })
    const verified = await ask('POST', `/domains/${domain}/verify`)
    expect(verified).toMatchObject({ status: 200, body: { verifiedAt: expect.any(String) } })
    expect(Date.parse(verified.body.verifiedAt)).toBeGreaterThanOrEqual(Date.parse(claimed.body.createdAt))
    expect((await ask('GET', '/domains')).body.data).toMatchObject([{ domain, verifiedAt: verified.body.verifiedAt }])
  })

  test('a claimed domain without its proof fails verification and does not allow sign-in', async () => {
    const { ask } = await newPartner(service)
    const domain = newDomain('invalid')
    await ask('POST', '/domains', { domain, environment: 'production' })
    expect(await ask('POST', `/domains/${domain}/verify`)).toMatchObject({
      status: 422,
      body: { error: 'DOMAIN_NOT_PROVEN' },
    })
    expect((await signInAt(domain, newWallet())).body.error).toBe('DOMAIN_NOT_ALLOWED')
    expect((await ask('POST', `/domains/${newDomain()}/verify`)).body.error).toBe('DOMAIN_NOT_FOUND')
  })

  test('of two partners that claim a domain only one can verify it, and the other cannot remove it', async () => {
    const [one, other] = [await newPartner(service), await newPartner(service)]
    const domain = newDomain()
    for (const { ask } of [one, other]) await ask('POST', '/domains', { domain, environment: 'production' })
    expect((await one.ask('POST', '/domains', { domain, environment: 'production' })).body.error).toBe('DOMAIN_CLAIMED')
    expect((await one.ask('POST', `/domains/${domain}/verify`)).status).toBe(200)
    expect(await other.ask('POST', `/domains/${domain}/verify`)).toMatchObject({
      status: 409,
      body: { error: 'DOMAIN_IN_USE' },
    })
    expect((await other.ask('DELETE', `/domains/${domain}`)).status).toBe(200)
    expect((await signInAt(domain, newWallet())).status).toBe(200)
  })

  test.each(['localhost', 'localhost:3000', '127.0.0.1', 'intranet', 'https://app.example.com', 'App.example.com'])(
    'the domain %s cannot be claimed',
    async (domain) => {
      const { ask } = await newPartner(service)
      expect((await ask('POST', '/domains', { domain, environment: 'sandbox' })).status).toBe(400)
    },
  )

  test('a sandbox domain cannot be claimed on a production service', async () => {
    const { servesEveryEnvironment } = modeValues.production
    const production = await startService({
      worker: false,
      alter: (ctx) => ({ ...ctx, config: { ...ctx.config, servesEveryEnvironment } }),
    })
    try {
      const { ask } = await newPartner(production)
      const domain = newDomain()
      const rejected = await ask('POST', '/domains', { domain, environment: 'sandbox' })
      expect([rejected.status, rejected.body.error?.message]).toEqual([
        400,
        'body/environment must be production, because a sandbox domain works only in the sandbox',
      ])
      expect((await ask('POST', '/domains', { domain, environment: 'production' })).status).toBe(201)
    } finally {
      await production.stop()
    }
  })
})

describe('users of partners', () => {
  test("a user who registers from a partner's domain is listed for that partner only, and other users for none", async () => {
    const [{ ask }, other] = [await newPartner(service), await newPartner(service)]
    const domain = newDomain()
    await ask('POST', '/domains', { domain, environment: 'production' })
    await ask('POST', `/domains/${domain}/verify`)

    const register = async (at: string) => {
      const { token } = (await signInAt(at, newWallet())).body
      const email = `${randomUUID()}@example.org`
      await service.request('POST', '/email-verification', { token, body: { email } })
      return (await service.request('POST', '/user', { token, body: { email, otp: '123456' } })).body.userId
    }
    const theirs = [await register(domain), await register(domain)]
    await register('localhost')
    expect((await ask('GET', '/users')).body.data.map(({ userId }: any) => userId)).toEqual(theirs)
    expect((await other.ask('GET', '/users')).body.data).toEqual([])
    const newest = await ask('GET', '/users?order=newest&limit=1')
    expect(newest.body).toMatchObject({ data: [{ userId: theirs[1] }], pagination: { hasNext: true } })
    const older = await ask('GET', `/users?order=newest&after=${theirs[1]}`)
    expect(older.body).toMatchObject({ data: [{ userId: theirs[0] }], pagination: { hasNext: false } })

    const page = await ask('GET', '/users?limit=1')
    expect(page.body).toMatchObject({ data: [{ userId: theirs[0] }], pagination: { hasNext: true } })
    const next = await ask('GET', `/users?limit=1&after=${theirs[0]}`)
    expect(next.body).toMatchObject({ data: [{ userId: theirs[1] }], pagination: { hasNext: false } })
  })

  test('the simulator creates users for existing partners only', async () => {
    const { partnerId, ask } = await newPartner(service)
    const make = (of: string) => service.sandbox('POST', '/users', { address: newWallet().address, partnerId: of })
    const made = await make(partnerId)
    expect((await ask('GET', '/users')).body.data).toMatchObject([{ userId: made.body.userId }])
    expect(await make(randomUUID())).toMatchObject({ status: 404, body: { error: 'PARTNER_NOT_FOUND' } })
  })
})

test("users can share their verification with a partner's KYC client only while it is registered", async () => {
  const [{ ask, partnerId }, other] = [await newPartner(service), await newPartner(service)]
  const user = await service.newUser({ partnerId })
  const clientId = `client.${randomUUID()}`
  const share = () =>
    service.request('POST', '/api/v1/kyc/import-partner-applicant', {
      token: user.token,
      body: { forClientId: clientId },
    })
  expect((await share()).status).toBe(400)
  expect((await ask('POST', '/kyc-clients', { clientId })).status).toBe(201)
  expect((await share()).status).toBe(200)
  expect((await other.ask('POST', '/kyc-clients', { clientId })).body.error).toBe('KYC_CLIENT_IN_USE')
  expect((await other.ask('POST', '/kyc-clients', { clientId: 'partner.example_1' })).status).toBe(409)
  expect((await other.ask('DELETE', `/kyc-clients/${clientId}`)).body.error).toBe('KYC_CLIENT_NOT_FOUND')
  expect((await ask('DELETE', `/kyc-clients/${clientId}`)).status).toBe(200)
  expect((await share()).status).toBe(400)
})

describe('API keys of partners', () => {
  test('an API key permits only its scopes, is shown once and is stored as a hash', async () => {
    const { ask, key } = await newPartner(service)
    const token = await key('users:read', 'partner:read')
    expect((await service.request('GET', '/partner/users', { token })).status).toBe(200)
    expect(await service.request('GET', '/partner/audit', { token })).toMatchObject({
      status: 403,
      body: { error: 'NOT_PERMITTED' },
    })
    const listed = await ask('GET', '/api-keys')
    expect(listed.body.data).toMatchObject([
      { lastCharacters: token.slice(-4), scopes: ['users:read', 'partner:read'] },
    ])
    expect(listed.text).not.toContain(token)

    const rows = await service.ctx.db.query<{ row: string }>(
      'select row_to_json(k)::text as row from partner_api_key k',
    )
    const stored = rows.map(({ row }) => row).join('\n')
    expect(stored).not.toContain(token.slice(4))
    expect(stored).toContain(createHash('sha256').update(token).digest('base64url'))
  })

  test('an API key cannot act as a user or sign up a partner, needs a scope, and cannot have the scope keys:write', async () => {
    const { key, ask } = await newPartner(service)
    const token = await key('partner:read')
    expect((await service.request('GET', '/user', { token })).status).toBe(401)
    expect((await service.request('POST', '/partner', { token, body: { name: 'Mine' } })).status).toBe(401)
    expect((await ask('POST', '/api-keys', { name: 'More', scopes: ['keys:write'] })).status).toBe(400)
    expect((await ask('POST', '/api-keys', { name: 'More', scopes: [] })).status).toBe(400)
  })

  test('a rotated API key works beside its successor until the overlap ends', async () => {
    const { ask, key } = await newPartner(service)
    const old = await key('partner:read')
    const [{ keyId }] = (await ask('GET', '/api-keys')).body.data
    const rotated = await ask('POST', `/api-keys/${keyId}/rotate`, { overlapSeconds: 600 })
    expect(rotated.status).toBe(201)
    const statusOf = async (token: string) => (await service.request('GET', '/partner', { token })).status
    expect([await statusOf(old), await statusOf(rotated.body.key)]).toEqual([200, 200])
    await service.advance(600)
    expect([await statusOf(old), await statusOf(rotated.body.key)]).toEqual([401, 200])
    expect((await ask('POST', `/api-keys/${keyId}/rotate`, {})).body.error).toBe('API_KEY_NOT_FOUND')
  })

  test('a rotation renews the lifetime of an API key, also when it is repeated during the overlap', async () => {
    const { ask } = await newPartner(service)
    const lifetimeOf = async (body: object) => {
      const { keyId } = (await ask('POST', '/api-keys', { name: 'Server', scopes: ['partner:read'], ...body })).body
      await service.advance(3000)
      const rotations = [await ask('POST', `/api-keys/${keyId}/rotate`, { overlapSeconds: 300 })]
      rotations.push(await ask('POST', `/api-keys/${keyId}/rotate`, { overlapSeconds: 300 }))
      return rotations.map(({ body }) => body.expiresAt && Date.parse(body.expiresAt) - Date.parse(body.createdAt))
    }
    expect(await lifetimeOf({ ttlInSeconds: 3600 })).toEqual([3_600_000, 3_600_000])
    expect(await lifetimeOf({})).toEqual([null, null])
  })

  test('a repeated revocation of an API key succeeds, and the audit log has it once', async () => {
    const { ask } = await newPartner(service)
    const make = async (body = {}) =>
      (await ask('POST', '/api-keys', { name: 'Server', scopes: ['partner:read'], ...body })).body.keyId
    const [keyId, expired] = [await make(), await make({ ttlInSeconds: 60 })]
    for (let i = 0; i < 2; i++) expect((await ask('DELETE', `/api-keys/${keyId}`)).body).toEqual({ success: true })
    const { data } = (await ask('GET', '/audit')).body
    expect(data.filter(({ action }: any) => action === 'api-key.revoked')).toMatchObject([{ subject: keyId }])
    await service.advance(60)
    for (const id of [expired, crypto.randomUUID()])
      expect((await ask('DELETE', `/api-keys/${id}`)).body.error, id).toBe('API_KEY_NOT_FOUND')
  })

  // On a cluster, a lock on one partner holds up the changes of all.
  test.skipIf(process.env['TEST_CLUSTER'])('two concurrent revocations of an API key both succeed', async () => {
    const { ask, partnerId } = await newPartner(service)
    const { keyId } = (await ask('POST', '/api-keys', { name: 'Server', scopes: ['partner:read'] })).body
    let revocations: Promise<Reply[]> = Promise.resolve([])
    await service.ctx.db.transaction(async (tx) => {
      await lockPartner(tx, partnerId)
      revocations = Promise.all([1, 2].map(() => ask('DELETE', `/api-keys/${keyId}`)))
      await expect.poll(async () => (await service.ctx.db.query(lockWaits)).length).toBe(2)
    })
    expect((await revocations).map(({ body }) => body)).toEqual([{ success: true }, { success: true }])
  })

  test('revoked, expired and invented API keys get the same 401', async () => {
    const { ask, key } = await newPartner(service)
    const revoked = await key('partner:read')
    const [{ keyId }] = (await ask('GET', '/api-keys')).body.data
    expect((await ask('DELETE', `/api-keys/${keyId}`)).status).toBe(200)
    const expired = await ask('POST', '/api-keys', { name: 'Old', scopes: ['partner:read'], ttlInSeconds: 60 })
    await service.advance(60)
    for (const token of [revoked, expired.body.key, `psk_${'a'.repeat(43)}`, 'psk_']) {
      const answer = await service.request('GET', '/partner', { token })
      expect(answer).toMatchObject({ status: 401, body: { error: 'INVALID_API_KEY' } })
    }
  })
})

test('the audit log lists every change with its actor, in order, without gaps or secrets', async () => {
  const { ask, member, key, owner } = await newPartner(service)
  const developer = await member('developer')
  const token = await key('domains:write')
  const domain = newDomain()
  await service.request('POST', '/partner/domains', { token, body: { domain, environment: 'sandbox' } })
  await service.request('POST', `/partner/domains/${domain}/verify`, { token: developer.token })
  await ask('POST', '/invitations', { address: developer.address, role: 'owner' })
  await ask('DELETE', `/members/${developer.address}`)

  const [{ keyId }] = (await ask('GET', '/api-keys')).body.data
  const log = await ask('GET', '/audit')
  expect(log.body.data.map(({ seq, actor, action }: any) => [seq, actor, action])).toEqual([
    ['1', `wallet:${owner.address}`, 'member.added'],
    ['2', `wallet:${owner.address}`, 'member.invited'],
    ['3', `wallet:${developer.address}`, 'member.added'],
    ['4', `wallet:${owner.address}`, 'api-key.made'],
    ['5', `key:${keyId}`, 'domain.claimed'],
    ['6', `wallet:${developer.address}`, 'domain.verified'],
    ['7', `wallet:${owner.address}`, 'member.removed'],
  ])
  expect(log.text).not.toContain(token)
  const rest = await ask('GET', '/audit?after=4&limit=1')
  expect(rest.body).toMatchObject({ data: [{ seq: '5' }], pagination: { hasNext: true } })
})

test('a repeated domain claim with the same idempotency key gets the first response', async () => {
  const { token } = await newPartner(service)
  const body = { domain: newDomain(), environment: 'sandbox' }
  const headers = { 'idempotency-key': randomUUID() }
  const [first, second] = [
    await service.request('POST', '/partner/domains', { token, body, headers }),
    await service.request('POST', '/partner/domains', { token, body, headers }),
  ]
  expect([first.status, second.status]).toEqual([201, 201])
  expect(second.text).toBe(first.text)
})
