import { describe, expect, test } from 'vitest'
import { deleteOldRequests, recordRequest, writeActivity } from '../../src/partners/activity.ts'
import { newPartner } from '../support/partner.ts'
import { plainError } from '../support/service.ts'
import { useWorld } from '../support/world.ts'

const { service, world } = useWorld({ worker: false })

const write = () => writeActivity(service.as('api'))
const today = () => service.ctx.clock.now().toISOString().slice(0, 10)

describe('the statistics of a partner', () => {
  test('the statistics count users, cards, card transactions and declines by code, by day', async () => {
    const partner = await newPartner(service)
    const { alice } = await world({ partner, eur: 10, card: true }, 'alice')
    await world({ partner }, 'bob')
    const pay = (amount: string) => alice.try('authorization', amount, { authorization_code: undefined })
    for (const amount of ['1.00', '2.00', '99.00', '98.00']) await pay(amount)
    const event = { event_id: 'once' }
    for (let i = 0; i < 3; i++) await alice.try('authorization', '1.00', { ...event, authorization_code: 'REPEAT' })
    await alice.try('clearing', '1.00', { authorization_code: 'REPEAT' })
    await alice.ask('POST', `/cards/${alice.cardId}/block`)
    await pay('1.00')
    await write()
    const { status, body } = await partner.ask('GET', '/statistics')
    expect([status, body]).toEqual([
      200,
      {
        data: [
          {
            ...{ day: today(), users: 2, cards: 1, transactions: 3 },
            declines: [
              { code: '810', count: 2 },
              { code: 'UBT', count: 1 },
            ],
          },
        ],
      },
    ])
  })

  test('the statistics cover a range of days, and have no counts of another partner', async () => {
    const [partner, stranger] = [await newPartner(service), await newPartner(service)]
    await world({ partner }, 'alice')
    const first = today()
    await service.advance(2 * 86_400)
    await world({ partner }, 'bob')
    await write()
    const days = async (query = '') =>
      (await partner.ask('GET', `/statistics${query}`)).body.data.map(({ day, users }: any) => [day, users])
    expect(await days()).toEqual([
      [first, 1],
      [today(), 1],
    ])
    expect(await days(`?to=${first}`)).toEqual([[first, 1]])
    expect(await days(`?from=${today()}`)).toEqual([[today(), 1]])
    expect((await stranger.ask('GET', '/statistics')).body.data).toEqual([])
    for (const query of ['?from=x', '?to=0000-01-01', '?from=2026-02-30', '?from=2999-01-01', '?from=2020-01-01']) {
      expect((await partner.ask('GET', `/statistics${query}`)).status, query).toBe(400)
    }
  })

  test('if the counts of the statistics cannot be written, they are added to the next ones', async () => {
    const partner = await newPartner(service)
    const broken = {
      ...service.as('api'),
      db: {
        ...service.ctx.db,
        query: async () => {
          throw new Error('away')
        },
      },
    }
    // The service itself also writes the counts every few seconds, and may do so before the broken write. Then the loop
    // tries again.
    let [users, isBroken] = [0, false]
    while (!isBroken) {
      await world({ partner }, 'alice')
      users++
      isBroken = await writeActivity(broken).then(
        () => false,
        (error) => error.message === 'away',
      )
    }
    await world({ partner }, 'bob')
    await Promise.all([write(), write()])
    expect((await partner.ask('GET', '/statistics')).body.data).toMatchObject([{ users: users + 1 }])
  })
})

describe('the request log of a partner', () => {
  test('the request log of a partner has each request with its route, status and error code, newest first', async () => {
    const partner = await newPartner(service)
    const key = await partner.key('partner:read')
    await partner.ask('GET', '/members')
    await partner.ask('GET', '/webhooks/01a1fc4e-f39c-748a-b04f-9ca8209a4d4a')
    await partner.ask('GET', '/users?limit=0')
    const refused = await service.request('GET', '/partner/users', { token: key })
    await partner.ask('POST', '/api-keys', { name: 'x'.repeat(70_000) })
    await write()
    const { body } = await partner.ask('GET', '/requests')
    const [tooLarge, ...others] = body.data
    expect(tooLarge).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE' })
    expect(others.map(({ method, route, status, code }: any) => [method, route, status, code])).toEqual([
      ['GET', '/partner/users', 403, 'NOT_PERMITTED'],
      ['GET', '/partner/users', 400, 'VALIDATION'],
      ['GET', '/partner/webhooks/:endpointId', 404, 'ENDPOINT_NOT_FOUND'],
      ['GET', '/partner/members', 200, null],
      ['POST', '/partner/api-keys', 201, null],
    ])
    expect(others[0]).toMatchObject({
      requestId: refused.headers.get('x-request-id'),
      actor: expect.stringMatching(/^key:/),
    })
    const failed = await partner.ask('GET', '/requests?failed=true')
    expect(failed.body.data).toEqual(body.data.slice(0, 4))
  })

  test('the request log of a partner comes in pages, each request exactly once', async () => {
    const partner = await newPartner(service)
    for (let i = 0; i < 5; i++) await partner.ask('GET', '')
    await write()
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`
      const { body } = await partner.ask('GET', `/requests?limit=2${query}`)
      seen.push(...body.data.map(({ requestId }: any) => requestId))
      cursor = body.pagination.nextCursor
    }
    expect([seen.length, new Set(seen).size]).toEqual([5, 5])
    for (const bad of ['cursor=x', `cursor=1_${'-'.repeat(36)}`, 'limit=501', 'failed=yes']) {
      expect((await partner.ask('GET', `/requests?${bad}`)).status, bad).toBe(400)
    }
  })

  test('a request log has the requests of one partner only, and reading it needs the permission', async () => {
    const [partner, stranger] = [await newPartner(service), await newPartner(service)]
    await partner.ask('GET', '')
    await write()
    expect((await stranger.ask('GET', '/requests')).body.data.map(({ route }: any) => route)).not.toContain('/partner')
    const key = await partner.key('users:read')
    const refused = await service.request('GET', '/partner/requests', { token: key })
    expect([refused.status, refused.body]).toEqual(plainError(403, 'NOT_PERMITTED'))
  })

  test('the request log of a partner keeps requests for seven days', async () => {
    const partner = await newPartner(service)
    await partner.ask('GET', '')
    await write()
    await service.advance(6 * 86_400)
    await deleteOldRequests(service.as('worker'), new AbortController().signal)
    expect((await partner.ask('GET', '/requests')).body.data).toHaveLength(1)
    await service.advance(2 * 86_400)
    await write()
    await deleteOldRequests(service.as('worker'), new AbortController().signal)
    const left = (await partner.ask('GET', '/requests')).body.data
    expect(
      left.every(
        ({ requestedAt }: any) => Date.parse(requestedAt) > service.ctx.clock.now().getTime() - 7 * 86_400_000,
      ),
    ).toBe(true)
  })

  test('the request log of a partner is written every few seconds, and its memory is bounded', async () => {
    const partner = await newPartner(service)
    await partner.ask('GET', '')
    await expect
      .poll(async () => (await partner.ask('GET', '/requests')).body.data.length, { interval: 500 })
      .toBeGreaterThan(0)
    const sent = { actor: 'key:x', method: 'GET', route: '/', status: 200, code: null, milliseconds: 1 }
    for (let i = 0; i < 6000; i++) {
      recordRequest(service.ctx, partner.partnerId, { ...sent, requestId: 'x', requestedAt: new Date() })
    }
    const { requests, dropped } = service.ctx.caches.partnerActivity
    expect(requests.length).toBeLessThanOrEqual(5000)
    expect(dropped).toBeGreaterThanOrEqual(1000)
    requests.length = 0
  })
})
