import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '../../src/platform/observability/log.ts'
import { newPartner } from '../support/partner.ts'
import { plainError, startService, type TestService } from '../support/service.ts'
import { webhookStories } from '../support/webhook-story.ts'

const unknownId = '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a'
const unknownEvent = `evt_${'0'.repeat(32)}`

let service: TestService
let failedRounds = 0
const stories = webhookStories(() => service)
beforeAll(async () => {
  const write = (line: string) => {
    if (line.includes('webhook delivery round failed')) failedRounds++
  }
  service = await startService({ alter: (ctx) => ({ ...ctx, log: createLog('error', { write }) }) })
  return () => service.stop()
})
afterEach(() => stories.closeReceivers())

type Story = Awaited<ReturnType<typeof stories.newStory>>

/** Waits until the endpoint has this many deliveries, all ended. */
async function ended({ deliveries }: Story, count: number): Promise<any[]> {
  await expect
    .poll(async () => (await deliveries()).filter(({ status }: any) => status !== 'pending').length)
    .toBe(count)
  return deliveries()
}

/** Creates users, each of which causes an event. */
async function causeEvents({ newUser }: Story, users: number): Promise<void> {
  for (let i = 0; i < users; i++) await newUser()
}

const ask = ({ partner, path }: Story, method: string, more: string, body?: unknown) =>
  partner.ask(method, `${path}${more}`, body)

describe('a test event', () => {
  test('a test event reaches its endpoint signed and marked, and is not in the log', async () => {
    const story = await stories.newStory(['kyc.*'])
    const other = await stories.newReceiver()
    await stories.addEndpoint(story.partner, other.url)
    const sent = await ask(story, 'POST', '/test', { type: 'deposit.approved' })
    expect([sent.status, sent.body]).toEqual([202, { eventId: expect.stringMatching(/^evt_/) }])
    await expect.poll(() => story.receiver.received.length).toBe(1)
    const [received] = story.receiver.received
    const event = JSON.parse(received?.body ?? '')
    expect(event).toMatchObject({ id: sent.body.eventId, type: 'deposit.approved', test: true })
    expect(received?.headers['webhook-signature']).toMatch(/^v1a,/)
    expect(other.received).toEqual([])
    expect((await story.partner.ask('GET', '/events')).body.data).toEqual([])
    expect((await story.partner.ask('GET', `/events/${sent.body.eventId}`)).body.event.test).toBe(true)
    const audit = await story.partner.ask('GET', '/audit')
    expect(audit.body.data.at(-1)).toMatchObject({ action: 'webhook.tested', detail: { type: 'deposit.approved' } })
  })

  test('a test event needs a known type, an enabled endpoint of the partner, and the permission', async () => {
    const story = await stories.newStory()
    for (const body of [{}, { type: 'deposit' }, { type: '*' }, { type: 7 }]) {
      expect((await ask(story, 'POST', '/test', body)).status).toBe(400)
    }
    const type = { type: 'account.created' }
    const stranger = await newPartner(service)
    for (const path of [story.path, `/webhooks/${unknownId}`]) {
      const refused = await stranger.ask('POST', `${path}/test`, type)
      expect([refused.status, refused.body]).toEqual(plainError(404, 'ENDPOINT_NOT_FOUND'))
    }
    const viewer = await story.partner.member('viewer')
    const asViewer = { token: viewer.token, body: type }
    expect((await service.request('POST', `/partner${story.path}/test`, asViewer)).status).toBe(403)
    await ask(story, 'PATCH', '', { status: 'disabled' })
    const refused = await ask(story, 'POST', '/test', type)
    expect([refused.status, refused.body]).toEqual(plainError(409, 'ENDPOINT_DISABLED'))
  })
})

describe('deliveries', () => {
  test('the deliveries of an endpoint come in pages, newest first, each exactly once', async () => {
    const story = await stories.newStory(['account.created'])
    await causeEvents(story, 5)
    const all = await ended(story, 5)
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const query: string = cursor === null ? '?limit=2' : `?limit=2&cursor=${cursor}`
      const { body } = await ask(story, 'GET', `/deliveries${query}`)
      expect(body.pagination.hasNext).toBe(body.pagination.nextCursor !== null)
      seen.push(...body.data.map(({ eventId }: any) => eventId))
      cursor = body.pagination.nextCursor
    } while (cursor !== null)
    expect(seen).toEqual(all.map(({ eventId }) => eventId))
    const times = all.map(({ createdAt }) => createdAt)
    expect(times).toEqual(times.toSorted().reverse())
  })

  test('a status and a window of time narrow the deliveries, and both bounds are inclusive', async () => {
    const story = await stories.newStory(['account.created'])
    story.receiver.respondWith(400)
    await causeEvents(story, 2)
    const dead = await ended(story, 2)
    story.receiver.respondWith(200)
    await service.advance(3600)
    await causeEvents(story, 2)
    const [newest] = await ended(story, 4)
    const ids = async (query: string) =>
      (await ask(story, 'GET', `/deliveries?${query}`)).body.data.map(({ eventId }: any) => eventId)
    const deadIds = dead.map(({ eventId }) => eventId)
    expect(await ids('status=dead')).toEqual(deadIds)
    expect(await ids('status=delivered')).toHaveLength(2)
    expect(await ids('status=pending')).toEqual([])
    expect(await ids('status=dead&type=account.created')).toEqual(deadIds)
    expect(await ids('type=account.created')).toHaveLength(4)
    expect(await ids('type=account.closed')).toEqual([])
    expect(await ids(`from=${newest.createdAt}&to=${newest.createdAt}`)).toContain(newest.eventId)
    expect(await ids(`to=${dead[0].createdAt}`)).toEqual(deadIds)
    expect(await ids(`status=delivered&to=${dead[0].createdAt}`)).toEqual([])
    for (const bad of [
      'status=lost',
      'type=account.*',
      'from=yesterday',
      'cursor=x',
      'cursor=1',
      'limit=0',
      'to=2026-02-30T00:00:00Z',
    ]) {
      expect((await ask(story, 'GET', `/deliveries?${bad}`)).status, bad).toBe(400)
    }
  })

  test('a delivery shows each attempt with its status, duration and the beginning of the response', async () => {
    const story = await stories.newStory(['account.created'])
    story.receiver.respondWith((_request, response) => response.writeHead(500).end(`\u0000é${'x'.repeat(3000)}`))
    await causeEvents(story, 1)
    await expect.poll(async () => (await story.deliveries())[0]?.responseStatus).toBe(500)
    story.receiver.respondWith((_request, response) => response.end('thanks'))
    await service.advance(10)
    const [{ eventId }] = await ended(story, 1)
    const { status, body } = await ask(story, 'GET', `/deliveries/${eventId}`)
    expect(status).toBe(200)
    expect(body.delivery).toMatchObject({ eventId, status: 'delivered', attempts: 2 })
    const [last, first] = (await ask(story, 'GET', `/deliveries/${eventId}`)).body.attempts
    expect(last).toMatchObject({ responseStatus: 200, response: 'thanks', error: null })
    expect(first).toMatchObject({ responseStatus: 500, milliseconds: expect.any(Number) })
    expect(Buffer.byteLength(first.response)).toBeLessThanOrEqual(1028)
    expect(first.response.slice(0, 3)).toBe('\ufffdéx')
  })

  test('an attempt without a response shows why there was none', async () => {
    const story = await stories.newStory(['account.created'])
    await story.receiver.close()
    await causeEvents(story, 1)
    await expect.poll(async () => (await story.deliveries())[0]?.error).toBe('connection refused')
    const [{ eventId }] = await story.deliveries()
    await expect
      .poll(async () => (await ask(story, 'GET', `/deliveries/${eventId}`)).body.attempts)
      .toMatchObject([{ responseStatus: null, response: null, error: 'connection refused' }])
  })

  test('a delivery ends only together with its attempt, and is sent again if the attempt cannot be stored', async () => {
    const story = await stories.newStory(['account.created'])
    const { db } = service.ctx
    await db.query(
      `create function refuse_attempt() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`,
    )
    await db.query(
      `create trigger refused before insert on webhook_attempt for each row
       when (new.endpoint_id = '${story.endpoint.endpointId}') execute function refuse_attempt()`,
    )
    failedRounds = 0
    await causeEvents(story, 1)
    await expect.poll(() => failedRounds).toBe(1)
    await db.query('drop trigger refused on webhook_attempt')
    const [{ eventId }] = await story.deliveries()
    const read = async () => (await ask(story, 'GET', `/deliveries/${eventId}`)).body
    expect(await read()).toMatchObject({ delivery: { status: 'pending' }, attempts: [] })

    await service.advance(60)
    await ended(story, 1)
    expect(await read()).toMatchObject({ delivery: { status: 'delivered' }, attempts: [{ responseStatus: 204 }] })
    expect(story.receiver.received).toHaveLength(2)
  })

  test("a delivery of another partner's endpoint and an unknown delivery get 404, and a malformed id gets 400", async () => {
    const story = await stories.newStory(['account.created'])
    await causeEvents(story, 1)
    const [{ eventId }] = await ended(story, 1)
    const stranger = await newPartner(service)
    const refused = await stranger.ask('GET', `${story.path}/deliveries/${eventId}`)
    expect([refused.status, refused.body]).toEqual(plainError(404, 'ENDPOINT_NOT_FOUND'))
    const missing = await ask(story, 'GET', `/deliveries/${unknownEvent}`)
    expect([missing.status, missing.body]).toEqual(plainError(404, 'EVENT_NOT_FOUND'))
    expect((await ask(story, 'GET', '/deliveries/x')).status).toBe(400)
  })

  test('an event that an endpoint never got has no delivery there', async () => {
    const story = await stories.newStory(['account.created'])
    await causeEvents(story, 1)
    const [{ eventId }] = await ended(story, 1)
    const later = await stories.newReceiver()
    const { endpointId } = await stories.addEndpoint(story.partner, later.url)
    const never = await story.partner.ask('GET', `/webhooks/${endpointId}/deliveries/${eventId}`)
    expect([never.status, never.body]).toEqual(plainError(404, 'DELIVERY_NOT_FOUND'))
  })

  test('removing an endpoint deletes the history of its attempts', async () => {
    const story = await stories.newStory(['account.created'])
    await causeEvents(story, 1)
    await ended(story, 1)
    await ask(story, 'DELETE', '')
    const left = await service.ctx.db.query('select 1 from webhook_attempt where endpoint_id = $1', [
      story.endpoint.endpointId,
    ])
    expect(left).toEqual([])
  })
})

describe('resending by window', () => {
  test('a resend with a time window resends the dead letters in it and leaves the others', async () => {
    const story = await stories.newStory(['account.created'])
    story.receiver.respondWith(400)
    await causeEvents(story, 1)
    const [old] = await ended(story, 1)
    await service.advance(60)
    await causeEvents(story, 2)
    const [newest] = await ended(story, 3)
    story.receiver.respondWith(200)
    const resent = await ask(story, 'POST', '/resend', { to: old.createdAt })
    expect([resent.status, resent.body]).toEqual([202, { deliveries: 1, hasMore: false, nextCursor: null }])
    await expect
      .poll(async () => (await story.deliveries('?status=delivered')).map(({ eventId }: any) => eventId))
      .toEqual([old.eventId])
    expect((await ask(story, 'POST', '/resend', { from: newest.createdAt, status: 'delivered' })).body.deliveries).toBe(
      0,
    )
    expect((await ask(story, 'POST', '/resend', { status: 'all' })).body.deliveries).toBe(3)
    await expect.poll(async () => (await story.deliveries('?status=delivered')).length).toBe(3)
  })

  test('a resend in several requests resends each delivery once, and none that is newer', async () => {
    const story = await stories.newStory(['account.created'])
    await causeEvents(story, 5)
    const old = (await ended(story, 5)).map(({ eventId }: any) => eventId)
    const counts: number[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const body: object = { status: 'all', limit: 2, ...(cursor === '' ? {} : { cursor }) }
      const resent = (await ask(story, 'POST', '/resend', body)).body
      expect(resent.hasMore).toBe(resent.nextCursor !== null)
      counts.push(resent.deliveries)
      cursor = resent.nextCursor
      // Meanwhile the resent events arrive again, and a new user causes another event.
      await service.advance(1)
      await causeEvents(story, 1)
      await ended(story, 5 + counts.length)
    }
    expect(counts).toEqual([2, 2, 1])
    const copies = (id: string) => story.receiver.received.filter(({ event }) => event.id === id).length
    expect(old.map(copies)).toEqual([2, 2, 2, 2, 2])
    expect(story.receiver.received).toHaveLength(5 + 5 + 3)
  })

  test('a resend without a body resends all dead letters', async () => {
    const story = await stories.newStory(['account.created'])
    story.receiver.respondWith(400)
    await causeEvents(story, 2)
    await ended(story, 2)
    story.receiver.respondWith(200)
    expect((await ask(story, 'POST', '/resend')).body).toEqual({ deliveries: 2, hasMore: false, nextCursor: null })
    await expect.poll(async () => (await story.deliveries('?status=delivered')).length).toBe(2)
  })

  test('a resend with an invalid time window, status, cursor or limit is rejected', async () => {
    const story = await stories.newStory()
    for (const body of [
      { from: 'x' },
      { status: 'pending' },
      [],
      { to: '2026-02-30T00:00:00Z' },
      { cursor: '1-2' },
      { limit: 0 },
    ]) {
      expect((await ask(story, 'POST', '/resend', body)).status).toBe(400)
    }
  })
})
