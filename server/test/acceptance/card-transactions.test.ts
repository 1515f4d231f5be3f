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

const spendable = async (user: User) => (await bank.balance(user)).spendable
const code = { authorization_code: 'STORY1' }

test('refunds and clearing cancellations are shown as credits, and payments and refund reversals are not', async () => {
  const { user, cardId } = await bank.cardholder()
  for (const type of ['authorization', 'clearing', 'refund', 'refund_reversal', 'clearing_cancellation']) {
    expect((await bank.card(cardId, type, code)).status, type).toBe(200)
  }
  const rows = await bank.cardRows(user)
  expect(rows.map(({ isCredit }) => isCredit)).toEqual([false, true, false, true])
  expect(new Set(rows.map(({ authorizationCode }) => authorizationCode))).toEqual(new Set(['STORY1']))
  expect(new Set(rows.map(({ authorizationId }) => authorizationId)).size).toBe(4)
})

test('the response to an authorization has the same code and id as its statement item', async () => {
  const { user, cardId } = await bank.cardholder()
  const { body } = await bank.card(cardId, 'authorization', { merchant_name: '  Corner Shop ' })
  expect(body).toEqual({
    status: 'approved',
    authorization_code: expect.stringMatching(/^[A-Z0-9]{6}$/i),
    authorization_id: expect.any(Number),
  })
  const [item] = await bank.cardRows(user)
  expect(item).toMatchObject({ authorizationCode: body.authorization_code, authorizationId: body.authorization_id })
  expect(item.merchant).toMatchObject({ name: 'Corner Shop', country: 'DE', categoryCode: '5999' })
  expect(item).toMatchObject({ originalAmount: '1000', originalCurrency: 'EUR', originalDecimals: 2 })
  expect(item.billing).toMatchObject({ billingAmount: '1000', billingCurrency: { code: 'EUR', decimals: 2 } })
})

test('the response to a partial approval contains the approved amount', async () => {
  const { cardId } = await bank.cardholder()
  const { body } = await bank.card(cardId, 'authorization', { amount: '150.00', partial_allowed: true })
  expect(body).toMatchObject({ status: 'approved', approved_amount: '100.00' })
})

describe('a declined purchase shows the reason', () => {
  const reasons: [string, string, string, (user: User, cardId: string) => Promise<unknown>][] = [
    ['810', 'Insufficient balance', 'an account without funds', async () => {}],
    ['UBT', 'Card is blocked', 'a blocked card', (_user, cardId) => sandboxCard(cardId, 'block', { by: 'issuer' })],
    [
      'FRB',
      'Card not activated',
      'a card that is not active yet',
      (_user, cardId) => sandboxCard(cardId, 'status', { status: 'provisioning' }),
    ],
    [
      'BND',
      'Card is cancelled',
      'a canceled card',
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

  test.each(reasons)(
    'a purchase is declined with code %s and reason "%s" for %s',
    async (denial_code, message, _what, prepare) => {
      const { user, cardId } = await bank.cardholder('0')
      await prepare(user, cardId)
      const { status, body } = await bank.card(cardId, 'authorization')
      expect(status).toBe(200)
      expect(body).toMatchObject({ status: 'denied', denial_code, denial_reason: expect.any(String) })
      const [item] = await bank.cardRows(user)
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
    },
  )

  test('a purchase with an unknown card is declined with code FR7, and other messages for it get 404', async () => {
    const { body } = await bank.card(randomUUID(), 'authorization')
    expect(body).toMatchObject({ status: 'denied', denial_code: 'FR7' })
    for (const type of ['clearing', 'reversal', 'refund', 'incremental', 'expiry']) {
      expect((await bank.card(randomUUID(), type, code)).status, type).toBe(404)
    }
  })
})

test('reversals and increments with an unknown authorization code are deferred, and replacements, expiries, refund reversals and clearing cancellations get 404', async () => {
  const { user, cardId } = await bank.cardholder()
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
  expect(await bank.cardRows(user)).toEqual([])
  await bank.card(cardId, 'authorization', { authorization_code: 'EARLY1' })
  expect(await bank.cardRows(user)).toMatchObject([{ status: 'pending', amount: '1000' }])
  await bank.assertBooks(user)
})

test('an authorization with a code that is already in use gets 409', async () => {
  const { cardId } = await bank.cardholder()
  await bank.card(cardId, 'authorization', code)
  const again = await bank.card(cardId, 'authorization', code)
  expect([again.status, again.body.error]).toEqual([409, 'AUTHORIZATION_CODE_USED'])
})

test('a reversal above the original payment or refund is rejected', async () => {
  const { user, cardId } = await bank.cardholder()
  for (const type of ['authorization', 'clearing', 'refund']) await bank.card(cardId, type, code)
  for (const type of ['clearing_cancellation', 'refund_reversal']) {
    const { status, body } = await bank.card(cardId, type, { ...code, amount: '10.01' })
    expect([status, body.error]).toEqual([422, 'AMOUNT_EXCEEDS_ORIGINAL'])
  }
  await bank.assertBooks(user)
})

test('authorization, clearing and reversal lead to the same balance in any order', async () => {
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
      const { user, cardId } = await bank.cardholder()
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

test('a repeated card message gets the identical response, and its event id with a different body gets 409', async () => {
  const { user, cardId } = await bank.cardholder()
  const event_id = newName('event-')
  const send = (amount: string) => bank.card(cardId, 'authorization', { ...code, event_id, amount })
  const answers = await Promise.all(Array.from({ length: 30 }, () => send('10.00')))
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(answers[0]?.body.status).toBe('approved')
  expect((await send('11.00')).status).toBe(409)
  expect(await spendable(user)).toBe(String(units('90')))
})

test('of twenty purchases that race for a balance covering ten, ten are approved', async () => {
  const { user, cardId } = await bank.cardholder()
  const answers = await Promise.all(Array.from({ length: 20 }, () => bank.card(cardId, 'authorization')))
  const denied = answers.filter(({ body }) => body.status === 'denied')
  expect(denied.map(({ body }) => body.denial_code)).toEqual(Array(10).fill('810'))
  expect(await spendable(user)).toBe('0')
  await bank.assertBooks(user)
})

test('refunds and deposits repay a debt first', async () => {
  const { user, cardId } = await bank.cardholder('10')
  await bank.card(cardId, 'clearing', { amount: '30.00', ...code })
  expect(await spendable(user)).toBe('0')
  await bank.card(cardId, 'refund', { amount: '15.00', ...code })
  expect(await spendable(user)).toBe('0')
  await bank.deposit(user, units('25'))
  expect(await spendable(user)).toBe(String(units('20')))
  await bank.assertBooks(user)
})

test('a purchase in another currency shows both amounts, rounds half up and uses the decimals of each currency', async () => {
  const { user, cardId } = await bank.cardholder('1000')
  const paid = await bank.card(cardId, 'authorization', { currency: 'JPY', amount: '1500' })
  expect(paid.body.status).toBe('approved')
  const [item] = await bank.cardRows(user)
  expect(item).toMatchObject({ originalAmount: '1500', originalCurrency: 'JPY', originalDecimals: 0, currency: 'EUR' })
  expect(item.transactionCurrency).toMatchObject({ code: 'JPY', decimals: 0 })
  expect(item.billing.billingAmount).toBe(item.amount)
  const rates = (await client.sandbox('GET', '/rates')).body.data
  const rate = units(rates.find((each: any) => each.currency === 'JPY').rate)
  expect(item.amount).toBe(String((2n * 1500n * 100n * units('1') + rate) / (2n * rate)))
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
