import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { plainError, startService, type TestService } from '../support/service.ts'
import { newCardholder, type Person } from '../support/world.ts'

let service: TestService
/** The card statuses that the issuer received, in order. */
const informed: string[] = []

beforeAll(async () => {
  service = await startService({
    worker: false,
    env: { CARD_LIMIT: '2', RATE_LIMITS: '' },
    alter: (ctx) => ({
      ...ctx,
      issuer: {
        ...ctx.issuer,
        setCardStatus: async (token, status) => {
          await ctx.issuer.setCardStatus(token, status)
          informed.push(status)
        },
      },
    }),
  })
})
afterAll(() => service.stop())

const report = (person: Person, body: object, headers?: Record<string, string>) =>
  person.ask('POST', `/cards/${person.cardId}/report`, body, headers)
const statusOf = async (person: Person, cardId = person.cardId) =>
  (await person.ask('GET', `/cards/${cardId}`)).body.status

describe.each([
  ['lost', 'BNP'],
  ['stolen', 'BNR'],
] as const)('a card that is reported %s', (reason, code) => {
  test(`a card that is reported ${reason} declines payments with the code ${code}, and clears and refunds earlier ones`, async () => {
    const alice = await newCardholder(service)
    await alice.send('authorization', '10.00')
    const reported = await report(alice, { reason })
    expect([reported.status, reported.body]).toEqual([
      200,
      { success: true, cardId: alice.cardId, status: reason, replacementCardId: null },
    ])
    const denied = await alice.send('authorization', '1.00', { authorization_code: 'AFTER1' })
    expect(denied.body.denial_code).toBe(code)
    expect((await alice.send('incremental', '1.00')).body.denial_code).toBe(code)
    await alice.send('clearing', '10.00')
    await alice.send('refund', '10.00')
    expect(await alice.money()).toMatchObject({ own: 100_00n, held: 0n })
  })

  test(`the issuer learns that a card is reported ${reason}, and the card stays ended`, async () => {
    const alice = await newCardholder(service)
    await service.jobs.runDue()
    informed.length = 0
    await report(alice, { reason })
    await service.jobs.runDue()
    expect(informed).toEqual([reason])
    for (const verb of ['block', 'unblock', 'cancel']) {
      expect((await alice.ask('POST', `/cards/${alice.cardId}/${verb}`)).status).toBe(422)
    }
    for (const body of [{ status: 'active' }, { status: 'expired' }]) {
      expect((await service.sandbox('POST', `/cards/${alice.cardId}/status`, body)).status).toBe(422)
    }
    const other = reason === 'lost' ? 'stolen' : 'lost'
    const again = await report(alice, { reason: other })
    expect([again.status, again.body]).toEqual(plainError(422, 'INVALID_CARD_STATUS'))
    expect(await statusOf(alice)).toBe(reason)
  })
})

describe('a replacement', () => {
  test('a replacement has the name and limits of the card, and is active once the issuer has created it', async () => {
    const alice = await newCardholder(service)
    await alice.ask('PATCH', `/cards/${alice.cardId}`, { cardName: 'Travel' })
    await alice.ask('PUT', `/cards/${alice.cardId}/limits`, { perTransaction: '500', daily: null })
    const { replacementCardId } = (await report(alice, { reason: 'lost', replacement: true })).body
    expect(await statusOf(alice, replacementCardId)).toBe('provisioning')
    await service.jobs.runDue()
    expect((await alice.ask('GET', `/cards/${replacementCardId}`)).body).toMatchObject({
      cardName: 'Travel',
      status: 'active',
    })
    const pay = (amount: string) => alice.send('authorization', amount, { card_id: replacementCardId })
    expect((await pay('5.01')).body.denial_code).toBe('LIM')
  })

  test('a replacement is created once, however often the card is reported', async () => {
    const alice = await newCardholder(service)
    const ask = () => report(alice, { reason: 'stolen', replacement: true })
    const made = await Promise.all([ask(), ask(), ask()])
    expect(new Set(made.map(({ body }) => body.replacementCardId)).size).toBe(1)
    expect((await report(alice, { reason: 'stolen' })).body.replacementCardId).toBe(made[0]?.body.replacementCardId)
    expect((await alice.ask('GET', '/cards')).body.data).toHaveLength(2)
  })

  test('a user who may not create a card gets no replacement, and the report still counts', async () => {
    const alice = await newCardholder(service)
    await service.sandbox('PATCH', `/users/${alice.userId}`, { kyc: 'pending' })
    const reported = await report(alice, { reason: 'lost', replacement: true })
    expect([reported.status, reported.body.replacementCardId]).toEqual([200, null])
    expect(await statusOf(alice)).toBe('lost')
    await service.sandbox('PATCH', `/users/${alice.userId}`, { kyc: 'approved' })
    expect((await report(alice, { reason: 'lost', replacement: true })).body.replacementCardId).not.toBeNull()
  })

  test('a replacement is created even if the issuer is unreachable at first', async () => {
    const alice = await newCardholder(service)
    const { replacementCardId } = (await report(alice, { reason: 'lost', replacement: true })).body
    service.controls().issuer.failNext(5)
    await service.jobs.runDue()
    service.controls().issuer.failNext(0)
    await service.advance(7200)
    expect(await statusOf(alice, replacementCardId)).toBe('active')
  })
})

test('a repeated report with an idempotency key gets the stored response', async () => {
  const alice = await newCardholder(service)
  const key = { 'idempotency-key': 'report-1' }
  const first = await report(alice, { reason: 'lost', replacement: true }, key)
  expect((await report(alice, { reason: 'lost', replacement: true }, key)).text).toBe(first.text)
  const other = await report(alice, { reason: 'stolen' }, key)
  expect([other.status, other.body]).toEqual(plainError(422, 'IDEMPOTENCY_KEY_REUSED'))
})

test('a card that compliance has blocked can be reported, and cannot be unblocked afterwards', async () => {
  const alice = await newCardholder(service)
  await service.sandbox('POST', `/cards/${alice.cardId}/block`, { by: 'compliance' })
  expect((await report(alice, { reason: 'stolen' })).status).toBe(200)
  expect((await service.sandbox('POST', `/cards/${alice.cardId}/unblock`, { by: 'compliance' })).status).toBe(422)
})

test('an ended card cannot be reported, and a report needs a known reason', async () => {
  const alice = await newCardholder(service)
  for (const body of [{}, { reason: 'eaten' }, { reason: 'lost', replacement: 'yes' }, []]) {
    expect((await report(alice, body)).status).toBe(400)
  }
  await alice.ask('POST', `/cards/${alice.cardId}/cancel`)
  expect((await report(alice, { reason: 'lost' })).body.error).toBe('INVALID_CARD_STATUS')
})
