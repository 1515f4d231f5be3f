import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { approvePartner } from '../../src/partners/approval.ts'
import { newPartner } from '../support/partner.ts'
import { plainError, startService, type TestService } from '../support/service.ts'
import { webhookStories } from '../support/webhook-story.ts'

let service: TestService
const stories = webhookStories(() => service)
beforeAll(async () => {
  service = await startService()
  return () => service.stop()
})
afterEach(() => stories.closeReceivers())

type Partner = Awaited<ReturnType<typeof newPartner>>

const events = (partner: Partner, query = '') => partner.ask('GET', `/events${query}`)

/** Creates a partner with an endpoint that wants no event of users. */
async function newQuietPartner(): Promise<Partner> {
  return (await stories.newStory(['webhook.*'])).partner
}

/** Waits until the log is not empty, and returns its last event's id. */
async function lastEvent(partner: Partner): Promise<string> {
  await expect.poll(async () => (await events(partner)).body.data.length).toBeGreaterThan(0)
  return (await events(partner, '?limit=500')).body.data.at(-1).id
}

describe('a filtered event log', () => {
  test('a filtered event log has the events of one type or one user, in the order of the whole log', async () => {
    const partner = await newQuietPartner()
    const [one, other] = [await stories.newUserOf(partner), await stories.newUserOf(partner)]
    await stories.deposit(one.userId)
    await stories.deposit(other.userId)
    await expect.poll(async () => (await events(partner, '?type=deposit.approved')).body.data.length).toBe(2)
    const { data } = (await events(partner, '?limit=500')).body
    const idsOf = (list: any[]) => list.map(({ id }) => id)
    const ofOne = data.filter((event: any) => event.data.userId === one.userId)
    expect(idsOf((await events(partner, `?userId=${one.userId}&limit=500`)).body.data)).toEqual(idsOf(ofOne))
    const both = await events(partner, `?userId=${one.userId}&type=deposit.approved`)
    expect(both.body.data).toMatchObject([{ type: 'deposit.approved', data: { userId: one.userId } }])
    const [first, second] = (await events(partner, '?type=deposit.approved')).body.data
    const next = await events(partner, `?type=deposit.approved&after=${first.id}`)
    expect(idsOf(next.body.data)).toEqual([second.id])
    expect((await events(partner, '?type=deposit.approved&limit=1')).body.pagination.hasNext).toBe(true)
  })

  test('the event log is read from either end, with or without filters, each event once', async () => {
    const partner = await newQuietPartner()
    const user = await stories.newUserOf(partner)
    await stories.newUserOf(partner)
    // Two events of each user.
    await expect.poll(async () => (await events(partner)).body.data.length).toBe(4)
    for (const filter of ['', `&userId=${user.userId}`, '&type=account.created']) {
      const all = (await events(partner, `?limit=500${filter}`)).body.data.map(({ id }: any) => id)
      const seen: string[] = []
      let after = ''
      do {
        const { data, pagination } = (await events(partner, `?order=newest&limit=1${filter}${after}`)).body
        seen.push(...data.map(({ id }: any) => id))
        after = pagination.hasNext ? `&after=${data.at(-1).id}` : ''
      } while (after !== '')
      expect(seen).toEqual(all.toReversed())
    }
    expect((await events(partner, '?order=up')).status).toBe(400)
  })

  test('a filtered event log has no events of another partner, and an invalid type, user id or wait gets 400', async () => {
    const [partner, stranger] = [await newQuietPartner(), await newQuietPartner()]
    const user = await stories.newUserOf(partner)
    await lastEvent(partner)
    expect((await events(stranger, `?userId=${user.userId}`)).body.data).toEqual([])
    for (const query of ['?type=deposit.*', '?type=', '?userId=x', '?wait=21', '?wait=-1', '?wait=x']) {
      expect((await events(partner, query)).status, query).toBe(400)
    }
  })
})

describe('a long poll of the event log', () => {
  test('a long poll responds as soon as there is an event', async () => {
    const partner = await newQuietPartner()
    await stories.newUserOf(partner)
    const after = await lastEvent(partner)
    const user = await stories.newUserOf(partner)
    const began = performance.now()
    const polled = events(partner, `?after=${after}&wait=20&type=deposit.approved`)
    await stories.deposit(user.userId)
    expect((await polled).body.data).toMatchObject([{ type: 'deposit.approved', data: { userId: user.userId } }])
    expect(performance.now() - began).toBeLessThan(19_000)
  })

  test('a long poll responds at once to events that exist, and with an empty list after its time', async () => {
    const partner = await newQuietPartner()
    await stories.newUserOf(partner)
    const after = await lastEvent(partner)
    expect((await events(partner, '?wait=20')).body.data.length).toBeGreaterThan(0)
    const began = performance.now()
    expect((await events(partner, `?after=${after}&wait=1`)).body.data).toEqual([])
    expect(performance.now() - began).toBeGreaterThan(900)
  })

  test('a long poll holds no connection of the database while many requests wait', async () => {
    const partners = await Promise.all(Array.from({ length: 6 }, newQuietPartner))
    // More than the pool has connections.
    let ended = 0
    const polls = partners.flatMap((partner) =>
      Array.from({ length: 4 }, () => events(partner, '?wait=20').finally(() => ended++)),
    )
    expect((await service.request('GET', '/health/ready')).status).toBe(200)
    await service.newUser()
    expect(ended).toBe(0)
    await Promise.all(partners.map((partner) => stories.newUserOf(partner)))
    expect(new Set((await Promise.all(polls)).map(({ status }) => status))).toEqual(new Set([200]))
  })

  test('a partner has at most five long polls at a time', async () => {
    const partner = await newQuietPartner()
    const polls = await Promise.all(Array.from({ length: 8 }, () => events(partner, '?wait=1')))
    const refused = polls.filter(({ status }) => status === 429)
    expect(refused.length).toBe(3)
    expect(refused[0]?.headers.get('retry-after')).toBe('5')
    expect((await events(partner, '?wait=1')).status).toBe(200)
  })

  test('partners that wait for approval cannot occupy the long polls of active partners', async () => {
    const here = await startService({ env: { PARTNER_SIGN_UP: 'approval' } })
    const pending = await Promise.all(Array.from({ length: 11 }, () => newPartner(here)))
    const active = await newPartner(here)
    await approvePartner(here.as('operator'), active.partnerId)
    const statuses: number[] = []
    const poll = async (partner: Partner) => {
      statuses.push((await partner.ask('GET', '/events?wait=20')).status)
    }
    const polls = pending.flatMap((partner) => Array.from({ length: 5 }, () => poll(partner)))
    await expect.poll(() => statuses, { timeout: 15_000 }).toEqual(Array(5).fill(429))
    expect((await active.ask('GET', '/events?wait=1')).status).toBe(200)
    await here.stop()
    await Promise.all(polls)
    expect(statuses.filter((status) => status === 200)).toHaveLength(50)
  })

  test('a client that leaves a long poll frees its place', async () => {
    const partner = await newQuietPartner()
    for (let i = 0; i < 12; i++) {
      const leaving = new AbortController()
      const request = fetch(`${service.url}/partner/events?wait=20`, {
        headers: { authorization: `Bearer ${partner.token}` },
        signal: leaving.signal,
      })
      setTimeout(() => leaving.abort(), 50)
      await expect(request).rejects.toThrow()
    }
    await expect.poll(async () => (await events(partner, '?wait=1')).status).toBe(200)
  })

  test('a long poll gives no event to a key that was revoked while it waited', async () => {
    const partner = await newQuietPartner()
    const made = await partner.ask('POST', '/api-keys', { name: 'Server', scopes: ['events:read'] })
    const polled = service.request('GET', '/partner/events?wait=20', { token: made.body.key })
    await partner.ask('DELETE', `/api-keys/${made.body.keyId}`)
    await stories.newUserOf(partner)
    const refused = await polled
    expect([refused.status, refused.body]).toEqual(plainError(401, 'INVALID_API_KEY'))
  })

  test('a long poll with a key is one use of the key, however often it wakes', async () => {
    const partner = await newQuietPartner()
    const token = await partner.key('events:read')
    const before = await service.metric('securityEvents', { event: 'api_key_used', reason: 'events:read' })
    const polled = service.request('GET', '/partner/events?wait=20', { token })
    await stories.newUserOf(partner)
    expect((await polled).body.data).not.toEqual([])
    expect(await service.metric('securityEvents', { event: 'api_key_used', reason: 'events:read' })).toBe(before + 1)
  })

  test('a long poll gives no event to a member whose session ended while it waited', async () => {
    const partner = await newQuietPartner()
    const polled = partner.ask('GET', '/events?wait=20')
    await service.request('POST', '/api/v1/auth/logout', { token: partner.token })
    await stories.newUserOf(partner)
    const refused = await polled
    expect([refused.status, refused.body]).toEqual(plainError(401, 'ACCESS_REVOKED'))
  })

  test('a long poll ends at once when the service stops', async () => {
    const stopping = await startService()
    const partner = await newPartner(stopping)
    const polled = partner.ask('GET', '/events?wait=20')
    await expect.poll(async () => (await partner.ask('GET', '/events?wait=1')).status).toBe(200)
    const began = performance.now()
    await stopping.stop()
    expect((await polled).status).toBe(200)
    expect(performance.now() - began).toBeLessThan(15_000)
  })
})
