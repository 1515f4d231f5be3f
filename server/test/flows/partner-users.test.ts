import { beforeAll, describe, expect, test } from 'vitest'
import { auditLog } from '../../src/events/sealed-log.ts'
import { checkAll } from '../../src/money/reconcile/reconcile.ts'
import { grantDetails } from '../../src/partners/approval.ts'
import { newPartner, type TestPartner } from '../support/partner.ts'
import { plainError, type Reply } from '../support/service.ts'
import { eure, type Person, useWorld } from '../support/world.ts'

const { service, world } = useWorld({ worker: false })
const unknownId = '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a'

const grant = ({ partnerId }: TestPartner, isGranted = true) =>
  grantDetails(service.as('operator'), partnerId, isGranted)

describe('the details of a partner user', () => {
  let partner: TestPartner
  let alice: Person
  beforeAll(async () => {
    partner = await newPartner(service)
    ;({ alice } = await world({ partner, eur: 100, card: true }))
    for (let i = 0; i < 3; i++) await alice.send('authorization', '1.00', { authorization_code: undefined })
    await alice.withdraw(eure(1))
  })

  const paths = (userId: string) => [`/users/${userId}`, `/users/${userId}/statement`]

  test('details of users are off until the programme grants them, even for keys that have the scope', async () => {
    expect((await partner.ask('GET', '')).body.permissions).not.toContain('users:details')
    for (const path of paths(alice.userId)) {
      const refused = await partner.ask('GET', path)
      expect([refused.status, refused.body]).toEqual(plainError(403, 'NOT_PERMITTED'))
    }
    const early = await partner.ask('POST', '/api-keys', { name: 'Server', scopes: ['users:details'] })
    expect(early.status).toBe(403)
    await grant(partner)
    expect((await partner.ask('GET', '')).body.permissions).toContain('users:details')
    const key = await partner.key('users:details')
    const [path = ''] = paths(alice.userId)
    expect((await service.request('GET', `/partner${path}`, { token: key })).status).toBe(200)
    await grant(partner, false)
    const ended = await service.request('GET', `/partner${path}`, { token: key })
    expect([ended.status, ended.body]).toEqual(plainError(403, 'NOT_PERMITTED'))
    const actions = (await partner.ask('GET', '/audit?order=newest&actor=operator')).body.data.map((e: any) => e.action)
    expect(actions).toEqual(['partner.details-withdrawn', 'partner.details-granted'])
    await grant(partner)
  })

  test('a key with the scope of details can be rotated after the programme withdrew the grant', async () => {
    await grant(partner)
    const { keyId } = (await partner.ask('POST', '/api-keys', { name: 'Leaked', scopes: ['users:details'] })).body
    await grant(partner, false)
    const rotated = await partner.ask('POST', `/api-keys/${keyId}/rotate`, { overlapSeconds: 0 })
    expect(rotated).toMatchObject({ status: 201, body: { scopes: ['users:details'] } })
    const [path = ''] = paths(alice.userId)
    const read = await service.request('GET', `/partner${path}`, { token: rotated.body.key })
    expect([read.status, read.body]).toEqual(plainError(403, 'NOT_PERMITTED'))
    const developer = await partner.member('developer')
    const theirs = { token: developer.token, body: {} }
    const rejected = await service.request('POST', `/partner/api-keys/${rotated.body.keyId}/rotate`, theirs)
    expect([rejected.status, rejected.body]).toEqual(plainError(403, 'NOT_PERMITTED'))
    await partner.ask('DELETE', `/api-keys/${rotated.body.keyId}`)
  })

  test('an owner of the partner reads cards and statement, and no name of the person', async () => {
    await grant(partner)
    const [user, statement] = await Promise.all(paths(alice.userId).map((path) => partner.ask('GET', path)))
    expect(user?.body).toMatchObject({
      userId: alice.userId,
      kyc: 'approved',
      accountStatus: 'active',
      currency: 'EUR',
    })
    // Users name their cards freely, so the name of a card can contain their own name.
    const [card] = (await alice.ask('GET', '/cards')).body.data
    expect(user?.body.cards).toEqual([{ ...card, cardName: `${card.cardName[0]}•••` }])
    expect(user?.text).not.toMatch(/Alex|Sandbox|Street|cardToken/)
    expect(statement?.body.data).toEqual(await alice.statement())
    for (const role of ['developer', 'viewer']) {
      const { token } = await partner.member(role)
      expect((await service.request('GET', `/partner/users/${alice.userId}`, { token })).status, role).toBe(403)
    }
  })

  test('reading details of users needs a credential of the partner', async () => {
    for (const path of paths(alice.userId)) {
      const missing = await service.request('GET', `/partner${path}`)
      expect([missing.status, missing.body]).toEqual(plainError(401, 'UNAUTHORIZED'))
      const wrong = await service.request('GET', `/partner${path}`, { token: `psk_${'x'.repeat(43)}` })
      expect([wrong.status, wrong.body]).toEqual(plainError(401, 'INVALID_API_KEY'))
    }
  })

  test("a user's statement has filters and pages for the partner too", async () => {
    await grant(partner)
    const read = (query: string) => partner.ask('GET', `/users/${alice.userId}/statement?${query}`)
    const whole = await alice.statement()
    for (const type of ['card_transaction', 'deposit', 'withdrawal']) {
      expect((await read(`type=${type}`)).body.data).toEqual(whole.filter((item) => item.type === type))
    }
    expect((await read(`cardId=${alice.cardId}`)).body.data).toEqual(
      whole.filter(({ cardId }) => cardId === alice.cardId),
    )
    const first = (await read('limit=2')).body
    const next = (await read(`limit=100&cursor=${encodeURIComponent(first.pagination.nextCursor)}`)).body
    expect([...first.data, ...next.data]).toEqual(whole)
    expect((await read('cursor=x')).body.error).toBe('INVALID_CURSOR')
    expect((await read('startDate=2026-01-02&endDate=2026-01-01')).body.error).toBe('INVALID_DATE_RANGE')
    expect((await read('limit=101')).status).toBe(400)
    const own = (await alice.ask('GET', '/user/statement?limit=1')).body.pagination.nextCursor
    expect((await read(`cursor=${encodeURIComponent(own)}`)).body.error).toBe('INVALID_CURSOR')
  })

  test('every read of details leaves a sealed record of who read whose details, and when', async () => {
    await grant(partner)
    const key = await partner.key('users:details')
    const { keyId } = (await partner.ask('GET', '/api-keys')).body.data.at(-1)
    const before = (await partner.ask('GET', '/audit?order=newest&limit=1')).body.data[0].seq
    const [path = '', statement = ''] = paths(alice.userId)
    await partner.ask('GET', path)
    await service.request('GET', `/partner${statement}?limit=1`, { token: key })
    // These read nothing.
    await partner.ask('GET', `/users/${unknownId}`)
    await partner.ask('GET', `${statement}?cursor=x`)

    const { data } = (await partner.ask('GET', `/audit?after=${before}`)).body
    const entry = { subject: alice.userId, detail: {}, createdAt: expect.stringMatching(/Z$/) }
    expect(data).toEqual([
      {
        ...entry,
        seq: String(BigInt(before) + 1n),
        actor: `wallet:${partner.owner.address}`,
        action: 'user.details-read',
      },
      { ...entry, seq: String(BigInt(before) + 2n), actor: `key:${keyId}`, action: 'user.statement-read' },
    ])
    const { token } = await partner.member('viewer')
    const seen = await service.request('GET', `/partner/audit?order=newest&subject=${alice.userId}&limit=2`, { token })
    expect(seen.body.data).toEqual(data.toReversed())
    const both = `/audit?subject=${alice.userId}&action=user.statement-read&actor=key:${keyId}`
    expect((await partner.ask('GET', both)).body.data).toEqual(data.slice(1))
    expect((await checkAll(service.as('reader'))).firstBadRows).toEqual([])
  })

  test('reads of details that wait for their record occupy one connection, and no other request waits', async () => {
    await grant(partner)
    const other = await newPartner(service)
    const before = (await partner.ask('GET', '/audit?order=newest&limit=1')).body.data[0].seq
    const many = 40
    let reads: Promise<Reply[]> = Promise.resolve([])
    await service.ctx.db.transaction(async (tx) => {
      await tx.query('select from sealed_log where log = $1 for update', [auditLog(partner.partnerId)])
      reads = Promise.all(Array.from({ length: many }, () => partner.ask('GET', `/users/${alice.userId}`)))
      const waiting = () =>
        service.ctx.db.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
      await expect.poll(async () => (await waiting()).length).toBe(1)
      for (let i = 0; i < 3; i++) expect((await other.ask('PATCH', '', { name: `Name ${i}` })).status).toBe(200)
      expect((await alice.ask('GET', '/cards')).status).toBe(200)
      expect(await waiting()).toHaveLength(1)
    })
    for (const { status } of await reads) expect(status).toBe(200)
    const { data } = (await partner.ask('GET', `/audit?after=${before}&limit=500`)).body
    expect(data.map(({ seq, action }: any) => [seq, action])).toEqual(
      Array.from({ length: many }, (_, i) => [String(BigInt(before) + 1n + BigInt(i)), 'user.details-read']),
    )
    expect((await checkAll(service.as('reader'))).firstBadRows).toEqual([])
  })

  test('details of users are not shown until their read is recorded', async () => {
    await grant(partner)
    const { db } = service.ctx
    await db.query('alter table partner_audit add constraint no_more check (false) not valid')
    expect((await partner.ask('GET', `/users/${alice.userId}`)).status).toBe(500)
    await db.query('alter table partner_audit drop constraint no_more')
    expect((await partner.ask('GET', `/users/${alice.userId}`)).status).toBe(200)
    expect((await checkAll(service.as('reader'))).firstBadRows).toEqual([])
  })

  test("another partner's user, a user without a partner and a missing one get the same response", async () => {
    const stranger = await newPartner(service)
    await grant(stranger)
    const { bob } = await world({ eur: 1 }, 'bob')
    for (const userId of [alice.userId, bob.userId, unknownId]) {
      for (const path of paths(userId)) {
        const refused = await stranger.ask('GET', path)
        expect([refused.status, refused.body]).toEqual(plainError(404, 'USER_NOT_FOUND'))
      }
    }
    expect((await stranger.ask('GET', '/users/x')).status).toBe(400)
  })
})

describe('the partner itself', () => {
  test('an owner renames the partner, and nobody else does', async () => {
    const partner = await newPartner(service, 'Old name')
    const renamed = await partner.ask('PATCH', '', { name: '  New name ' })
    expect([renamed.status, renamed.body.name]).toEqual([200, 'New name'])
    expect((await partner.ask('GET', '')).body.name).toBe('New name')
    for (const body of [{}, { name: '  ' }, { name: 'x'.repeat(101) }, { name: 1 }]) {
      expect((await partner.ask('PATCH', '', body)).status).toBe(400)
    }
    const { token } = await partner.member('developer')
    expect((await service.request('PATCH', '/partner', { token, body: { name: 'Mine' } })).status).toBe(403)
    const last = (await partner.ask('GET', '/audit?action=partner.renamed')).body.data
    expect(last).toMatchObject([{ action: 'partner.renamed', detail: { name: 'New name' } }])
  })

  test('the audit log is read from either end, by action and by actor, each entry once', async () => {
    const partner = await newPartner(service)
    for (let i = 0; i < 4; i++) await partner.ask('PATCH', '', { name: `Name ${i}` })
    await partner.ask('POST', '/api-keys', { name: 'a', scopes: ['users:read'] })
    const read = async (query: string) => (await partner.ask('GET', `/audit?${query}`)).body
    const all = (await read('')).data
    expect((await read('order=newest')).data).toEqual(all.toReversed())
    for (const order of ['oldest', 'newest']) {
      const seen: string[] = []
      let after = ''
      do {
        const { data, pagination } = await read(`order=${order}&action=partner.renamed&limit=1${after}`)
        seen.push(...data.map(({ detail }: any) => detail.name))
        after = pagination.hasNext ? `&after=${data.at(-1).seq}` : ''
      } while (after !== '')
      const names = ['Name 0', 'Name 1', 'Name 2', 'Name 3']
      expect(seen).toEqual(order === 'oldest' ? names : names.toReversed())
    }
    const actor = encodeURIComponent(`wallet:${partner.owner.address}`)
    expect((await read(`actor=${actor}&action=api-key.made`)).data).toHaveLength(1)
    expect((await read('actor=operator')).data).toEqual([])
    for (const bad of ['order=up', 'after=x', `action=${'x'.repeat(101)}`]) {
      expect((await partner.ask('GET', `/audit?${bad}`)).status, bad).toBe(400)
    }
  })
})
