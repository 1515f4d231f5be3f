import pg from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/id.ts'
import type { Actor } from '../../src/partners/partners.ts'
import type { Tx } from '../../src/platform/db/db.ts'
import { appendEvents } from '../../src/webhooks/append-events.ts'
import { resendDeliveries } from '../../src/webhooks/read-deliveries.ts'
import { resendEvent } from '../../src/webhooks/read-events.ts'
import { endRemainingDeliveries } from '../../src/webhooks/webhooks.ts'
import { newPartner } from '../support/partner.ts'
import { activity } from '../support/run/cluster.ts'
import { useService } from '../support/service.ts'
import { validSignatures, waitUntil } from '../support/vendors/webhook-receiver.ts'
import { webhookStories } from '../support/webhook-story.ts'

const service = useService()

/** Returns the number of the service's SQL statements that wait for a lock. */
async function locksWaitedFor(): Promise<number> {
  const [row] = await service.ctx.db.query<{ count: bigint }>(
    `select count(*) as count from ${activity.view} where datname = current_database() and wait_event_type = 'Lock'`,
    [],
  )
  return Number(row?.count)
}

const stories = webhookStories(() => service)
const { newStory, newReceiver, addEndpoint, advance } = stories
afterEach(() => stories.closeReceivers())

type ResendWay = (tx: Tx, actor: Actor, endpointId: string, eventId: string) => Promise<unknown>
const ended = { statuses: ['delivered', 'dead'], from: null, to: null, after: null, limit: 10 } as const

describe('failing webhook endpoints', () => {
  test('a failed webhook delivery is retried with the same id and body and a new signature until it succeeds', async () => {
    const { receiver, newUser, deliveries, endpoint, state } = await newStory(['account.created'])
    receiver.respondWith(500)
    await newUser()
    await receiver.waitForDeliveries(1)
    await waitUntil(async () => (await deliveries())[0]?.responseStatus === 500, 'the outcome')
    expect((await deliveries())[0]).toMatchObject({ status: 'pending', attempts: 1, type: 'account.created' })
    expect((await state()).failingSince).not.toBeNull()
    receiver.respondWith(200)
    await advance(6)
    const [first, second] = await receiver.waitForDeliveries(2)
    expect(second?.body).toBe(first?.body)
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    // The signature contains the real time, not the sandbox time, so the receiver still accepts it.
    expect(second && validSignatures(second, endpoint.publicKeys[0])).toBe(1)
    await waitUntil(async () => (await deliveries())[0]?.status === 'delivered', 'the outcome')
    await waitUntil(async () => (await state()).failingSince === null, 'the recovery')
  })

  test('a webhook endpoint that drops the connection after reading receives the event again with the same id', async () => {
    const { receiver, newUser } = await newStory(['account.created'])
    receiver.respondWith((request) => request.socket.destroy())
    await newUser()
    await receiver.waitForDeliveries(1)
    receiver.respondWith(200)
    await waitUntil(async () => {
      await advance(6)
      return receiver.received.length >= 2
    }, 'the second')
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  })

  test.each([400, 401, 404, 422])(
    'a webhook response of %i makes the delivery a dead letter that can be resent on request',
    async (status) => {
      const { receiver, newUser, deliveries, partner, path } = await newStory(['account.created'])
      receiver.respondWith(status)
      await newUser()
      await waitUntil(async () => (await deliveries('?status=dead')).length === 1, 'the dead letter')
      await advance(90_000)
      expect(receiver.received).toHaveLength(1)
      receiver.respondWith(200)
      expect(await partner.ask('POST', `${path}/resend`)).toMatchObject({ status: 202, body: { deliveries: 1 } })
      await receiver.waitForDeliveries(2)
      expect((await partner.ask('POST', `${path}/resend`)).body).toEqual({
        deliveries: 0,
        hasMore: false,
        nextCursor: null,
      })
    },
  )

  test('a webhook delivery that gets 429 is retried at the time of the Retry-After header', async () => {
    const { receiver, newUser, deliveries } = await newStory(['account.created'])
    receiver.respondWith((_request, response) => response.writeHead(429, { 'retry-after': '7200' }).end())
    await newUser()
    await waitUntil(async () => (await deliveries())[0]?.responseStatus === 429, 'the outcome')
    const [{ nextAttemptAt, attemptedAt }] = await deliveries()
    expect(Date.parse(nextAttemptAt) - Date.parse(attemptedAt)).toBeGreaterThanOrEqual(7_200_000)
  })

  test('a redirect by a webhook endpoint is not followed', async () => {
    const { receiver, newUser, deliveries } = await newStory(['account.created'])
    const elsewhere = await newReceiver()
    let target = 'http://169.254.169.254/latest/meta-data/'
    receiver.respondWith((_request, response) => response.writeHead(307, { location: target }).end())
    await newUser()
    await waitUntil(async () => (await deliveries())[0]?.responseStatus === 307, 'the outcome')
    target = elsewhere.url
    await advance(6)
    await receiver.waitForDeliveries(2)
    await waitUntil(async () => (await deliveries())[0]?.attempts === 2, 'the second outcome')
    expect((await deliveries())[0]).toMatchObject({ status: 'pending', error: null })
    expect(elsewhere.received).toEqual([])
  })

  test('a webhook endpoint that fails for three days is disabled with a notification, and its events can be resent', async () => {
    const { receiver, newUser, deliveries, partner, path, state, endpoint } = await newStory(['account.created'])
    const watcher = await newReceiver()
    await addEndpoint(partner, watcher.url, ['webhook.*'])
    receiver.respondWith(503)
    const { userId } = await newUser()
    const waits = [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 43_200, 72_000, 86_400]
    for (const [i, seconds] of waits.entries()) {
      await waitUntil(
        async () => (await deliveries())[0]?.attempts === i + 1 && (await isSettled()),
        `attempt ${i + 1}`,
      )
      const [{ nextAttemptAt, attemptedAt }] = await deliveries()
      const wait = (Date.parse(nextAttemptAt) - Date.parse(attemptedAt)) / 1000
      expect(wait).toBeGreaterThan(seconds * 0.89)
      expect(wait).toBeLessThan(seconds * 1.1 + 5)
      expect((await state()).status).toBe('enabled')
      await advance(seconds * 1.11)
    }
    async function isSettled() {
      const [{ responseStatus, nextAttemptAt, attemptedAt }] = await deliveries()
      // A wait of exactly a minute is the lease, not the next attempt.
      const wait = Date.parse(nextAttemptAt) - Date.parse(attemptedAt)
      return responseStatus === 503 && wait !== 60_000
    }
    await waitUntil(async () => (await state()).status === 'disabled', 'the end')
    expect(await state()).toMatchObject({ disabledReason: 'failing' })
    expect(receiver.received).toHaveLength(13)
    const [notice] = await watcher.waitForDeliveries(1)
    expect(notice?.event).toMatchObject({
      type: 'webhook.endpoint.disabled',
      data: { endpointId: endpoint.endpointId, url: receiver.url, reason: 'failing' },
    })
    const audit = (await partner.ask('GET', '/audit')).body.data
    expect(audit.at(-1)).toMatchObject({ actor: 'purser', action: 'webhook.disabled', subject: endpoint.endpointId })
    expect(await deliveries('?status=dead')).toMatchObject([{ attempts: 13, responseStatus: 503 }])

    // The event is not sent to the disabled endpoint, but the event log contains it.
    await service.sandbox('PATCH', `/users/${userId}`, { accountStatus: 'blocked' })
    await waitUntil(async () => (await partner.ask('GET', '/events')).body.data.length >= 4, 'the log')
    expect(await partner.ask('POST', `${path}/resend`)).toMatchObject({
      status: 409,
      body: { error: 'ENDPOINT_DISABLED' },
    })
    receiver.respondWith(200)
    expect((await partner.ask('PATCH', path, { status: 'enabled' })).body).toMatchObject({
      status: 'enabled',
      disabledReason: null,
      failingSince: null,
    })
    expect((await partner.ask('POST', `${path}/resend`)).body).toEqual({
      deliveries: 1,
      hasMore: false,
      nextCursor: null,
    })
    expect((await receiver.waitForDeliveries(14)).at(-1)?.event).toMatchObject({
      type: 'account.created',
      data: { userId },
    })
  })

  test('two failed attempts with four days between them do not disable a webhook endpoint', async () => {
    const { receiver, newUser, deliveries, state } = await newStory(['account.created'])
    receiver.respondWith(400)
    await newUser()
    await waitUntil(async () => (await state()).failingSince !== null, 'the first failure')
    await advance(4 * 86_400)
    receiver.respondWith(503)
    await newUser()
    await receiver.waitForDeliveries(2)
    receiver.respondWith(200)
    await waitUntil(async () => {
      await advance(6)
      return (await deliveries())[0]?.status !== 'pending'
    }, 'the outcome')
    expect((await deliveries())[0]).toMatchObject({ status: 'delivered', attempts: 2 })
    expect(await state()).toMatchObject({ status: 'enabled' })
  })

  test('a webhook response of 410 disables the endpoint immediately', async () => {
    const { receiver, newUser, state, partner } = await newStory()
    receiver.respondWith(410)
    await newUser()
    await waitUntil(async () => (await state()).status === 'disabled', 'the end')
    expect(await state()).toMatchObject({ disabledReason: 'gone' })
    const count = receiver.received.length
    await newUser()
    await waitUntil(async () => (await partner.ask('GET', '/events')).body.data.length >= 5, 'the log')
    expect(receiver.received).toHaveLength(count)
  })

  test('concurrent webhook responses of 410 disable the endpoint once and keep concurrent changes by its partner', async () => {
    const { receiver, newUser, deliveries, state, partner, path } = await newStory(['account.created'])
    const waiting: (() => void)[] = []
    receiver.respondWith((_request, response) => {
      waiting.push(() => response.writeHead(410).end())
    })
    await Promise.all(Array.from({ length: 4 }, newUser))
    await receiver.waitForDeliveries(4)
    // This transaction locks the partner first, so the four deliveries wait for it.
    const other = new pg.Client(service.connection)
    await other.connect()
    await other.query('begin')
    await other.query('select from partner where partner_id = $1 for update', [partner.partnerId])
    await other.query("update webhook_endpoint set description = 'renamed' where endpoint_id = $1", [
      path.split('/').at(-1),
    ])
    for (const answer of waiting) answer()
    await waitUntil(async () => (await locksWaitedFor()) >= 4, 'all four to wait')
    await other.query('commit')
    await other.end()

    await waitUntil(async () => (await deliveries('?status=dead')).length === 4, 'the outcomes')
    await waitUntil(async () => (await locksWaitedFor()) === 0, 'all four to be done')
    expect(await state()).toMatchObject({ status: 'disabled', disabledReason: 'gone', description: 'renamed' })
    const ofType = (rows: any[], name: string) => rows.filter(({ action, type }) => (action ?? type) === name)
    expect(ofType((await partner.ask('GET', '/audit')).body.data, 'webhook.disabled')).toHaveLength(1)
    expect(ofType((await partner.ask('GET', '/events')).body.data, 'webhook.endpoint.disabled')).toHaveLength(1)
  })

  test("a webhook response of 410 from an endpoint's old URL does not disable its new URL", async () => {
    const { receiver, newUser, deliveries, state, partner, path } = await newStory(['account.created'])
    let answer410 = () => {}
    receiver.respondWith((_request, response) => {
      answer410 = () => response.writeHead(410).end()
    })
    await newUser()
    await receiver.waitForDeliveries(1)
    const moved = await newReceiver()
    expect((await partner.ask('PATCH', path, { url: moved.url })).status).toBe(200)
    answer410()
    await waitUntil(async () => (await deliveries())[0]?.responseStatus === 410, 'the outcome')
    expect(await state()).toMatchObject({ status: 'enabled', disabledReason: null })
    // A worker may learn the new URL with a short delay.
    receiver.respondWith(503)
    await waitUntil(async () => {
      await newUser()
      return moved.received.length > 0
    }, 'an event at the new URL')
  })

  test('a webhook endpoint that gets a new URL no longer counts as failing', async () => {
    const { receiver, newUser, state, partner, path } = await newStory(['account.created'])
    receiver.respondWith(500)
    await newUser()
    await waitUntil(async () => (await state()).failingSince !== null, 'the failure')
    const changed = (await partner.ask('PATCH', path, { description: 'Main' })).body
    expect(changed.failingSince).not.toBeNull()
    expect((await partner.ask('PATCH', path, { url: `${receiver.url}/new` })).body.failingSince).toBeNull()
    expect((await state()).failingSince).toBeNull()
  })

  test('a late response to an attempt before a resend does not end the resent webhook delivery', async () => {
    const { receiver, newUser, deliveries, partner, path } = await newStory(['account.created'])
    const answers: ((status: number) => void)[] = []
    receiver.respondWith((_request, response) => {
      answers.push((status) => response.writeHead(status).end())
    })
    await newUser()
    const [one] = await receiver.waitForDeliveries(1)
    const eventId = one?.event.id
    expect((await partner.ask('POST', `/events/${eventId}/resend`, {})).body).toEqual({ deliveries: 1 })
    await receiver.waitForDeliveries(2)
    const attempts = async () => (await partner.ask('GET', `${path}/deliveries/${eventId}`)).body.attempts.length
    answers[0]?.(404)
    await waitUntil(async () => (await attempts()) === 1, 'the late response')
    answers[1]?.(204)
    await waitUntil(async () => (await attempts()) === 2, 'the response')
    await waitUntil(async () => (await deliveries())[0]?.status !== 'pending', 'the outcome')
    expect((await deliveries())[0]).toMatchObject({ status: 'delivered', responseStatus: 204 })
  })

  test.each([
    ['disabling', 'PATCH', { status: 'disabled' }],
    ['removing', 'DELETE', undefined],
  ])('%s a webhook endpoint while an event is published leaves no pending delivery', async (_title, method, body) => {
    const { partner, path, endpoint } = await newStory()
    const { partnerId } = partner
    const changes: Promise<unknown>[] = []
    await service.ctx.db.transaction(async (tx) => {
      const createdAt = service.ctx.clock.now()
      const event = { partnerId, userId: null, eventId: newId(createdAt), type: 'account.created', createdAt } as const
      await appendEvents(service.ctx, tx, [{ ...event, body: '{}' }])
      changes.push(partner.ask(method, path, body))
      await Promise.race([...changes, waitUntil(async () => (await locksWaitedFor()) > 0, 'the lock')])
    })
    await Promise.all(changes)
    const left = await service.ctx.db.query(
      `select 1 from webhook_delivery where endpoint_id = $1 and status = 'pending'`,
      [endpoint.endpointId],
    )
    expect(left).toEqual([])
  })

  test.each<[string, ResendWay]>([
    [
      'a resend of deliveries',
      async (tx, actor, endpointId) => resendDeliveries(service.ctx, tx, actor, endpointId, ended),
    ],
    ['a resend of an event', async (tx, actor, _, eventId) => resendEvent(service.ctx, tx, actor, eventId, undefined)],
  ])('%s while the webhook endpoint is being disabled leaves no pending delivery', async (_title, resend) => {
    const { partner, path, endpoint, newUser, deliveries } = await newStory(['account.created'])
    await newUser()
    await waitUntil(async () => (await deliveries('?status=delivered')).length === 1, 'the delivery')
    const [{ eventId }] = await deliveries()
    const { endpointId } = endpoint
    const actor = { partnerId: partner.partnerId, actor: 'member' }
    const isLockAwaited = async (count: number) => (await locksWaitedFor()) >= count
    const disablings: Promise<unknown>[] = []
    const again: Promise<unknown>[] = []

    await service.ctx.db.transaction(async (tx) => {
      await resend(tx, actor, endpointId, eventId)
      disablings.push(partner.ask('PATCH', path, { status: 'disabled' }))
      await Promise.race([...disablings, waitUntil(() => isLockAwaited(1), 'the disabling')])
      const late = service.ctx.db.transaction((other) => resend(other, actor, endpointId, eventId))
      again.push(late.catch((error: unknown) => error))
      await Promise.race([...again, waitUntil(() => isLockAwaited(2), 'the second resend')])
    })
    await Promise.all([...disablings, ...again])
    expect(await deliveries('?status=pending')).toEqual([])
  })

  test('a webhook endpoint that hangs or responds byte by byte does not delay other endpoints', async () => {
    const [hanging, slow, refused, well] = [await newStory(), await newStory(), await newStory(), await newStory()]
    hanging.receiver.respondWith(() => {})
    slow.receiver.respondWith((_request, response) => {
      response.writeHead(200, { 'content-length': '100000' })
      const drip = setInterval(() => response.write('x'), 50)
      response.on('close', () => clearInterval(drip))
    })
    await refused.receiver.close()
    // Causes more events for each failing endpoint than it receives in parallel, then one for the healthy endpoint.
    for (const { newUser } of [hanging, slow, refused]) await Promise.all(Array.from({ length: 12 }, newUser))
    await hanging.receiver.waitForDeliveries(8)
    await slow.receiver.waitForDeliveries(8)
    const startedAt = performance.now()
    await well.newUser()
    const [one] = await well.receiver.waitForDeliveries(1)
    // A delivery to a failing endpoint times out after 15 s.
    expect((one?.at ?? 0) - startedAt).toBeLessThan(14_000)
    const [delivery] = await refused.deliveries('?status=pending')
    expect(delivery.error === null || delivery.error === 'connection refused').toBe(true)
  })
})

describe('large webhook endpoints', () => {
  // No worker: each test ends the remaining deliveries itself.
  const quiet = useService({ worker: false })

  /** Creates a partner with an endpoint that has 1,005 pending deliveries, and one that has one. */
  async function newLargeEndpoint() {
    const partner = await newPartner(quiet)
    const { addEndpoint } = webhookStories(() => quiet)
    const { endpointId } = await addEndpoint(partner, 'https://127.0.0.1:1/large')
    const small = await addEndpoint(partner, 'https://127.0.0.1:1/small')
    const { db, clock } = quiet.ctx
    for (const [id, deliveries] of [
      [endpointId, 1005],
      [small.endpointId, 1],
    ] as const) {
      await db.query(
        `insert into webhook_delivery (endpoint_id, position, partner_id, type, status, attempts, due_at, created_at)
         select $1, n, $2, 'user.updated', 'pending', 1, $3, $3 from generate_series(1, $4::int) n`,
        [id, partner.partnerId, clock.now(), deliveries],
      )
      await db.query(
        `insert into webhook_attempt (endpoint_id, position, attempt_id, attempted_at, milliseconds)
         select $1, n, md5(n::text)::uuid, $2, 1 from generate_series(1, $3::int) n`,
        [id, clock.now(), deliveries],
      )
    }
    /** Counts the pending deliveries, the others and the attempts of an endpoint. */
    async function counts(id: string): Promise<unknown> {
      const [row] = await db.query(
        `select count(*) filter (where status = 'pending') as pending, count(*) filter (where status <> 'pending') as dead,
           (select count(*) from webhook_attempt where endpoint_id = $1) as attempts
         from webhook_delivery where endpoint_id = $1`,
        [id],
      )
      return row
    }
    return {
      change: (method: string, body?: object) => partner.ask(method, `/webhooks/${endpointId}`, body),
      large: () => counts(endpointId),
      small: () => counts(small.endpointId),
      endRemaining: () => endRemainingDeliveries(quiet.as('worker'), new AbortController().signal),
    }
  }
  const ofSmall = { pending: 1n, dead: 0n, attempts: 1n }

  test('disabling a webhook endpoint ends 1,000 pending deliveries at once, and the others later', async () => {
    const { change, large, small, endRemaining } = await newLargeEndpoint()
    expect((await change('PATCH', { status: 'disabled' })).status).toBe(200)
    expect(await large()).toEqual({ pending: 5n, dead: 1000n, attempts: 1005n })
    await endRemaining()
    expect(await large()).toEqual({ pending: 0n, dead: 1005n, attempts: 1005n })
    expect(await small()).toEqual(ofSmall)
  })

  test('removing a webhook endpoint deletes 1,000 deliveries at once, and the others later', async () => {
    const { change, large, small, endRemaining } = await newLargeEndpoint()
    expect((await change('DELETE')).status).toBe(200)
    expect(await large()).toEqual({ pending: 5n, dead: 0n, attempts: 5n })
    await endRemaining()
    expect(await large()).toEqual({ pending: 0n, dead: 0n, attempts: 0n })
    expect(await small()).toEqual(ofSmall)
  })

  test('a webhook endpoint that is enabled again keeps the deliveries that are still pending', async () => {
    const { change, large, endRemaining } = await newLargeEndpoint()
    await change('PATCH', { status: 'disabled' })
    await change('PATCH', { status: 'enabled' })
    await endRemaining()
    expect(await large()).toEqual({ pending: 5n, dead: 1000n, attempts: 1005n })
  })
})
