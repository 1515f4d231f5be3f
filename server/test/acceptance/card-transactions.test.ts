import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, connect, newName, type User } from './client.ts'
import { type Money, money, units } from './money.ts'

let client: Client
let bank: Money
beforeAll(async () => {
  client = await connect()
  bank = await money(client)
})
afterAll(() => client.stop())

async function cardholder(quantity = '100'): Promise<{ user: User; cardId: string }> {
  const user = await client.newUser()
  const cardId = await bank.newCard(user)
  if (quantity !== '0') await bank.deposit(user, units(quantity))
  return { user, cardId }
}

const cardRows = async (user: User) =>
  (await bank.statement(user)).filter(({ type }) => type === 'card_transaction').reverse()
const spendable = async (user: User) => (await bank.balance(user)).spendable

type Message = [type: string, amount?: string | undefined, more?: Record<string, unknown>]
type Row = { kind: string; status: string; amount: string; cleared: boolean }

const code = { authorization_code: 'STORY1' }
const unlinked = { authorization_code: undefined }
const row = (kind: string, status: string, amount: string, cleared: boolean): Row => ({ kind, status, amount, cleared })
const payment = (status: string, amount: string, cleared = false) => row('Payment', status, amount, cleared)

/** 100.00 EUR, then the messages in order (each with the same code), then the rows in order and what is left. */
const stories: [string, Message[], Row[], left: string][] = [
  ['an approved authorization holds', [['authorization', '10.00']], [payment('pending', '1000')], '90'],
  [
    'a partial approval holds what there is',
    [['authorization', '150.00', { partial_allowed: true }]],
    [payment('pending', '10000')],
    '0',
  ],
  ['a zero-amount check holds nothing', [['authorization', '0.00']], [payment('pending', '0')], '100'],
  [
    'a zero-amount check ends with its expiry',
    [['authorization', '0.00'], ['expiry']],
    [payment('cancelled', '0')],
    '100',
  ],
  [
    'an increment adds to the hold',
    [
      ['authorization', '10.00'],
      ['incremental', '5.00'],
    ],
    [payment('pending', '1500')],
    '85',
  ],
  [
    'an increment that does not fit changes nothing',
    [
      ['authorization', '10.00'],
      ['incremental', '95.00'],
    ],
    [payment('pending', '1000')],
    '90',
  ],
  [
    'a replacement sets the new total, up',
    [
      ['authorization', '10.00'],
      ['replacement', undefined, { replacement_amount: '30.00' }],
    ],
    [payment('pending', '3000')],
    '70',
  ],
  [
    'a replacement sets the new total, down',
    [
      ['authorization', '10.00'],
      ['replacement', undefined, { replacement_amount: '4.00' }],
    ],
    [payment('pending', '400')],
    '96',
  ],
  ['an advice holds what the network approved', [['advice', '20.00', unlinked]], [payment('pending', '2000')], '80'],
  ['an advice above the balance leaves a debt', [['advice', '120.00', unlinked]], [payment('pending', '12000')], '0'],
  [
    'a partial reversal gives part of the hold back',
    [
      ['authorization', '10.00'],
      ['reversal', '4.00'],
    ],
    [payment('pending', '600')],
    '94',
  ],
  [
    'a reversal without an amount gives back all that is held',
    [
      ['authorization', '10.00'],
      ['reversal', undefined, { amount: undefined }],
    ],
    [payment('cancelled', '1000')],
    '100',
  ],
  [
    'a full reversal cancels',
    [
      ['authorization', '10.00'],
      ['reversal', '10.00'],
    ],
    [payment('cancelled', '1000')],
    '100',
  ],
  [
    'a clearing of the hold settles',
    [
      ['authorization', '10.00'],
      ['clearing', '10.00'],
    ],
    [payment('settled', '1000', true)],
    '90',
  ],
  [
    'a smaller final clearing frees the rest',
    [
      ['authorization', '10.00'],
      ['clearing', '7.00'],
    ],
    [payment('settled', '700', true)],
    '93',
  ],
  [
    'a clearing with more to come keeps the rest held',
    [
      ['authorization', '10.00'],
      ['clearing', '7.00', { final: false }],
    ],
    [payment('pending', '1000', true)],
    '90',
  ],
  [
    'the last of several clearings settles',
    [
      ['authorization', '10.00'],
      ['clearing', '7.00', { final: false }],
      ['clearing', '2.00'],
    ],
    [payment('settled', '900', true)],
    '91',
  ],
  [
    'a clearing with more to come that uses the hold up settles',
    [
      ['authorization', '10.00'],
      ['clearing', '10.00', { final: false }],
    ],
    [payment('settled', '1000', true)],
    '90',
  ],
  [
    'a tip is paid from the balance',
    [
      ['authorization', '10.00'],
      ['clearing', '12.00'],
    ],
    [payment('settled', '1200', true)],
    '88',
  ],
  [
    'a clearing above everything leaves a debt',
    [
      ['authorization', '10.00'],
      ['clearing', '130.00'],
    ],
    [payment('settled', '13000', true)],
    '0',
  ],
  ['an expiry cancels', [['authorization', '10.00'], ['expiry']], [payment('cancelled', '1000')], '100'],
  [
    'an expiry after a partial clearing settles what was cleared',
    [['authorization', '10.00'], ['clearing', '7.00', { final: false }], ['expiry']],
    [payment('settled', '700', true)],
    '93',
  ],
  [
    'a clearing after the expiry settles all the same',
    [['authorization', '10.00'], ['expiry'], ['clearing', '10.00']],
    [payment('settled', '1000', true)],
    '90',
  ],
  [
    'a clearing after a full reversal settles all the same',
    [
      ['authorization', '10.00'],
      ['reversal', '10.00'],
      ['clearing', '10.00'],
    ],
    [payment('settled', '1000', true)],
    '90',
  ],
  ['a clearing that nobody announced is forced', [['clearing', '25.00']], [payment('settled', '2500', true)], '75'],
  [
    'a forced clearing above the balance leaves a debt',
    [['clearing', '125.00']],
    [payment('settled', '12500', true)],
    '0',
  ],
  ['a single message pays at once', [['single_message', '40.00', unlinked]], [payment('settled', '4000', true)], '60'],
  [
    'a declined authorization stays declined; its clearing is a row of its own',
    [
      ['authorization', '150.00'],
      ['clearing', '20.00'],
    ],
    [payment('declined', '15000'), payment('settled', '2000', true)],
    '80',
  ],
  [
    'a refund is a row of its own',
    [
      ['authorization', '10.00'],
      ['clearing', '10.00'],
      ['refund', '6.00'],
    ],
    [payment('settled', '1000', true), row('Refund', 'settled', '600', true)],
    '96',
  ],
  [
    'a refund without a payment is a row too',
    [['refund', '6.00', unlinked]],
    [row('Refund', 'settled', '600', true)],
    '106',
  ],
  [
    'a reversed refund is a row of its own',
    [
      ['authorization', '10.00'],
      ['clearing', '10.00'],
      ['refund', '6.00'],
      ['refund_reversal', '6.00'],
    ],
    [payment('settled', '1000', true), row('Refund', 'settled', '600', true), row('Reversal', 'settled', '600', true)],
    '90',
  ],
  [
    'a cleared payment that the network takes back is a credit of its own',
    [
      ['authorization', '10.00'],
      ['clearing', '10.00'],
      ['clearing_cancellation', '10.00'],
    ],
    [payment('settled', '1000', true), row('Reversal', 'settled', '1000', true)],
    '100',
  ],
]

describe('the statement row of every card message', () => {
  test.concurrent.each(stories)('%s', async (_title, messages, rows, left) => {
    const { user, cardId } = await cardholder()
    for (const [type, amount, more] of messages) {
      const answer = await bank.card(cardId, type, { ...code, ...(amount === undefined ? {} : { amount }), ...more })
      expect(answer).toMatchObject({ status: 200 })
    }
    const shown = await cardRows(user)
    const seen = shown.map(({ kind, status, amount, clearedAt }) => row(kind, status, amount, clearedAt !== null))
    expect(seen).toEqual(rows)
    for (const item of shown) expect(item).toMatchObject({ cardId, currency: 'EUR', decimals: 2 })
    expect(await spendable(user)).toBe(String(units(left)))
    await bank.assertBooks(user)
  })
})

test('refunds and taken-back payments are credits; payments and reversed refunds are not', async () => {
  const { user, cardId } = await cardholder()
  for (const type of ['authorization', 'clearing', 'refund', 'refund_reversal', 'clearing_cancellation']) {
    expect((await bank.card(cardId, type, code)).status, type).toBe(200)
  }
  const rows = await cardRows(user)
  expect(rows.map(({ isCredit }) => isCredit)).toEqual([false, true, false, true])
  expect(new Set(rows.map(({ authorizationCode }) => authorizationCode))).toEqual(new Set(['STORY1']))
  expect(new Set(rows.map(({ authorizationId }) => authorizationId)).size).toBe(4)
})

test('an answer names the authorization as the statement does', async () => {
  const { user, cardId } = await cardholder()
  const { body } = await bank.card(cardId, 'authorization', { merchant_name: '  Corner Shop ' })
  expect(body).toEqual({
    status: 'approved',
    authorization_code: expect.stringMatching(/^[A-Z0-9]{6}$/i),
    authorization_id: expect.any(Number),
  })
  const [item] = await cardRows(user)
  expect(item).toMatchObject({ authorizationCode: body.authorization_code, authorizationId: body.authorization_id })
  expect(item.merchant).toMatchObject({ name: 'Corner Shop', country: 'DE', categoryCode: '5999' })
  expect(item).toMatchObject({ originalAmount: '1000', originalCurrency: 'EUR', originalDecimals: 2 })
  expect(item.billing).toMatchObject({ billingAmount: '1000', billingCurrency: { code: 'EUR', decimals: 2 } })
})

test('a partial approval says how much', async () => {
  const { cardId } = await cardholder()
  const { body } = await bank.card(cardId, 'authorization', { amount: '150.00', partial_allowed: true })
  expect(body).toMatchObject({ status: 'approved', approved_amount: '100.00' })
})

describe('a purchase is declined with its reason', () => {
  const reasons: [string, string, string, (user: User, cardId: string) => Promise<unknown>][] = [
    ['810', 'Insufficient balance', 'nothing to spend', async () => {}],
    ['UBT', 'Card is blocked', 'a blocked card', (_user, cardId) => sandboxCard(cardId, 'block', { by: 'issuer' })],
    [
      'FRB',
      'Card not activated',
      'a new card',
      (_user, cardId) => sandboxCard(cardId, 'status', { status: 'provisioning' }),
    ],
    [
      'BND',
      'Card is cancelled',
      'a cancelled card',
      ({ token }, cardId) => client.request('POST', `/cards/${cardId}/cancel`, { token }),
    ],
    ['BNP', 'Card reported lost', 'a lost card', (_user, cardId) => sandboxCard(cardId, 'status', { status: 'lost' })],
    [
      'BNR',
      'Card reported stolen',
      'a stolen card',
      (_user, cardId) => sandboxCard(cardId, 'status', { status: 'stolen' }),
    ],
    ['VNM', 'Card expired', 'an expired card', (_user, cardId) => sandboxCard(cardId, 'status', { status: 'expired' })],
    ['CND', 'Account blocked', 'a blocked account', ({ userId }) => patch(userId, { accountStatus: 'blocked' })],
    ['CNC', 'Account cancelled', 'a closed account', ({ userId }) => patch(userId, { accountStatus: 'closed' })],
  ]
  const sandboxCard = (cardId: string, path: string, body: object) =>
    client.sandbox('POST', `/cards/${cardId}/${path}`, body)
  const patch = (userId: string, body: object) => client.sandbox('PATCH', `/users/${userId}`, body)

  test.each(reasons)('%s %s: %s', async (denial_code, message, _what, prepare) => {
    const { user, cardId } = await cardholder('0')
    await prepare(user, cardId)
    const { status, body } = await bank.card(cardId, 'authorization')
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'denied', denial_code, denial_reason: expect.any(String) })
    const [item] = await cardRows(user)
    expect(item).toMatchObject({
      status: 'declined',
      amount: '1000',
      kind: 'Payment',
      isPending: false,
      clearedAt: null,
    })
    expect(item.declineReason.code).toBe(denial_code)
    expect(item.declineReason.message).toBe(message)
    await bank.assertBooks(user)
  })

  test('FR7: of a card that nobody knows there is no row; other messages for it are 404', async () => {
    const { body } = await bank.card(randomUUID(), 'authorization')
    expect(body).toMatchObject({ status: 'denied', denial_code: 'FR7' })
    for (const type of ['clearing', 'reversal', 'refund', 'incremental', 'expiry']) {
      expect((await bank.card(randomUUID(), type, code)).status, type).toBe(404)
    }
  })
})

test('messages for a code that nobody saw: some are kept, some forced, the rest 404', async () => {
  const { user, cardId } = await cardholder()
  for (const type of ['replacement', 'expiry', 'refund_reversal', 'clearing_cancellation']) {
    const more = type === 'replacement' ? { replacement_amount: '5.00' } : {}
    const { status, body } = await bank.card(cardId, type, { authorization_code: 'NOBODY', ...more })
    expect([status, body.error], type).toEqual([404, 'AUTHORIZATION_NOT_FOUND'])
  }
  for (const type of ['reversal', 'incremental']) {
    expect((await bank.card(cardId, type, { authorization_code: 'EARLY1', amount: '2.00' })).body.status).toBe(
      'approved',
    )
  }
  expect(await cardRows(user)).toEqual([])
  await bank.card(cardId, 'authorization', { authorization_code: 'EARLY1' })
  expect(await cardRows(user)).toMatchObject([{ status: 'pending', amount: '1000' }])
  await bank.assertBooks(user)
})

test('a code in use cannot be authorized again', async () => {
  const { cardId } = await cardholder()
  await bank.card(cardId, 'authorization', code)
  const again = await bank.card(cardId, 'authorization', code)
  expect([again.status, again.body.error]).toEqual([409, 'AUTHORIZATION_CODE_USED'])
})

test('no more comes back than was paid', async () => {
  const { user, cardId } = await cardholder()
  for (const type of ['authorization', 'clearing', 'refund']) await bank.card(cardId, type, code)
  for (const type of ['clearing_cancellation', 'refund_reversal']) {
    const { status, body } = await bank.card(cardId, type, { ...code, amount: '10.01' })
    expect([status, body.error]).toEqual([422, 'AMOUNT_EXCEEDS_ORIGINAL'])
  }
  await bank.assertBooks(user)
})

test('whatever the order of authorization, clearing and reversal, the money ends up the same', async () => {
  const messages = [
    ['authorization', '20.00'],
    ['clearing', '12.00'],
    ['reversal', '5.00'],
  ] as const
  const orders = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ]
  const ends = await Promise.all(
    orders.map(async (order) => {
      const { user, cardId } = await cardholder()
      for (const i of order) {
        const [type, amount] = messages[i as 0 | 1 | 2]
        expect((await bank.card(cardId, type, { ...code, amount })).status).toBe(200)
      }
      await bank.assertBooks(user)
      return spendable(user)
    }),
  )
  expect(ends).toEqual(Array(6).fill(String(units('88'))))
})

test('a message that arrives twice is answered byte for byte; with another body it is a conflict', async () => {
  const { user, cardId } = await cardholder()
  const event_id = newName('event-')
  const send = (amount: string) => bank.card(cardId, 'authorization', { ...code, event_id, amount })
  const answers = await Promise.all(Array.from({ length: 30 }, () => send('10.00')))
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(answers[0]?.body.status).toBe('approved')
  expect((await send('11.00')).status).toBe(409)
  expect(await spendable(user)).toBe(String(units('90')))
})

test('twenty purchases race for the money of ten', async () => {
  const { user, cardId } = await cardholder()
  const answers = await Promise.all(Array.from({ length: 20 }, () => bank.card(cardId, 'authorization')))
  const denied = answers.filter(({ body }) => body.status === 'denied')
  expect(denied.map(({ body }) => body.denial_code)).toEqual(Array(10).fill('810'))
  expect(await spendable(user)).toBe('0')
  await bank.assertBooks(user)
})

test('the next money repays a debt first', async () => {
  const { user, cardId } = await cardholder('10')
  await bank.card(cardId, 'clearing', { amount: '30.00', ...code })
  expect(await spendable(user)).toBe('0')
  await bank.card(cardId, 'refund', { amount: '15.00', ...code })
  expect(await spendable(user)).toBe('0')
  await bank.deposit(user, units('25'))
  expect(await spendable(user)).toBe(String(units('20')))
  await bank.assertBooks(user)
})

test('a purchase in another currency shows both amounts; a yen has no cents', async () => {
  const { user, cardId } = await cardholder('1000')
  const paid = await bank.card(cardId, 'authorization', { currency: 'JPY', amount: '1500' })
  expect(paid.body.status).toBe('approved')
  const [item] = await cardRows(user)
  expect(item).toMatchObject({ originalAmount: '1500', originalCurrency: 'JPY', originalDecimals: 0, currency: 'EUR' })
  expect(item.transactionCurrency).toMatchObject({ code: 'JPY', decimals: 0 })
  expect(item.billing.billingAmount).toBe(item.amount)
  await bank.assertBooks(user)
  for (const [currency, amount] of [
    ['JPY', '10.5'],
    ['EUR', '1.001'],
    ['EUR', '-1'],
    ['EUR', '1e2'],
    ['EUR', ''],
    ['EUR', 5],
  ]) {
    expect((await bank.card(cardId, 'authorization', { currency, amount })).status, `${amount} ${currency}`).toBe(400)
  }
})
