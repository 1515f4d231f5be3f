import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { listReviews } from '../../src/cards/transactions/reviews.ts'
import { messagePaths, sendMessage } from '../support/vendors/issuer.ts'
import { type Person, useWorld } from '../support/world.ts'

/**
 * Clearing cancellations and refund reversals that exceed their original are deferred until later messages cover them.
 * A reversal of a single message is deferred for good.
 */
const { service, world } = useWorld({ worker: false })

const summaryOf = ({ kind, status, amount, isCredit }: any) => `${kind} ${status} ${amount}${isCredit ? ' credit' : ''}`

async function story(quantity = 100) {
  const { alice } = await world({ eur: quantity, card: true })
  return {
    holder: alice,
    async tell(type: string, amount: string, more: object = {}) {
      const message = { type, cardId: alice.cardId, authorizationCode: 'STORY1', amount, currency: 'EUR', ...more }
      const answer = await sendMessage(service, messagePaths[type] ?? '', message)
      expect([answer.status, answer.body.outcome], `${type}: ${answer.text}`).toEqual([200, 'approved'])
      await alice.assertBooks()
      return answer
    },
  }
}

async function waiting(user: Person): Promise<string[]> {
  const rows = await service.ctx.db.query<{ type: string; amount: bigint }>(
    `select type, amount_minor as amount from card_message where user_id = $1 and deferred_message is not null
     order by created_at, card_message_id`,
    [user.userId],
  )
  return rows.map(({ type, amount }) => `${type} ${amount}`)
}

async function openReviews(user: Person): Promise<string[]> {
  const reviews = await listReviews(service.ctx)
  return reviews.filter(({ userId }) => userId === user.userId).map(({ kind, status }) => `${kind} ${status}`)
}

async function deferredSoFar(): Promise<number> {
  const text = await service.ctx.metrics.registry.metrics()
  return Number(/purser_card_alarms_total\{reason="deferred_message"\} (\d+)/.exec(text)?.[1] ?? 0)
}

test('a cancellation before its clearing is deferred with an alarm, and posted once the clearing arrives', async () => {
  const { holder, tell } = await story()
  const alarms = await deferredSoFar()
  const early = await tell('clearing_cancellation', '1000', {
    eventId: 'early-cancellation',
    entryMode: 'chip',
    merchant: { name: 'Refund Desk', categoryCode: '5411' },
  })
  expect(await deferredSoFar()).toBe(alarms + 1)
  expect(await holder.cardRows()).toEqual([])
  expect(await holder.money()).toEqual({ own: 10_000n, held: 0n, network: 0n })

  await tell('authorization', '1000', { merchant: { name: 'Corner Shop', city: 'Berlin', country: 'DE' } })
  expect((await holder.cardRows()).map(summaryOf)).toEqual(['Payment pending 1000'])
  await tell('clearing', '1000')
  const [payment, reversal] = await holder.cardRows()
  expect(await holder.money()).toEqual({ own: 10_000n, held: 0n, network: 0n })
  expect(payment).toMatchObject({ kind: 'Payment', status: 'settled', amount: '1000' })
  expect(reversal).toMatchObject({
    kind: 'Reversal',
    status: 'settled',
    isCredit: true,
    isPending: false,
    amount: '1000',
    originalAmount: '1000',
    entryMode: 'chip',
    mcc: '5411',
    merchant: { name: 'Refund Desk', city: 'Berlin', country: 'DE' },
    authorizationId: early.body.authorizationId,
    authorizationCode: 'STORY1',
    clearedAt: reversal.createdAt,
  })
  expect(payment.authorizationId).not.toBe(early.body.authorizationId)
  expect(await waiting(holder)).toEqual([])
  // A repetition gets the same bytes and makes no second card transaction.
  const again = await tell('clearing_cancellation', '1000', {
    eventId: 'early-cancellation',
    entryMode: 'chip',
    merchant: { name: 'Refund Desk', categoryCode: '5411' },
  })
  expect(again.text).toBe(early.text)
  expect(await holder.cardRows()).toHaveLength(2)
})

test('a cancellation above the cleared amount waits for further clearings, and a smaller one is posted at once', async () => {
  const { holder, tell } = await story()
  await tell('authorization', '3000')
  await tell('clearing', '1000', { isFinal: false })
  await tell('clearing_cancellation', '1500')
  expect(await holder.money()).toEqual({ own: 7000n, held: 2000n, network: 1000n })
  await tell('clearing_cancellation', '400')
  await tell('clearing', '800', { isFinal: false })
  expect((await holder.cardRows()).map(summaryOf)).toEqual(['Payment pending 3000', 'Reversal settled 400 credit'])
  expect(await waiting(holder)).toEqual(['clearing_cancellation 1500'])
  await tell('clearing', '100', { isFinal: false })
  expect((await holder.cardRows()).map(summaryOf)).toEqual([
    'Payment pending 3000',
    'Reversal settled 400 credit',
    'Reversal settled 1500 credit',
  ])
  expect(await holder.money()).toEqual({ own: 8900n, held: 1100n, network: 0n })
  // All clearings are canceled. One more cent exceeds them.
  await tell('clearing_cancellation', '1')
  expect(await waiting(holder)).toEqual(['clearing_cancellation 1'])
})

test('a clearing posts each deferred cancellation that it covers, in any order, even one of zero', async () => {
  const { holder, tell } = await story()
  await tell('clearing_cancellation', '1500')
  await tell('clearing_cancellation', '400')
  await tell('clearing_cancellation', '0')
  expect(await holder.cardRows()).toEqual([])
  await tell('clearing', '500')
  expect((await holder.cardRows()).map(summaryOf).toSorted()).toEqual([
    'Payment settled 500',
    'Reversal settled 0 credit',
    'Reversal settled 400 credit',
  ])
  expect(await waiting(holder)).toEqual(['clearing_cancellation 1500'])
})

test('a refund reversal waits until refunds cover it, and then takes spent funds as debt', async () => {
  const { holder, tell } = await story(0)
  await tell('refund_reversal', '700')
  await tell('refund', '500')
  expect((await holder.cardRows()).map(summaryOf)).toEqual(['Refund settled 500 credit'])
  expect(await waiting(holder)).toEqual(['refund_reversal 700'])
  await tell('authorization', '500', { authorizationCode: 'OTHER1' })
  await tell('refund', '200')
  expect((await holder.cardRows()).map(summaryOf)).toEqual([
    'Refund settled 500 credit',
    'Payment pending 500',
    'Refund settled 200 credit',
    'Reversal settled 700',
  ])
  expect(await holder.money()).toEqual({ own: -500n, held: 500n, network: 0n })
})

test('the network transaction id links a deferred cancellation, which counts with its billing amount', async () => {
  const { holder, tell } = await story()
  const named = { authorizationCode: undefined, networkTransactionId: `net-${randomUUID()}` }
  const dollars = { ...named, currency: 'USD', billingCurrency: 'EUR' }
  await tell('clearing_cancellation', '2000', { ...dollars, billingAmount: '1800' })
  await tell('clearing', '2000', { ...dollars, billingAmount: '1799' })
  expect(await waiting(holder)).toEqual(['clearing_cancellation 1800'])
  await tell('clearing', '1', named)
  expect(await holder.cardRows()).toMatchObject([
    { kind: 'Payment', amount: '1800' },
    { kind: 'Reversal', amount: '1800', originalAmount: '2000', originalCurrency: 'USD' },
  ])
  expect(await holder.money()).toEqual({ own: 10_000n, held: 0n, network: 0n })
})

test('the simulator rejects a cancellation or refund reversal above its original, and defers nothing', async () => {
  const { holder } = await story()
  expect((await holder.try('clearing_cancellation', '1.00')).body.error).toBe('AUTHORIZATION_NOT_FOUND')
  await holder.send('clearing', '1.00')
  await holder.send('refund', '1.00')
  for (const type of ['clearing_cancellation', 'refund_reversal']) {
    const reply = await holder.try(type, '1.01')
    expect([reply.status, reply.body.error]).toEqual([422, 'AMOUNT_EXCEEDS_ORIGINAL'])
  }
  expect(await waiting(holder)).toEqual([])
})

const whole = { amount: undefined, currency: undefined }

test.each<[string, (readonly [string, object?])[]]>([
  ['with an amount and after that message', [['single_message'], ['reversal']]],
  ['with an amount and before that message', [['reversal'], ['single_message']]],
  ['without an amount and after that message', [['single_message'], ['reversal', whole]]],
  ['without an amount and before that message', [['reversal', whole], ['single_message']]],
])(
  'a reversal of a single message, %s, waits with a review, and only a cancellation gives the money back',
  async (_case, messages) => {
    const { holder, tell } = await story()
    const alarms = await deferredSoFar()
    for (const [type, more] of messages) await tell(type, '4000', more)
    expect(await holder.money()).toEqual({ own: 6000n, held: 0n, network: 4000n })
    expect(await deferredSoFar()).toBe(alarms + 1)
    expect(await openReviews(holder)).toEqual(['reversal deferred'])

    await tell('clearing_cancellation', '4000')
    expect(await holder.money()).toEqual({ own: 10_000n, held: 0n, network: 0n })
    expect((await holder.cardRows()).map(summaryOf)).toEqual(['Payment settled 4000', 'Reversal settled 4000 credit'])
  },
)

test('an early increment waits until its single message arrives, and an early reversal of that message still waits afterwards', async () => {
  const { holder, tell } = await story()
  await tell('incremental', '500')
  await tell('reversal', '300')
  expect(await openReviews(holder)).toEqual(['reversal deferred', 'incremental deferred'])
  await tell('single_message', '4000')
  expect(await waiting(holder)).toEqual(['reversal 300'])
  expect(await openReviews(holder)).toEqual(['reversal deferred'])
  expect(await holder.money()).toEqual({ own: 6000n, held: 0n, network: 4000n })
})
