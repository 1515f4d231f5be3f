import { afterAll, describe, expect, test } from 'vitest'
import { readWholeHistory } from '../../src/card-history/card-history.ts'
import { publishOutbox } from '../../src/webhooks/publish-outbox.ts'
import { plainError } from '../support/service.ts'
import { webhookStories } from '../support/webhook-story.ts'
import { type Person, useWorld } from '../support/world.ts'

const { service, cardholder } = useWorld({ worker: false })
const stories = webhookStories(() => service)
afterAll(() => stories.closeReceivers())

const unknownId = '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a'

const own = (person: Person, id: string) => person.ask('GET', `/user/card-transactions/${id}`)
const whole = (id: string) => service.sandbox('GET', `/card-transactions/${id}`)

/** Returns the messages as lines: `clearing 1200 approved: 1000/0 → 0/1200`. */
async function linesOf(person: Person, id: string): Promise<string[]> {
  const { body } = await own(person, id)
  return body.messages.map(
    ({ type, amount, outcome, declineReason, before, after }: any) =>
      `${type} ${amount} ${declineReason?.code ?? outcome}: ${before.held}/${before.settled} → ${after.held}/${after.settled}`,
  )
}

describe('the history of a card transaction', () => {
  test('the history of a card transaction shows each message with its decision and the amounts before and after it', async () => {
    const alice = await cardholder(20)
    await alice.send('authorization', '10.00')
    await alice.send('incremental', '99.00')
    await alice.send('clearing', '4.00', { final: false })
    await alice.send('clearing', '8.00')
    const [payment] = await alice.cardRows()
    expect(await linesOf(alice, payment.id)).toEqual([
      'authorization 1000 approved: 0/0 → 1000/0',
      'incremental 9900 810: 1000/0 → 1000/0',
      'clearing 400 approved: 1000/0 → 600/400',
      'clearing 800 approved: 600/400 → 0/1200',
    ])
    expect((await own(alice, payment.id)).body.transaction).toEqual(payment)
  })

  test('a decline and the payment that follows it under the same code have separate histories', async () => {
    const alice = await cardholder(5)
    await alice.send('authorization', '50.00')
    await alice.send('clearing', '50.00')
    const [declined, forced] = await alice.cardRows()
    expect(await linesOf(alice, declined.id)).toEqual(['authorization 5000 810: 0/0 → 0/0'])
    expect(await linesOf(alice, forced.id)).toEqual(['clearing 5000 approved: 0/0 → 0/5000'])
  })

  test('the history of a refund begins with the refund, and its payment keeps its own messages', async () => {
    const alice = await cardholder(20)
    await alice.send('authorization', '10.00')
    await alice.send('clearing', '10.00')
    await alice.send('refund', '3.00')
    const [payment, refund] = await alice.cardRows()
    expect(await linesOf(alice, refund.id)).toEqual(['refund 300 approved: 0/0 → 0/300'])
    expect(await linesOf(alice, payment.id)).toHaveLength(2)
  })

  test('the history of a card transaction shows a reversal that arrived before its authorization as deferred', async () => {
    const alice = await cardholder(20)
    await alice.send('reversal', '4.00')
    await alice.send('authorization', '10.00')
    const [payment] = await alice.cardRows()
    expect(await linesOf(alice, payment.id)).toEqual([
      'reversal 400 deferred: 0/0 → 0/0',
      'authorization 1000 approved: 0/0 → 600/0',
    ])
  })

  test('the history of a card transaction includes the end of an expired hold', async () => {
    const alice = await cardholder(20)
    await alice.send('authorization', '10.00')
    await service.advance(8 * 86_400)
    const [payment] = await alice.cardRows()
    expect(await linesOf(alice, payment.id)).toEqual([
      'authorization 1000 approved: 0/0 → 1000/0',
      'expiry null approved: 1000/0 → 0/0',
    ])
  })

  test('the history of a card transaction ends at the booked amounts, and its postings move exactly those', async () => {
    const alice = await cardholder(100)
    const messages = [
      ['authorization', '30.00'],
      ['incremental', '5.00'],
      ['reversal', '2.50'],
      ['clearing', '20.00', { final: false }],
      ['clearing', '25.00'],
    ] as const
    for (const [type, amount, more] of messages) await alice.send(type, amount, more)
    const [payment] = await alice.cardRows()
    const { body } = await whole(payment.id)
    expect(body.messages.at(-1).after).toEqual({ held: '0', settled: '4500' })
    const moved = (account: string) =>
      body.movements
        .flatMap(({ postings }: any) => postings)
        .map(({ from, to, amount }: any) => (to === account ? BigInt(amount) : from === account ? -BigInt(amount) : 0n))
        .reduce((total: bigint, amount: bigint) => total + amount, 0n)
    expect([moved('held'), moved('network')]).toEqual([0n, 45n * 10n ** 18n])
    expect(body.movements.map(({ kind }: any) => kind)).toEqual([
      'card_authorization',
      'card_authorization',
      'card_reversal',
      'card_clearing',
      'card_clearing',
    ])
  })

  test('the whole history of a card transaction names the events published to the partner, which the owner does not see', async () => {
    const { partner, newUser } = await stories.newStory()
    const user = await newUser()
    await service.deposit(user, 10n ** 20n)
    const made = await service.request('POST', '/cards/virtual', {
      token: user.token,
      body: { cardName: 'Everyday', phone: '+4915112345678' },
    })
    // The process that wrote the last event has a clock that is ahead. All later events then have a time after it.
    // A cluster updates a column only with functions that never depend on a setting such as the time zone.
    const later = `(created_at at time zone 'UTC' + interval '1 minute') at time zone 'UTC'`
    await service.ctx.db.query(`update event set created_at = ${later} where user_id = $1`, [user.userId])
    const message = { card_id: made.body.cardId, currency: 'EUR', authorization_code: 'STORY1' }
    await service.sandbox('POST', '/transactions', { ...message, transaction_type: 'authorization', amount: '10.00' })
    await service.sandbox('POST', '/transactions', { ...message, transaction_type: 'clearing', amount: '10.00' })
    await service.advance(120)
    await publishOutbox(service.as('worker'))
    const statement = await service.request('GET', '/user/statement', { token: user.token })
    const [payment] = statement.body.data
    const { body } = await whole(payment.id)
    expect(body.events.map(({ type }: any) => type)).toEqual(['card.transaction.pending', 'card.transaction.settled'])
    const logged = await partner.ask('GET', '/events')
    expect(logged.body.data.map(({ id }: any) => id)).toEqual(expect.arrayContaining(body.events.map((e: any) => e.id)))
    expect(body.messages[0]).toMatchObject({ source: 'sandbox', messageId: expect.any(String) })
    for (const { id, deliveries } of body.events)
      expect(deliveries).toEqual((await partner.ask('GET', `/events/${id}`)).body.deliveries)

    const owned = await service.request('GET', `/user/card-transactions/${payment.id}`, { token: user.token })
    expect(Object.keys(owned.body)).toEqual(['transaction', 'messages'])
    expect(owned.text).not.toMatch(/eventId|messageId|source|evt_/)
    const forOperators = await readWholeHistory(service.as('operator'), user.userId, payment.id)
    expect(forOperators.steps).toHaveLength(body.messages.length)
  })
})

test("another user's card transaction gets the same response as a missing one", async () => {
  const [alice, bob] = [await cardholder(20), await cardholder(20)]
  await alice.send('authorization', '10.00')
  const [payment] = await alice.cardRows()
  const missing = await own(bob, unknownId)
  expect([missing.status, missing.body]).toEqual(plainError(404, 'CARD_TRANSACTION_NOT_FOUND'))
  expect((await own(bob, payment.id)).text).toBe(missing.text)
  expect((await own(alice, payment.id.toUpperCase())).status).toBe(200)
  expect((await own(alice, 'x')).status).toBe(400)
  expect((await whole(unknownId)).status).toBe(404)
  expect((await whole("1' or '1'='1")).status).toBe(400)
  expect((await service.request('GET', `/user/card-transactions/${payment.id}`)).status).toBe(401)
  expect((await service.request('GET', `/sandbox/card-transactions/${payment.id}`)).status).toBe(401)
})
