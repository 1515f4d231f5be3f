import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, connect } from './client.ts'
import { type Money, money, units } from './money.ts'

let client: Client
let bank: Money
beforeAll(async () => {
  client = await connect()
  bank = await money(client)
})
afterAll(() => client.stop())

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
    const { user, cardId } = await bank.cardholder()
    for (const [type, amount, more] of messages) {
      const answer = await bank.card(cardId, type, { ...code, ...(amount === undefined ? {} : { amount }), ...more })
      expect(answer).toMatchObject({ status: 200 })
    }
    const shown = await bank.cardRows(user)
    const seen = shown.map(({ kind, status, amount, clearedAt }) => row(kind, status, amount, clearedAt !== null))
    expect(seen).toEqual(rows)
    for (const item of shown) expect(item).toMatchObject({ cardId, currency: 'EUR', decimals: 2 })
    expect((await bank.balance(user)).spendable).toBe(String(units(left)))
    await bank.assertBooks(user)
  })
})
