import { isDeepStrictEqual } from 'node:util'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { unwrap } from '../../../client/src/webhooks.ts'
import { modeValues } from '../../src/config/mode-values.ts'
import { emit } from '../../src/events/events.ts'
import type { Tx } from '../../src/platform/db/db.ts'
import { findEnabledEndpoints } from '../../src/webhooks/endpoints-sql.ts'
import { deleteExpiredEvents, resendEvent } from '../../src/webhooks/read-events.ts'
import { deleteEventsAbout, deleteEventsBefore } from '../../src/webhooks/sql.ts'
import { newPartner } from '../support/partner.ts'
import { lockWaits } from '../support/run/cluster.ts'
import { plainError, type Reply, startService, type TestService, useService } from '../support/service.ts'
import { isPairValid, validSignatures, waitUntil } from '../support/vendors/webhook-receiver.ts'
import { webhookStories } from '../support/webhook-story.ts'
import { checkBooks } from '../support/world.ts'

const service = useService()

const stories = webhookStories(() => service)
const { newStory, newReceiver, addEndpoint, newUserOf, deposit, advance, euro } = stories
afterEach(() => stories.closeReceivers())

type Deletion = (tx: Tx, partnerId: string, userId: string) => Promise<unknown>

describe('webhook events', () => {
  test('webhook requests carry verifiable Ed25519 and HMAC signatures and the additional header pair', async () => {
    const { receiver, endpoint, newUser } = await newStory(['account.created'])
    const { userId, accountAddress } = await newUser()
    const [one] = await receiver.waitForDeliveries(1)
    if (one === undefined) throw new Error('no webhook arrived')
    expect(one.event).toEqual({
      id: one.headers['webhook-id'],
      type: 'account.created',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: {
        ...{ userId, accountId: expect.any(String), sequence: 2 },
        ...{ address: accountAddress, currency: 'EUR', status: 'active' },
      },
    })
    expect(one.headers['content-type']).toBe('application/json')
    expect(endpoint.publicKeys).toHaveLength(1)
    expect(validSignatures(one, endpoint.publicKeys[0])).toBe(1)
    expect(validSignatures(one, endpoint.secret)).toBe(1)
    expect(isPairValid(one, endpoint.publicKeys[0])).toBe(true)
    expect(await unwrap(one.body, one.headers, endpoint.publicKeys)).toEqual(one.event)
    expect(new Webhook(endpoint.secret).verify(one.body, one.headers as Record<string, string>)).toEqual(one.event)

    const forged = { ...one, body: one.body.replace('active', 'closed') }
    expect(validSignatures(forged, endpoint.publicKeys[0]) + validSignatures(forged, endpoint.secret)).toBe(0)
    expect(isPairValid(forged, endpoint.publicKeys[0])).toBe(false)
    const other = await newStory()
    expect(validSignatures(one, other.endpoint.publicKeys[0]) + validSignatures(one, other.endpoint.secret)).toBe(0)
  })

  test('an endpoint of a partner without a domain says why no events arrive, until a domain is verified', async () => {
    const partner = await newPartner(service)
    const { endpointId, warnings } = await addEndpoint(partner, 'http://127.0.0.1:9/')
    expect(warnings).toEqual([expect.stringContaining('Claim a domain with POST /partner/domains.')])
    await partner.domain()
    expect((await partner.ask('GET', `/webhooks/${endpointId}`)).body.warnings).toEqual([])
  })

  test('a deposit below the notice minimum is credited and causes no webhook event', async () => {
    const address = euro() ?? ''
    const programme = await startService({ env: { DEPOSIT_NOTICE_MINIMUMS: JSON.stringify({ [address]: '1000' }) } })
    const { newStory, deposit } = webhookStories(() => programme)
    const { receiver, newUser } = await newStory(['deposit.*'])
    const { userId, token } = await newUser()
    await deposit(userId, { amount: 999n })
    const announced = await deposit(userId, { amount: 1000n })
    const events = await receiver.waitForDeliveries(2)
    expect(events.map(({ event }) => event.type)).toEqual(['deposit.pending', 'deposit.approved'])
    expect(events.map(({ event }) => event.data.id)).toEqual([announced, announced])
    const [balances] = (await programme.request('GET', '/user/balances/v2', { token })).body.data
    expect(balances.tokens[0].spendable).toBe('1999')
    const { data: items } = (await programme.request('GET', '/user/statement', { token })).body
    expect(items.map(({ amount }: { amount: string }) => amount)).toEqual(['1000', '999'])
    await checkBooks(programme)
    await receiver.close()
    await programme.stop()
  })

  test('webhook events match their schemas in the OpenAPI document', async () => {
    const { receiver, newUser, partner } = await newStory()
    const { userId, token } = await newUser()
    await deposit(userId)
    await deposit(userId, { result: 'rejected' })
    const card = await service.request('POST', '/cards/virtual', {
      token,
      body: { cardName: 'Mine', phone: '+4915112345678' },
    })
    const { cardId } = card.body
    const message = { card_id: cardId, currency: 'EUR', amount: '10.00', authorization_code: 'STORY1' }
    await service.sandbox('POST', '/transactions', { transaction_type: 'authorization', ...message })
    await service.sandbox('POST', '/transactions', { transaction_type: 'clearing', ...message })
    const body = { tokenAddress: euro(), amount: '1000000000000000000' }
    const { withdrawalId } = (await service.request('POST', '/user/withdrawal', { token, body })).body
    await service.sandbox('POST', `/withdrawals/${withdrawalId}`, { outcome: 'completed' })
    await service.request('POST', `/cards/${cardId}/block`, { token })
    await service.request('POST', `/cards/${cardId}/unblock`, { token })
    await service.sandbox('PATCH', `/users/${userId}`, { kyc: 'requiresAction', accountStatus: 'blocked' })
    const gone = await newReceiver()
    gone.respondWith(410)
    await addEndpoint(partner, gone.url)
    await service.sandbox('PATCH', `/users/${userId}`, { accountStatus: 'active' })

    const wanted = [
      ...['account.activated', 'account.balance.changed', 'account.blocked', 'account.created'],
      ...['card.blocked', 'card.created', 'card.transaction.pending', 'card.transaction.settled', 'card.unblocked'],
      ...['deposit.approved', 'deposit.pending', 'deposit.rejected'],
      ...['kyc.profile.approved', 'kyc.profile.requires_action', 'webhook.endpoint.disabled'],
      ...['withdrawal.completed', 'withdrawal.pending', 'withdrawal.processing'],
    ]
    await waitUntil(() => wanted.every((type) => receiver.types().includes(type)), 'every kind')
    expect([...new Set(receiver.types())].sort()).toEqual(wanted)

    const document = (await service.request('GET', '/openapi.json')).body
    const ajv = new Ajv2020({ strict: false })
    formats.default(ajv)
    ajv.addSchema({ $id: 'document', ...document })
    for (const { event } of receiver.received) {
      const schemas = Object.keys(document.webhooks).filter((name) =>
        document.components.schemas[name].properties.type.enum.includes(event.type),
      )
      expect(schemas, event.type).toHaveLength(1)
      const validate = ajv.getSchema(`document#/components/schemas/${schemas[0]}`)
      expect(validate?.(event), `${event.type}: ${ajv.errorsText(validate?.errors)}`).toBe(true)
    }
  })

  test("a user's events are numbered in order without gaps, and the event log keeps the order of publication", async () => {
    const { receiver, newUser, partner } = await newStory()
    const users = await Promise.all([newUser(), newUser(), newUser()])
    await Promise.all(users.flatMap(({ userId }) => [deposit(userId), deposit(userId), deposit(userId)]))
    const facts = (events: any[], userId: string) =>
      events.filter(({ type, data }) => data.userId === userId && type !== 'account.balance.changed')
    // The verification and the account make two events, and each of the three deposits makes two.
    const perUser = 2 + 3 * 2
    const all = () => receiver.received.map(({ event }) => event)
    await waitUntil(() => users.every(({ userId }) => facts(all(), userId).length === perUser), 'all facts')
    const log = (await partner.ask('GET', '/events?limit=500')).body.data
    for (const { userId } of users) {
      const numbers = Array.from({ length: perUser }, (_, i) => i + 1)
      expect(facts(log, userId).map(({ data }) => data.sequence)).toEqual(numbers)
      expect(
        facts(all(), userId)
          .map(({ data }) => data.sequence)
          .sort((a, b) => a - b),
      ).toEqual(numbers)
    }
  })

  test('the last balance event equals the balances that the user sees', async () => {
    const { receiver, newUser, partner } = await newStory(['account.balance.changed'])
    const { userId, token } = await newUser()
    await Promise.all([deposit(userId), deposit(userId)])
    const { data } = (await service.request('GET', '/user/balances/v2', { token })).body
    const shown = data.map(({ tokens: _, ...row }: any) => row)
    // The event log is in order. Deliveries run in parallel and may arrive in another order. The last event may be a
    // deposit whose effect an earlier balance event already has.
    const last = async () =>
      (await partner.ask('GET', '/events?type=account.balance.changed&limit=500')).body.data.at(-1)
    const isFinal = (data: any) => isDeepStrictEqual(data?.balances, shown)
    await waitUntil(async () => isFinal((await last())?.data), 'the balances')
    const event = await last()
    await waitUntil(
      () => receiver.received.some(({ event: { data } }) => isDeepStrictEqual(data, event.data)),
      'the event',
    )
    // The balances are read after the events of a batch, so they may already have the effect of the next event.
    expect(event.data).toMatchObject({ userId, reason: expect.stringMatching(/^deposit\.(pending|approved)$/) })
    // A decline moves no money, so no balance event follows its event.
    const card = await service.request('POST', '/cards/virtual', {
      token,
      body: { cardName: 'a', phone: '+4915112345678' },
    })
    const message = { transaction_type: 'authorization', card_id: card.body.cardId, amount: '999999', currency: 'EUR' }
    expect((await service.sandbox('POST', '/transactions', message)).body.status).toBe('denied')
    const types = async () => (await partner.ask('GET', '/events')).body.data.map(({ type }: any) => type)
    await waitUntil(async () => (await types()).includes('card.transaction.declined'), 'the decline')
    expect((await types()).at(-1)).toBe('card.transaction.declined')
  })

  test("an endpoint receives only the events of its filter and of its own partner's users", async () => {
    const { receiver, newUser, partner } = await newStory(['deposit.*', 'account.activated'])
    const other = await newStory()
    const { userId } = await newUser()
    const stranger = await service.newUser()
    await deposit(stranger.userId)
    await deposit(userId)
    await waitUntil(() => receiver.types().includes('deposit.approved'), 'the deposit')
    expect(receiver.types().sort()).toEqual(['deposit.approved', 'deposit.pending'])
    expect(other.receiver.received).toEqual([])
    const rows = await service.ctx.db.query('select seq from event where user_id = $1', [stranger.userId])
    expect(rows).toEqual([])
    expect((await partner.ask('POST', '/webhooks', { url: receiver.url, events: ['deposits.*'] })).status).toBe(400)
  })

  test("no event is written before the partner's first endpoint", async () => {
    const partner = await newPartner(service)
    const { userId } = await newUserOf(partner)
    await deposit(userId)
    const rows = await service.ctx.db.query('select seq from event where user_id = $1', [userId])
    expect(rows).toEqual([])
    const receiver = await newReceiver()
    await addEndpoint(partner, receiver.url, ['deposit.*'])
    await deposit(userId)
    await receiver.waitForDeliveries(2)
    expect(receiver.received.map(({ event }) => event.data.sequence).sort()).toEqual([1, 2])
  })

  test('publication clears the data of an event in the outbox, and the numbers continue without a gap', async () => {
    const { receiver, newUser } = await newStory(['deposit.*', 'account.activated'])
    const { userId } = await newUser()
    const kept = () => service.ctx.db.query('select seq, data from event where user_id = $1', [userId])
    for (let deposits = 1; deposits <= 3; deposits++) {
      await deposit(userId)
      await receiver.waitForDeliveries(2 * deposits)
    }
    const sequences = receiver.received.map(({ event }) => event.data.sequence).sort((one, other) => one - other)
    const first = sequences[0]
    expect(sequences).toEqual(sequences.map((_, i) => first + i))
    expect(await kept()).toEqual([{ seq: BigInt(first + 5), data: '' }])
  })
})

describe('missed events', () => {
  test('missed events can be read from the event log page by page', async () => {
    const { newUser, partner, receiver } = await newStory()
    await Promise.all([newUser(), newUser(), newUser()])
    await receiver.waitForDeliveries(6)
    const all = (await partner.ask('GET', '/events')).body
    expect(all.data).toHaveLength(6)
    expect(all.pagination).toEqual({ hasNext: false })
    const pulled: any[] = []
    for (let after = ''; ; after = `&after=${pulled.at(-1).id}`) {
      const page = await partner.ask('GET', `/events?limit=4${after}`)
      pulled.push(...page.body.data)
      if (!page.body.pagination.hasNext) break
    }
    expect(pulled).toEqual(all.data)
    const byId = new Map(receiver.received.map(({ event }) => [event.id, event]))
    expect(pulled).toEqual(pulled.map(({ id }) => byId.get(id)))
    expect((await partner.ask('GET', `/events?after=${pulled.at(-1).id}`)).body.data).toEqual([])
  })

  test('an event can be resent to every subscribed endpoint or to a chosen one', async () => {
    const { newUser, partner, receiver, endpoint } = await newStory(['account.created'])
    const late = await newReceiver()
    await newUser()
    const [one] = await receiver.waitForDeliveries(1)
    const id = one?.event.id
    const added = await addEndpoint(partner, late.url, ['deposit.*'])
    expect((await partner.ask('POST', `/events/${id}/resend`, {})).body).toEqual({ deliveries: 1 })
    expect((await receiver.waitForDeliveries(2))[1]?.body).toBe(one?.body)
    expect((await partner.ask('POST', `/events/${id}/resend`, { endpointId: added.endpointId })).status).toBe(202)
    expect((await late.waitForDeliveries(1))[0]?.body).toBe(one?.body)
    await waitUntil(async () => {
      const { deliveries } = (await partner.ask('GET', `/events/${id}`)).body
      return deliveries.every(({ status }: any) => status === 'delivered')
    }, 'both outcomes')
    const { event, deliveries } = (await partner.ask('GET', `/events/${id}`)).body
    expect(event).toEqual(one?.event)
    expect(deliveries.map(({ endpointId }: any) => endpointId).sort()).toEqual(
      [endpoint.endpointId, added.endpointId].sort(),
    )
  })

  test('events and endpoints of another partner get the same response as unknown ones', async () => {
    const [mine, theirs] = [await newStory(), await newStory()]
    await theirs.newUser()
    const [one] = await theirs.receiver.waitForDeliveries(1)
    const unknown = `evt_${'0'.repeat(32)}`
    for (const id of [one?.event.id, unknown]) {
      for (const answer of [
        await mine.partner.ask('GET', `/events/${id}`),
        await mine.partner.ask('GET', `/events?after=${id}`),
        await mine.partner.ask('POST', `/events/${id}/resend`, {}),
      ]) {
        expect(answer).toMatchObject({ status: 404, body: { error: 'EVENT_NOT_FOUND' } })
      }
    }
    await mine.newUser()
    const [own] = await mine.receiver.waitForDeliveries(1)
    const stolen = await mine.partner.ask('POST', `/events/${own?.event.id}/resend`, {
      endpointId: theirs.endpoint.endpointId,
    })
    expect(stolen).toMatchObject({ status: 404, body: { error: 'ENDPOINT_NOT_FOUND' } })
  })

  test('events are deleted after 30 days', async () => {
    const { newUser, partner, receiver } = await newStory()
    await newUser()
    const [one] = await receiver.waitForDeliveries(1)
    await advance(31 * 86_400)
    const { expiredEventsChore } = await import('../../src/webhooks/jobs.ts')
    await expiredEventsChore.run(service.ctx, new AbortController().signal)
    expect((await partner.ask('GET', '/events')).body.data).toEqual([])
    expect((await partner.ask('GET', `/events?after=${one?.event.id}`)).status).toBe(404)
  })

  test('an expired event stays as long as its deliveries cannot be deleted', async () => {
    const { newUser, partner, receiver, deliveries } = await newStory(['account.created'])
    await newUser()
    await receiver.waitForDeliveries(1)
    const { db } = service.ctx
    await db.query(`create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`)
    await db.query('create trigger refused before delete on webhook_delivery for each row execute function refuse()')
    await advance(31 * 86_400)
    const expire = () => deleteExpiredEvents(service.ctx, new AbortController().signal)
    await expect(expire()).rejects.toThrow('refused')
    await db.query('drop trigger refused on webhook_delivery')
    expect((await partner.ask('GET', '/events')).body.data).not.toEqual([])
    await expire()
    expect((await partner.ask('GET', '/events')).body.data).toEqual([])
    expect(await deliveries()).toEqual([])
  })

  test('a resend of an event that is being deleted waits, and is rejected', async () => {
    const { newUser, partner, receiver, endpoint } = await newStory(['account.created'])
    await newUser()
    const [one] = await receiver.waitForDeliveries(1)
    const resends: Promise<Reply>[] = []
    await service.ctx.db.transaction(async (tx) => {
      await deleteEventsBefore(tx, new Date(service.ctx.clock.now().getTime() + 1000), 1000)
      const isLockAwaited = async () => (await service.ctx.db.query(lockWaits, [])).length > 0
      resends.push(partner.ask('POST', `/events/${one?.event.id}/resend`, {}))
      await Promise.race([...resends, waitUntil(isLockAwaited, 'the lock')])
    })
    expect((await Promise.all(resends)).map(({ status }) => status)).toEqual([404])
    const left = await service.ctx.db.query('select 1 from webhook_delivery where endpoint_id = $1', [
      endpoint.endpointId,
    ])
    expect(left).toEqual([])
  })

  test.each<[string, Deletion]>([
    ['the deletion', (tx) => deleteEventsBefore(tx, new Date(service.ctx.clock.now().getTime() + 1000), 1000)],
    ['the erasure', (tx, partnerId, userId) => deleteEventsAbout(tx, partnerId, userId)],
  ])('%s of an event while it is resent to another endpoint leaves no delivery', async (_title, remove) => {
    const { newUser, partner, receiver } = await newStory(['account.created'])
    const { userId } = await newUser()
    const [one] = await receiver.waitForDeliveries(1)
    const { partnerId } = partner
    const added = await addEndpoint(partner, receiver.url, ['deposit.*'])
    const removals: Promise<unknown>[] = []
    await service.ctx.db.transaction(async (tx) => {
      await resendEvent(service.ctx, tx, { partnerId, actor: 'member' }, one?.event.id, added.endpointId)
      const isLockAwaited = async () => (await service.ctx.db.query(lockWaits, [])).length > 0
      removals.push(service.ctx.db.transaction((other) => remove(other, partnerId, userId)))
      await Promise.race([...removals, waitUntil(isLockAwaited, 'the lock')])
    })
    await Promise.all(removals)
    const left = await service.ctx.db.query('select 1 from webhook_delivery where endpoint_id = $1', [added.endpointId])
    expect(left).toEqual([])
  })
})

test('the old and the new webhook key both sign until the overlap of a rotation ends, then only the new key', async () => {
  const { newUser, partner, receiver, endpoint, path, state } = await newStory(['account.created'])
  const rotated = (await partner.ask('POST', `${path}/rotate`, { overlapSeconds: 3600 })).body
  expect(rotated.publicKeys).toEqual([expect.stringMatching(/^whpk_/), endpoint.publicKeys[0]])
  expect(rotated.secret).not.toBe(endpoint.secret)
  await waitUntil(async () => {
    await newUser()
    const last = (await receiver.waitForDeliveries(1)).at(-1)
    return last !== undefined && validSignatures(last, rotated.publicKeys[0]) === 1
  }, 'the new key')
  const both = receiver.received.at(-1)
  if (both === undefined) throw new Error('no webhook arrived')
  for (const key of [endpoint.publicKeys[0], endpoint.secret, rotated.secret])
    expect(validSignatures(both, key)).toBe(1)

  await advance(3600)
  const count = receiver.received.length
  await newUser()
  const alone = (await receiver.waitForDeliveries(count + 1)).at(-1)
  if (alone === undefined) throw new Error('no webhook arrived')
  expect(validSignatures(alone, rotated.publicKeys[0]) + validSignatures(alone, rotated.secret)).toBe(2)
  expect(validSignatures(alone, endpoint.publicKeys[0]) + validSignatures(alone, endpoint.secret)).toBe(0)
  expect((await state()).publicKeys).toEqual([rotated.publicKeys[0]])
})

test('after a second key rotation, the key in use still signs, at most four keys sign, and a rotation without overlap stops a leaked key', async () => {
  const { partner, endpoint, path, state } = await newStory()
  const rotate = async (overlapSeconds: number) =>
    (await partner.ask('POST', `${path}/rotate`, { overlapSeconds })).body.publicKeys
  const [inUse] = endpoint.publicKeys
  const [lost] = await rotate(3600)
  expect(await rotate(3600)).toEqual([expect.stringMatching(/^whpk_/), lost, inUse])
  const many = []
  for (let i = 0; i < 5; i++) many.unshift((await rotate(3600))[0])
  expect((await state()).publicKeys).toEqual(many.slice(0, 4))
  await advance(3600)
  expect((await state()).publicKeys).toEqual(many.slice(0, 1))

  const [leaked] = await rotate(3600)
  const [good] = await rotate(0)
  expect([(await state()).publicKeys, leaked === good]).toEqual([[good], false])
  // The next rotation does not restore an ended key.
  expect(await rotate(3600)).toEqual([expect.stringMatching(/^whpk_/), good])
})

test('viewers and API keys with events:read cannot change webhook endpoints', async () => {
  const { partner, path, receiver } = await newStory()
  const viewer = await partner.member('viewer')
  const reader = await partner.key('events:read')
  const statuses = async (token: string) => [
    (await service.request('GET', '/partner/webhooks', { token })).status,
    (await service.request('GET', '/partner/events', { token })).status,
    (await service.request('POST', '/partner/webhooks', { token, body: { url: receiver.url } })).status,
    (await service.request('POST', `/partner${path}/rotate`, { token, body: {} })).status,
    (await service.request('POST', `/partner${path}/resend`, { token })).status,
    (await service.request('PATCH', `/partner${path}`, { token, body: { status: 'disabled' } })).status,
    (await service.request('DELETE', `/partner${path}`, { token })).status,
  ]
  expect(await statuses(viewer.token)).toEqual([200, 200, 403, 403, 403, 403, 403])
  expect(await statuses(reader)).toEqual([403, 200, 403, 403, 403, 403, 403])
  const seen = await service.request('GET', '/partner/webhooks', { token: viewer.token })
  expect(seen.text).not.toContain('whsec_')
})

test('a webhook endpoint can be changed, disabled and removed, and a partner has at most twenty', async () => {
  const { partner, path, receiver, newUser, endpoint } = await newStory(['deposit.*'])
  const changed = await partner.ask('PATCH', path, { events: ['account.created'], description: 'Main' })
  expect(changed.body).toMatchObject({ events: ['account.created'], description: 'Main', url: receiver.url })
  await newUser()
  await receiver.waitForDeliveries(1)
  expect((await partner.ask('PATCH', path, { status: 'disabled' })).body).toMatchObject({ disabledReason: 'partner' })
  await newUser()
  await waitUntil(async () => (await partner.ask('GET', '/events')).body.data.length === 4, 'the log')
  expect((await partner.ask('DELETE', path)).status).toBe(200)
  expect((await partner.ask('GET', path)).body.error).toBe('ENDPOINT_NOT_FOUND')
  expect(receiver.received).toHaveLength(1)
  const answers = []
  for (let i = 0; i < 21; i++) answers.push((await partner.ask('POST', '/webhooks', { url: receiver.url })).status)
  expect(answers).toEqual([...Array(20).fill(201), 422])
  const actions = (await partner.ask('GET', '/audit')).body.data.map(({ action, subject }: any) => [action, subject])
  expect(actions).toContainEqual(['webhook.removed', endpoint.endpointId])
})

test('a change that is based on an old version of a webhook endpoint is rejected, and the saved settings stay', async () => {
  const { partner, path } = await newStory(['deposit.*'])
  const opened = (await partner.ask('GET', path)).body
  const other = await partner.member('developer')
  const theirs = { description: 'Theirs', version: opened.version }
  const first = await service.request('PATCH', `/partner${path}`, { token: other.token, body: theirs })
  expect([first.status, first.body.description]).toEqual([200, 'Theirs'])
  expect(first.body.version).not.toBe(opened.version)
  const mine = await partner.ask('PATCH', path, { description: 'Mine', version: opened.version })
  expect([mine.status, mine.body]).toEqual(plainError(409, 'ENDPOINT_CHANGED'))
  expect((await partner.ask('GET', path)).body).toEqual(first.body)
  const details = (await partner.ask('GET', '/audit?action=webhook.changed')).body.data.map(({ detail }: any) => detail)
  expect(details).toEqual([{ description: 'Theirs' }])
  const repeated = await service.request('PATCH', `/partner${path}`, { token: other.token, body: theirs })
  expect([repeated.status, repeated.body.version]).toEqual([200, first.body.version])
  const again = await partner.ask('PATCH', path, { description: 'Mine', version: first.body.version })
  expect([again.status, again.body.description]).toEqual([200, 'Mine'])
})

test('of two changes of a webhook endpoint at the same time, one is saved and the other is rejected', async () => {
  const { partner, path } = await newStory(['deposit.*'])
  const { version } = (await partner.ask('GET', path)).body
  const changes = ['One', 'Other'].map((description) => partner.ask('PATCH', path, { description, version }))
  const statuses = (await Promise.all(changes)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([200, 409])
})

describe('webhooks in production', () => {
  let production: TestService
  beforeAll(async () => {
    const { allowsPrivateWebhooks } = modeValues.production
    production = await startService({
      alter: (ctx) => ({ ...ctx, config: { ...ctx.config, allowsPrivateWebhooks } }),
    })
  })
  afterAll(() => production.stop())

  test.each([
    'http://hooks.example.com/',
    'https://me:secret@hooks.example.com/',
    'https://hooks.example.com/#part',
    'ftp://hooks.example.com/',
    'hooks.example.com',
  ])('a webhook endpoint cannot have the URL %s in production', async (url) => {
    const { ask } = await newPartner(production)
    expect((await ask('POST', '/webhooks', { url })).status).toBe(400)
  })

  test('in production no webhook is sent to a private address in any notation', async () => {
    const partner = await newPartner(production)
    const urls = [
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://169.254.169.254/',
      'https://0x7f.1/',
      'https://localhost/',
    ]
    for (const url of urls) await addEndpoint(partner, url, ['account.created'])
    await newUserOf(partner, production)
    const created = async () => (await partner.ask('GET', '/events?type=account.created')).body.data
    await waitUntil(async () => (await created()).length > 0, 'the log')
    const [{ id }] = await created()
    const errors = async () => {
      const { deliveries } = (await partner.ask('GET', `/events/${id}`)).body
      return deliveries.map(({ error }: any) => error)
    }
    await waitUntil(async () => (await errors()).length === 5 && !(await errors()).includes(null), 'the outcomes')
    expect(new Set(await errors())).toEqual(new Set(['the host has a private address']))
  })
})

test('the worker ignores the endpoints of a partner until its first event', async () => {
  const { partner, newUser } = await newStory()
  const keepsBusy = async () =>
    (await findEnabledEndpoints(service.ctx.db)).some(({ partnerId }) => partnerId === partner.partnerId)
  expect(await keepsBusy()).toBe(false)
  await newUser()
  await waitUntil(keepsBusy, 'the first event')
})

test('two workers deliver each event to a healthy endpoint once', async () => {
  const second = await startService({ connection: service.connection })
  try {
    const { receiver, newUser, partner } = await newStory()
    await Promise.all(Array.from({ length: 30 }, newUser))
    await receiver.waitForDeliveries(60)
    await waitUntil(async () => {
      const { data } = (await partner.ask('GET', '/events?limit=500')).body
      return data.length === 60
    }, 'the log')
    expect(receiver.received).toHaveLength(60)
    expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(60)
  } finally {
    await second.stop()
  }
})

test('a rolled-back transaction leaves no event and no gap in the event numbers', async () => {
  const { newUser, receiver, partner } = await newStory()
  const { userId } = await newUser()
  const { ctx } = service
  const undone = ctx.db.transaction(async (tx) => {
    await emit(tx, userId, { type: 'account.blocked', data: {} }, ctx.clock.now())
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  await deposit(userId)
  await waitUntil(() => receiver.types().includes('deposit.approved'), 'the deposit')
  const facts = (await partner.ask('GET', '/events')).body.data.filter(
    ({ type }: any) => type !== 'account.balance.changed',
  )
  expect(facts.map(({ type, data }: any) => [data.sequence, type])).toEqual([
    [1, 'kyc.profile.approved'],
    [2, 'account.created'],
    [3, 'deposit.pending'],
    [4, 'deposit.approved'],
  ])
})
