import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Ctx } from '../../src/context.ts'
import { dueWorks } from '../../src/due-work.ts'
import { UpstreamError } from '../../src/lib/errors.ts'
import { createJobs } from '../../src/platform/jobs/jobs.ts'
import type { CardRequest, IssuedCard } from '../../src/providers/issuer/issuer.ts'
import type { SandboxControls } from '../../src/providers/sandbox-controls.ts'
import { newWallet, plainError, startService, type TestService, type TestUser } from '../support/service.ts'

const phone = '+4915123456789'
const unknownId = '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a'

let service: TestService
let controls: SandboxControls
/** The card statuses that the issuer received, in order. */
let reported: string[] = []
/** While set, the issuer does not respond. */
let gate: Promise<void> | null = null
/** The latest status that was sent to the issuer, even if it still waits at the gate. */
let atGate: string | null = null
/** Changes the issuer's response to the creation of a card, or throws. */
let respond: (card: IssuedCard, request: CardRequest) => IssuedCard = (card) => card
/** Makes requests to the issuer wait until the returned function is called. */
function closeGate(): () => void {
  let open = () => {}
  atGate = null
  gate = new Promise((resolve) => {
    open = resolve
  })
  return open
}

/** Records the requests to the sandbox's issuer. */
function watched(ctx: Ctx): Ctx {
  const { createCard, setCardStatus } = ctx.issuer
  return {
    ...ctx,
    issuer: {
      async createCard(request) {
        await gate
        return respond(await createCard(request), request)
      },
      async setCardStatus(cardToken, status) {
        atGate = status
        await gate
        await setCardStatus(cardToken, status)
        reported.push(status)
      },
    },
  }
}

beforeAll(async () => {
  // No worker: each test runs the due work itself.
  service = await startService({ worker: false, alter: watched })
  if (service.ctx.sandbox === null) throw new Error('the tests need the sandbox')
  controls = service.ctx.sandbox
})
afterEach(() => {
  respond = (card) => card
})
afterAll(() => service.stop())

const create = (user: TestUser, body: object, headers: Record<string, string> = {}) =>
  service.request('POST', '/cards/virtual', { token: user.token, body, headers })
const act = (user: TestUser, cardId: string, verb: string) =>
  service.request('POST', `/cards/${cardId}/${verb}`, { token: user.token })
const read = async (user: TestUser, cardId: string) =>
  (await service.request('GET', `/cards/${cardId}`, { token: user.token })).body
const list = async (user: TestUser) => (await service.request('GET', '/cards', { token: user.token })).body.data

async function newCard(user: TestUser): Promise<string> {
  const answer = await create(user, { cardName: 'Everyday', phone })
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body.cardId
}

async function userWithCard(): Promise<{ user: TestUser; cardId: string }> {
  const user = await service.newUser()
  return { user, cardId: await newCard(user) }
}

/** Returns a user whose card status has reached the issuer. Later statuses are in `reported`. */
async function userWithReportedCard() {
  const known = await userWithCard()
  await service.jobs.runDue()
  reported = []
  return known
}

const validation = {
  kind: 'validation',
  success: false,
  error: { name: 'ValidationError', message: expect.any(String) },
}

describe('a user creates a card', () => {
  test('the first card needs a phone number, and its owner reads it as active', async () => {
    const user = await service.newUser({ country: 'GB' })
    const refused = await create(user, { cardName: 'First' })
    expect([refused.status, refused.text]).toEqual([422, '{"success":false,"error":"PHONE_REQUIRED"}'])

    const made = await create(user, { cardName: '  First  ', phone })
    expect([made.status, made.body]).toEqual([201, { cardId: expect.any(String) }])
    const { cardId } = made.body
    const card = await read(user, cardId)
    expect(card).toEqual({
      cardId,
      cardName: 'First',
      type: 'virtual',
      status: 'active',
      blockedBy: [],
      currency: 'GBP',
      last4: expect.stringMatching(/^[0-9]{4}$/),
      expiryMonth: expect.any(Number),
      expiryYear: expect.any(Number),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    expect(await list(user)).toEqual([card])
  })

  test('the phone number of the first card is kept, and that of a later request is ignored', async () => {
    const { user } = await userWithCard()
    expect((await create(user, { cardName: 'Second', phone: 'not a number' })).status).toBe(201)
    const stored = await service.request('GET', '/phone', { token: user.token })
    expect(stored.body).toEqual({ phone, countryCode: '49' })
  })

  test.each([
    { cardName: '   ', phone },
    { cardName: 'x'.repeat(51), phone },
    { cardName: 'null\u0000byte', phone },
    { cardName: 'half \ud83d', phone },
    { cardName: 7, phone },
    { phone },
    { cardName: 'Phone', phone: '015123456789' },
    { cardName: 'Phone', phone: '+49151' },
    { cardName: 'Phone', phone: 4915123456789 },
  ])('the card request %j is invalid and creates neither a card nor a cardholder', async (body) => {
    const user = await service.newUser()
    const answer = await create(user, body)
    expect([answer.status, answer.body]).toEqual([400, validation])
    expect(await list(user)).toEqual([])
    expect((await create(user, { cardName: 'Still the first' })).body.error).toBe('PHONE_REQUIRED')
  })

  test('a new card needs an active account and an approved identity', async () => {
    const user = await service.newUser()
    const change = (changes: object) => service.sandbox('PATCH', `/users/${user.userId}`, changes)
    for (const accountStatus of ['provisioning', 'blocked']) {
      await change({ accountStatus })
      const answer = await create(user, { cardName: 'No', phone })
      expect([answer.status, answer.body]).toEqual(plainError(422, 'ACCOUNT_NOT_ACTIVE'))
    }
    await change({ accountStatus: 'active', kyc: 'requiresAction' })
    const answer = await create(user, { cardName: 'No', phone })
    expect([answer.status, answer.body]).toEqual(plainError(422, 'KYC_NOT_APPROVED'))
    await change({ kyc: 'approved' })
    expect((await create(user, { cardName: 'Yes', phone })).status).toBe(201)
  })

  test('a card request of a user without an account is rejected as ACCOUNT_NOT_ACTIVE', async () => {
    const wallet = newWallet()
    const token = await service.signIn(wallet)
    const email = `${randomUUID()}@example.org`
    await service.request('POST', '/email-verification', { token, body: { email } })
    const { body } = await service.request('POST', '/user', { token, body: { email, otp: '123456' } })
    const answer = await service.request('POST', '/cards/virtual', {
      token: body.accessToken,
      body: { cardName: 'Early', phone },
    })
    expect([answer.status, answer.body]).toEqual(plainError(422, 'ACCOUNT_NOT_ACTIVE'))
  })

  test('ten concurrent requests make five cards of one cardholder, and only a canceled card makes room for another', async () => {
    const user = await service.newUser()
    const phones = ['+4915123456780', '+4915123456781']
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => create(user, { cardName: `Race ${i}`, phone: phones[i % 2] })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(5).fill(201), ...Array(5).fill(422)])
    for (const { status, body } of answers) if (status === 422) expect(body.error).toBe('CARD_LIMIT_REACHED')
    const stored = await service.request('GET', '/phone', { token: user.token })
    expect(phones).toContain(stored.body.phone)

    const [first, second] = await list(user)
    await act(user, first.cardId, 'block')
    expect((await create(user, { cardName: 'Sixth' })).body.error).toBe('CARD_LIMIT_REACHED')
    await act(user, second.cardId, 'cancel')
    expect((await create(user, { cardName: 'Sixth' })).status).toBe(201)
  })
})

describe('the issuer does not respond', () => {
  test('a card request gets 502 during an outage of the issuer, and due work finishes the card later', async () => {
    const user = await service.newUser()
    await service.jobs.runDue()
    controls.issuer.failNext(2)
    const answer = await create(user, { cardName: 'Late', phone })
    expect([answer.status, answer.body]).toEqual(plainError(502, 'UPSTREAM_FAILURE'))
    const [card] = await list(user)
    expect(card).toMatchObject({ cardName: 'Late', status: 'provisioning', last4: null, expiryMonth: null })
    expect((await service.request('GET', '/phone', { token: user.token })).status).toBe(404)
    for (const verb of ['block', 'unblock']) {
      const refused = await act(user, card.cardId, verb)
      expect([refused.status, refused.body]).toEqual(plainError(422, 'INVALID_CARD_STATUS'))
    }

    // The first attempt of due work fails too, and is retried later.
    await service.jobs.runDue()
    expect((await read(user, card.cardId)).status).toBe('provisioning')
    await service.advance(60)
    expect(await read(user, card.cardId)).toMatchObject({ status: 'active', last4: expect.any(String) })
    expect(await list(user)).toHaveLength(1)
    expect((await service.request('GET', '/phone', { token: user.token })).status).toBe(200)
  })

  test('a card that is canceled before the issuer has created it is canceled there too', async () => {
    const user = await service.newUser()
    controls.issuer.failNext(1)
    await create(user, { cardName: 'Late', phone })
    const open = closeGate()
    const slow = create(user, { cardName: 'Slow' })
    await expect.poll(() => list(user)).toHaveLength(2)
    const cards: { cardId: string }[] = await list(user)
    reported = []
    for (const { cardId } of cards) {
      const answer = await act(user, cardId, 'cancel')
      expect([answer.status, answer.body]).toEqual([200, { success: true, cardId, status: 'canceled' }])
    }
    open()
    gate = null
    expect((await slow).status).toBe(201)
    await service.jobs.runDue()
    expect(reported).toEqual(['canceled', 'canceled'])
    expect((await list(user)).map(({ status }: { status: string }) => status)).toEqual(['canceled', 'canceled'])
  })

  test('cards that the issuer rejects can be canceled, which ends their due work and makes room for other cards', async () => {
    const user = await service.newUser()
    respond = () => {
      throw new UpstreamError('issuer', 'rejected', new Error('the response status was 422'))
    }
    for (let cards = 0; cards < 5; cards++) {
      expect((await create(user, { cardName: 'Rejected', phone })).status).toBe(502)
    }
    expect((await create(user, { cardName: 'Sixth' })).body.error).toBe('CARD_LIMIT_REACHED')
    const [canceled] = await list(user)
    expect((await act(user, canceled.cardId, 'cancel')).status).toBe(200)
    await service.jobs.runDue()
    const due = await service.ctx.db.query<{ status: string }>(
      'select status from card where user_id = $1 and due_at is not null',
      [user.userId],
    )
    expect(due.map(({ status }) => status)).toEqual(Array(4).fill('provisioning'))
    respond = (card) => card
    expect((await create(user, { cardName: 'Sixth' })).status).toBe(201)
  })

  test('after the issuer has rejected a phone number, the user can cancel the cards and name another number, which then stays', async () => {
    const user = await service.newUser()
    const accepted = '+4915123456780'
    respond = (card, { cardholder }) => {
      if (cardholder.phone === accepted) return card
      throw new UpstreamError('issuer', 'rejected', new Error('the response status was 422'))
    }
    expect((await create(user, { cardName: 'Rejected', phone })).status).toBe(502)
    // The issuer may still create the first card, so the number stays.
    expect((await create(user, { cardName: 'Rejected', phone: accepted })).status).toBe(502)
    const cancelAll = async () => {
      for (const { cardId } of await list(user)) await act(user, cardId, 'cancel')
    }
    await cancelAll()
    // Until the issuer has rejected the canceled cards a second time, it may have created one of them.
    expect((await create(user, { cardName: 'Too early', phone: accepted })).status).toBe(502)
    await cancelAll()
    await service.jobs.runDue()

    const invalid = await create(user, { cardName: 'Invalid', phone: '+49151' })
    expect([invalid.status, invalid.body]).toEqual([400, validation])
    expect((await create(user, { cardName: 'Accepted', phone: accepted })).status).toBe(201)
    expect((await create(user, { cardName: 'Second', phone })).status).toBe(201)
    const stored = await service.request('GET', '/phone', { token: user.token })
    expect(stored.body).toEqual({ phone: accepted, countryCode: '49' })
  })

  test('a repeated request with an idempotency key finishes the same card', async () => {
    const user = await service.newUser()
    const key = { 'idempotency-key': randomUUID() }
    controls.issuer.failNext(1)
    expect((await create(user, { cardName: 'Again', phone }, key)).status).toBe(502)
    const [waiting] = await list(user)
    const again = await create(user, { cardName: 'Again', phone }, key)
    expect([again.status, again.body]).toEqual([201, { cardId: waiting.cardId }])
    expect(await list(user)).toMatchObject([{ cardId: waiting.cardId, status: 'active' }])
  })

  test('the lease of an idempotency key ends after a minute, and the next request finishes the same card', async () => {
    const user = await service.newUser()
    const open = closeGate()
    const request = { cardName: 'Slow', phone }
    const key = { 'idempotency-key': randomUUID() }
    const lost = create(user, request, key)
    await expect.poll(() => list(user)).toHaveLength(1)
    await controls.clock.advance(59)
    expect((await create(user, request, key)).status).toBe(409)
    await controls.clock.advance(2)
    gate = null
    const next = await create(user, request, key)
    open()
    expect([next.status, next.text]).toEqual([201, (await lost).text])
    expect(await list(user)).toMatchObject([{ cardId: next.body.cardId, status: 'active' }])
  })

  test('due work finishes a card whose request takes too long', async () => {
    const user = await service.newUser()
    const open = closeGate()
    const key = { 'idempotency-key': randomUUID() }
    const slow = create(user, { cardName: 'Slow', phone }, key)
    while ((await list(user)).length === 0) await new Promise((resolve) => setTimeout(resolve, 10))

    // Meanwhile the request holds the lease of its key.
    const busy = await create(user, { cardName: 'Slow', phone }, key)
    expect([busy.status, busy.body]).toEqual(plainError(409, 'REQUEST_IN_PROGRESS'))
    expect(Number(busy.headers.get('retry-after'))).toBeGreaterThan(0)
    await controls.clock.advance(31)
    const due = service.jobs.runDue()
    open()
    gate = null
    const [answer] = await Promise.all([slow, due])
    expect(answer.status).toBe(201)
    expect(await list(user)).toMatchObject([{ cardId: answer.body.cardId, status: 'active' }])
  })
})

test("a new card never gets the token of another card, so its owner cannot see that card's number and PIN", async () => {
  const [{ user, cardId }, stranger] = [await userWithCard(), await service.newUser()]
  const tokenOf = async (id: string) => {
    const [row] = await service.ctx.db.query<{ cardToken: string | null }>(
      'select card_token as "cardToken" from card where user_id = any($1) and card_id = $2',
      [[user.userId, stranger.userId], id],
    )
    return row?.cardToken ?? null
  }
  const taken = await tokenOf(cardId)
  if (taken === null) throw new Error('the card has no token')
  respond = (card) => ({ ...card, cardToken: taken })
  for (const owner of [stranger, user]) {
    const known = new Set((await list(owner)).map((card: { cardId: string }) => card.cardId))
    const answer = await create(owner, { cardName: 'Twin', phone })
    expect([answer.status, answer.body]).toEqual(plainError(502, 'UPSTREAM_FAILURE'))
    const twin = (await list(owner)).find((card: { cardId: string }) => !known.has(card.cardId))
    expect(twin).toMatchObject({ status: 'provisioning', last4: null })
    expect(await tokenOf(twin.cardId)).toBe(null)
  }

  respond = (card) => card
  await service.jobs.runDue()
  const [twin] = await list(stranger)
  expect(twin.status).toBe('active')
  expect(await tokenOf(twin.cardId)).not.toBe(taken)
})

describe('a card is blocked and unblocked', () => {
  test('an owner can block and unblock a card repeatedly', async () => {
    const { user, cardId } = await userWithCard()
    for (const [verb, status] of [
      ['block', 'blocked'],
      ['block', 'blocked'],
      ['unblock', 'active'],
      ['unblock', 'active'],
    ] as const) {
      const answer = await act(user, cardId, verb)
      expect([answer.status, answer.body]).toEqual([200, { success: true, cardId, status }])
      expect((await read(user, cardId)).status).toBe(status)
    }
  })

  test('the block of a card reaches the issuer, even after a failed attempt', async () => {
    const { user, cardId } = await userWithReportedCard()
    await act(user, cardId, 'block')
    controls.issuer.failNext(1)
    await service.jobs.runDue()
    expect(reported).toEqual([])
    await service.advance(60)
    expect(reported).toEqual(['blocked'])
    await act(user, cardId, 'unblock')
    await act(user, cardId, 'cancel')
    await service.jobs.runDue()
    expect(reported).toEqual(['blocked', 'canceled'])
  })

  test('a change of a card during the report of its status to the issuer is reported next', async () => {
    const { user, cardId } = await userWithReportedCard()
    const open = closeGate()
    await act(user, cardId, 'block')
    const reporting = service.jobs.runDue()
    await expect.poll(() => atGate).toBe('blocked')
    await act(user, cardId, 'unblock')
    open()
    gate = null
    await reporting
    await service.jobs.runDue()
    expect(reported).toEqual(['blocked', 'active'])
  })

  test('a late report of an old card status to the issuer is followed by a report of the current one', async () => {
    const { user, cardId } = await userWithReportedCard()
    const open = closeGate()
    await act(user, cardId, 'block')
    const late = service.jobs.runDue()
    await expect.poll(() => atGate).toBe('blocked')
    gate = null
    await act(user, cardId, 'unblock')
    await createJobs(service.as('worker'), dueWorks, []).runDue()
    expect(reported).toEqual(['active'])
    open()
    await late
    await service.jobs.runDue()
    expect(reported).toEqual(['active', 'blocked', 'active'])
  })

  test('an unblock by the owner does not end a block by the issuer or by compliance', async () => {
    const { user, cardId } = await userWithCard()
    await act(user, cardId, 'block')
    for (const by of ['issuer', 'compliance']) {
      const answer = await service.sandbox('POST', `/cards/${cardId}/block`, { by })
      expect([answer.status, answer.body]).toEqual([200, { cardId, status: 'blocked' }])
    }
    expect((await read(user, cardId)).blockedBy.sort()).toEqual(['compliance', 'issuer', 'owner'])

    for (let times = 0; times < 2; times++) {
      const refused = await act(user, cardId, 'unblock')
      expect([refused.status, refused.text]).toEqual([403, '{"success":false,"error":"BLOCKED_BY_ISSUER"}'])
    }
    expect((await read(user, cardId)).blockedBy.sort()).toEqual(['compliance', 'issuer'])
    await service.sandbox('POST', `/cards/${cardId}/unblock`, { by: 'issuer' })
    expect((await read(user, cardId)).status).toBe('blocked')
    const last = await service.sandbox('POST', `/cards/${cardId}/unblock`, { by: 'compliance' })
    expect(last.body).toEqual({ cardId, status: 'active' })
    expect(await read(user, cardId)).toMatchObject({ status: 'active', blockedBy: [] })
  })

  test('a repeated unblock with an idempotency key gets the stored rejection', async () => {
    const { user, cardId } = await userWithCard()
    await service.sandbox('POST', `/cards/${cardId}/block`, { by: 'issuer' })
    const headers = { 'idempotency-key': randomUUID() }
    const unblock = () => service.request('POST', `/cards/${cardId}/unblock`, { token: user.token, headers })
    const first = await unblock()
    await service.sandbox('POST', `/cards/${cardId}/unblock`, { by: 'issuer' })
    const again = await unblock()
    expect([again.status, again.text]).toEqual([403, first.text])
  })

  test('twenty concurrent blocks and unblocks leave the card either active or blocked by its owner', async () => {
    const { user, cardId } = await userWithCard()
    const verbs = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? 'block' : 'unblock'))
    const answers = await Promise.all(verbs.map((verb) => act(user, cardId, verb)))
    for (const { status } of answers) expect(status).toBe(200)
    const { status, blockedBy } = await read(user, cardId)
    expect([
      { status: 'active', blockedBy: [] },
      { status: 'blocked', blockedBy: ['owner'] },
    ]).toContainEqual({
      status,
      blockedBy,
    })
  })

  test('an unblock accepts an empty body with the JSON content type', async () => {
    const { user, cardId } = await userWithCard()
    const answer = await service.request('POST', `/cards/${cardId}/unblock`, {
      token: user.token,
      headers: { 'content-type': 'application/json' },
    })
    expect(answer.status).toBe(200)
  })
})

describe('a card ends', () => {
  test('the cancellation of a card is permanent, and safe to repeat', async () => {
    const { user, cardId } = await userWithCard()
    for (let times = 0; times < 2; times++) {
      const answer = await act(user, cardId, 'cancel')
      expect([answer.status, answer.body]).toEqual([200, { success: true, cardId, status: 'canceled' }])
    }
    for (const verb of ['block', 'unblock']) {
      const refused = await act(user, cardId, verb)
      expect([refused.status, refused.body]).toEqual(plainError(422, 'INVALID_CARD_STATUS'))
    }
    expect((await read(user, cardId)).status).toBe('canceled')
  })

  test.each(['lost', 'stolen', 'expired'])(
    'a card that is %s can be neither changed nor reactivated',
    async (status) => {
      const { user, cardId } = await userWithCard()
      await act(user, cardId, 'block')
      const reported = await service.sandbox('POST', `/cards/${cardId}/status`, { status })
      expect([reported.status, reported.body]).toEqual([200, { cardId, status }])
      expect((await service.sandbox('POST', `/cards/${cardId}/status`, { status })).status).toBe(200)
      for (const verb of ['block', 'unblock', 'cancel']) {
        const refused = await act(user, cardId, verb)
        expect([refused.status, refused.body]).toEqual(plainError(422, 'INVALID_CARD_STATUS'))
      }
      const revived = await service.sandbox('POST', `/cards/${cardId}/status`, { status: 'active' })
      expect([revived.status, revived.body]).toEqual(plainError(422, 'INVALID_CARD_STATUS'))
      const blocked = await service.sandbox('POST', `/cards/${cardId}/block`, { by: 'issuer' })
      expect([blocked.status, blocked.body]).toEqual(plainError(422, 'INVALID_CARD_STATUS'))
      expect((await read(user, cardId)).status).toBe(status)
    },
  )

  test('the issuer can revoke and repeat an activation, but cannot end a block with it', async () => {
    const { user, cardId } = await userWithCard()
    const report = (status: string) => service.sandbox('POST', `/cards/${cardId}/status`, { status })
    expect((await report('provisioning')).status).toBe(200)
    expect((await act(user, cardId, 'unblock')).body.error).toBe('INVALID_CARD_STATUS')
    expect((await report('active')).status).toBe(200)
    await act(user, cardId, 'block')
    expect((await report('active')).status).toBe(422)
    expect((await read(user, cardId)).status).toBe('blocked')
  })
})

describe('a card is visible to its owners only', () => {
  test("a request for another user's card gets the same response as for an unknown card", async () => {
    const { cardId } = await userWithCard()
    const stranger = await service.newUser()
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/block'],
      ['POST', '/unblock'],
      ['POST', '/cancel'],
    ] as const) {
      const theirs = await service.request(method, `/cards/${cardId}${path}`, { token: stranger.token })
      const nobodys = await service.request(method, `/cards/${unknownId}${path}`, { token: stranger.token })
      expect([theirs.status, theirs.body]).toEqual(plainError(404, 'CARD_NOT_FOUND'))
      expect([theirs.status, theirs.text]).toEqual([nobodys.status, nobodys.text])
    }
    expect(await list(stranger)).toEqual([])
  })

  test('a card id must be a UUID, in upper or lower case', async () => {
    const { user, cardId } = await userWithCard()
    for (const [method, path] of [
      ['GET', '/cards/1'],
      ['POST', '/cards/1/block'],
      ['POST', '/cards/1/unblock'],
      ['POST', '/cards/1/cancel'],
      ['GET', `/cards/urn:uuid:${cardId}`],
      ['POST', `/cards/urn:uuid:${cardId}/unblock`],
    ] as const) {
      const answer = await service.request(method, path, { token: user.token })
      expect([answer.status, answer.body]).toEqual([400, validation])
    }
    const upper = await act(user, cardId.toUpperCase(), 'block')
    expect(upper.body).toEqual({ success: true, cardId, status: 'blocked' })
    expect((await service.request('GET', `/cards/${cardId.toUpperCase()}`, { token: user.token })).status).toBe(200)
  })

  test.each([
    ['a removed owner', 'delete from owner where user_id = $1'],
    ['a closed user', "update app_user set status = 'closed' where user_id = $1"],
  ])('a request of %s is rejected at once on the card routes', async (_who, change) => {
    const { user, cardId } = await userWithCard()
    await service.ctx.db.query(change, [user.userId])
    for (const [method, path, body] of [
      ['GET', '/cards', undefined],
      ['GET', `/cards/${cardId}`, undefined],
      ['GET', '/phone', undefined],
      ['POST', '/cards/virtual', { cardName: 'No' }],
      ['POST', `/cards/${cardId}/block`, undefined],
      ['POST', `/cards/${cardId}/unblock`, undefined],
      ['POST', `/cards/${cardId}/cancel`, undefined],
    ] as const) {
      const answer = await service.request(method, path, { token: user.token, body })
      expect([path, answer.status, answer.body]).toEqual([path, ...plainError(401, 'ACCESS_REVOKED')])
    }
  })

  test('the card routes reject an access token without a user', async () => {
    const token = await service.signIn(newWallet())
    for (const [method, path] of [
      ['GET', '/cards'],
      ['GET', `/cards/${unknownId}`],
      ['POST', '/cards/virtual'],
      ['POST', `/cards/${unknownId}/unblock`],
    ] as const) {
      const answer = await service.request(method, path, { token })
      expect([answer.status, answer.body]).toEqual(plainError(401, 'NOT_REGISTERED'))
      expect((await service.request(method, path)).body).toEqual({ success: false, error: 'UNAUTHORIZED' })
    }
  })
})

test('the sandbox rejects card operations with an unknown card, no password or an invalid body', async () => {
  const { cardId } = await userWithCard()
  for (const [path, body] of [
    ['block', { by: 'issuer' }],
    ['unblock', { by: 'issuer' }],
    ['status', { status: 'lost' }],
  ] as const) {
    const unknown = await service.sandbox('POST', `/cards/${unknownId}/${path}`, body)
    expect([unknown.status, unknown.body]).toEqual(plainError(404, 'CARD_NOT_FOUND'))
    const stranger = await service.request('POST', `/sandbox/cards/${cardId}/${path}`, { body })
    expect([stranger.status, stranger.body]).toEqual(plainError(401, 'SANDBOX_UNAUTHORIZED'))
    for (const bad of [{}, { by: 'owner', status: 'blocked' }]) {
      const answer = await service.sandbox('POST', `/cards/${cardId}/${path}`, bad)
      expect([answer.status, answer.body]).toEqual([400, validation])
    }
  }
})
