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

/**
 * Each story starts with 100.00 EUR. It lists the messages, the expected rows and the remaining balance. The messages
 * have the same authorization code, unless a message is `unlinked`.
 */
const stories: [string, Message[], Row[], left: string][] = [
  ['an approved authorization holds its amount', [['authorization', '10.00']], [payment('pending', '1000')], '90'],
  [
    'a partial approval holds the available balance',
    [['authorization', '150.00', { partial_allowed: true }]],
    [payment('pending', '10000')],
    '0',
  ],
  ['a zero-amount check holds nothing', [['authorization', '0.00']], [payment('pending', '0')], '100'],
  [
    'a zero-amount check is canceled by its expiry',
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
    'an increment above the balance changes nothing',
    [
      ['authorization', '10.00'],
      ['incremental', '95.00'],
    ],
    [payment('pending', '1000')],
    '90',
  ],
  [
    'a replacement can raise the total of the hold',
    [
      ['authorization', '10.00'],
      ['replacement', undefined, { replacement_amount: '30.00' }],
    ],
    [payment('pending', '3000')],
    '70',
  ],
  [
    'a replacement can lower the total of the hold',
    [
      ['authorization', '10.00'],
      ['replacement', undefined, { replacement_amount: '4.00' }],
    ],
    [payment('pending', '400')],
    '96',
  ],
  [
    'an advice holds the amount that the network approved',
    [['advice', '20.00', unlinked]],
    [payment('pending', '2000')],
    '80',
  ],
  ['an advice above the balance leaves a debt', [['advice', '120.00', unlinked]], [payment('pending', '12000')], '0'],
  [
    'a partial reversal releases part of the hold',
    [
      ['authorization', '10.00'],
      ['reversal', '4.00'],
    ],
    [payment('pending', '600')],
    '94',
  ],
  [
    'a reversal without an amount releases the whole hold',
    [
      ['authorization', '10.00'],
      ['reversal', undefined, { amount: undefined }],
    ],
    [payment('cancelled', '1000')],
    '100',
  ],
  [
    'a full reversal cancels the card transaction',
    [
      ['authorization', '10.00'],
      ['reversal', '10.00'],
    ],
    [payment('cancelled', '1000')],
    '100',
  ],
  [
    'a clearing of the whole hold settles the card transaction',
    [
      ['authorization', '10.00'],
      ['clearing', '10.00'],
    ],
    [payment('settled', '1000', true)],
    '90',
  ],
  [
    'a final clearing below the hold releases the rest',
    [
      ['authorization', '10.00'],
      ['clearing', '7.00'],
    ],
    [payment('settled', '700', true)],
    '93',
  ],
  [
    'a clearing that is not final leaves the rest held',
    [
      ['authorization', '10.00'],
      ['clearing', '7.00', { final: false }],
    ],
    [payment('pending', '1000', true)],
    '90',
  ],
  [
    'the final one of several clearings settles the card transaction',
    [
      ['authorization', '10.00'],
      ['clearing', '7.00', { final: false }],
      ['clearing', '2.00'],
    ],
    [payment('settled', '900', true)],
    '91',
  ],
  [
    'a clearing that is not final but uses up the hold settles the card transaction',
    [
      ['authorization', '10.00'],
      ['clearing', '10.00', { final: false }],
    ],
    [payment('settled', '1000', true)],
    '90',
  ],
  [
    'a tip above the hold is debited from the balance',
    [
      ['authorization', '10.00'],
      ['clearing', '12.00'],
    ],
    [payment('settled', '1200', true)],
    '88',
  ],
  [
    'a clearing above the hold and the balance leaves a debt',
    [
      ['authorization', '10.00'],
      ['clearing', '130.00'],
    ],
    [payment('settled', '13000', true)],
    '0',
  ],
  [
    'an expiry cancels the card transaction',
    [['authorization', '10.00'], ['expiry']],
    [payment('cancelled', '1000')],
    '100',
  ],
  [
    'an expiry after a partial clearing settles the cleared amount',
    [['authorization', '10.00'], ['clearing', '7.00', { final: false }], ['expiry']],
    [payment('settled', '700', true)],
    '93',
  ],
  [
    'a clearing after the expiry still settles the card transaction',
    [['authorization', '10.00'], ['expiry'], ['clearing', '10.00']],
    [payment('settled', '1000', true)],
    '90',
  ],
  [
    'a clearing after a full reversal still settles the card transaction',
    [
      ['authorization', '10.00'],
      ['reversal', '10.00'],
      ['clearing', '10.00'],
    ],
    [payment('settled', '1000', true)],
    '90',
  ],
  [
    'a clearing without an authorization is debited as a forced clearing',
    [['clearing', '25.00']],
    [payment('settled', '2500', true)],
    '75',
  ],
  [
    'a forced clearing above the balance leaves a debt',
    [['clearing', '125.00']],
    [payment('settled', '12500', true)],
    '0',
  ],
  [
    'a single message settles at once',
    [['single_message', '40.00', unlinked]],
    [payment('settled', '4000', true)],
    '60',
  ],
  [
    'a clearing of a declined authorization is a separate row, and the authorization stays declined',
    [
      ['authorization', '150.00'],
      ['clearing', '20.00'],
    ],
    [payment('declined', '15000'), payment('settled', '2000', true)],
    '80',
  ],
  [
    'a refund is a separate row',
    [
      ['authorization', '10.00'],
      ['clearing', '10.00'],
      ['refund', '6.00'],
    ],
    [payment('settled', '1000', true), row('Refund', 'settled', '600', true)],
    '96',
  ],
  [
    'a refund without a payment is a separate row',
    [['refund', '6.00', unlinked]],
    [row('Refund', 'settled', '600', true)],
    '106',
  ],
  [
    'the reversal of a refund is a separate row',
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
    'the cancellation of a clearing is a separate credit',
    [
      ['authorization', '10.00'],
      ['clearing', '10.00'],
      ['clearing_cancellation', '10.00'],
    ],
    [payment('settled', '1000', true), row('Reversal', 'settled', '1000', true)],
    '100',
  ],
]

describe('every card message leads to the expected statement rows and balance', () => {
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
