import { describe, expect, test } from 'vitest'
import { messagePaths, sendMessage } from '../support/vendors/issuer.ts'
import { type Person, useWorld } from '../support/world.ts'

/**
 * Sends the stories of a table through the processor's gateway, and checks all postings and all statement items. Each
 * story begins with 100.00 EUR. No story has an authorized refund, because Purser has no card message for one.
 */
const { service, world } = useWorld({ worker: false })

/** `wait` advances the clock until due work has ended the hold. `deny` expects a decline with the given code. */
type Step =
  | [type: string, cents: number, more?: object]
  | ['wait' | 'block the card' | 'cancel the card' | 'close the account']
  | ['deny', code: string, type: string, cents: number]

/** kind, status, isPending, clearedAt, amount. `t` is the time of the newest clearing, `now` that of the row itself. */
type Row = [kind: string, status: string, isPending: boolean, clearedAt: 't' | 'now' | null, amount: number]

const payment = (status: string, amount: number, clearedAt: 't' | null = null): Row => [
  'Payment',
  status,
  status === 'pending',
  clearedAt,
  amount,
]
const refund = (amount: number): Row => ['Refund (credit)', 'settled', false, 'now', amount]
const more = { isFinal: false }

const table: [title: string, steps: Step[], postings: string[], rows: Row[]][] = [
  [
    'an approved authorization holds its amount',
    [['authorization', 1000]],
    ['available→held 1000'],
    [payment('pending', 1000)],
  ],
  [
    'a declined authorization holds nothing',
    [['deny', '810', 'authorization', 10001]],
    [],
    [payment('declined', 10001)],
  ],
  [
    'a partial approval holds the available amount',
    [['authorization', 15000, { partialAllowed: true }]],
    ['available→held 10000'],
    [payment('pending', 10000)],
  ],
  ['a card check of zero holds nothing and stays pending', [['authorization', 0]], [], [payment('pending', 0)]],
  ['a card check of zero is canceled at its expiry', [['authorization', 0], ['wait']], [], [payment('cancelled', 0)]],
  [
    'an approved increment adds to the hold',
    [
      ['authorization', 1000],
      ['incremental', 500],
    ],
    ['available→held 1000', 'available→held 500'],
    [payment('pending', 1500)],
  ],
  [
    'a declined increment leaves the hold unchanged',
    [
      ['authorization', 1000],
      ['deny', '810', 'incremental', 9001],
    ],
    ['available→held 1000'],
    [payment('pending', 1000)],
  ],
  [
    'an advice after a declined authorization opens a new payment, which later messages join',
    [
      ['deny', '810', 'authorization', 20000],
      ['advice', 3000],
      ['clearing', 2500],
    ],
    ['available→held 3000', 'held→network 2500', 'held→available 500'],
    [payment('declined', 20000), payment('settled', 2500, 't')],
  ],
  [
    'clearings after a declined authorization become forced clearings of one payment',
    [
      ['deny', '810', 'authorization', 20000],
      ['clearing', 2000, more],
      ['clearing', 500],
    ],
    ['available→network 2000', 'available→network 500'],
    [payment('declined', 20000), payment('settled', 2500, 't')],
  ],
  [
    'an advice above the available funds puts the shortfall into debt',
    [['advice', 12000]],
    ['available→held 10000', 'debt→held 2000'],
    [payment('pending', 12000)],
  ],
  [
    'a partial reversal releases its part of the hold',
    [
      ['authorization', 1000],
      ['reversal', 300],
    ],
    ['available→held 1000', 'held→available 300'],
    [payment('pending', 700)],
  ],
  [
    'a full reversal before any clearing cancels the payment',
    [
      ['authorization', 1000],
      ['reversal', 1000],
    ],
    ['available→held 1000', 'held→available 1000'],
    [payment('cancelled', 1000)],
  ],
  [
    'a full reversal of a hold in debt repays the debt first',
    [
      ['advice', 12000],
      ['reversal', 12000],
    ],
    ['available→held 10000', 'debt→held 2000', 'held→debt 2000', 'held→available 10000'],
    [payment('cancelled', 12000)],
  ],
  [
    'a final clearing of the whole hold settles the payment',
    [
      ['authorization', 1000],
      ['clearing', 1000],
    ],
    ['available→held 1000', 'held→network 1000'],
    [payment('settled', 1000, 't')],
  ],
  [
    'a final clearing below the hold releases the rest',
    [
      ['authorization', 1000],
      ['clearing', 700],
    ],
    ['available→held 1000', 'held→network 700', 'held→available 300'],
    [payment('settled', 700, 't')],
  ],
  [
    'a clearing with more to come keeps the rest of the hold',
    [
      ['authorization', 1000],
      ['clearing', 700, more],
    ],
    ['available→held 1000', 'held→network 700'],
    [payment('pending', 1000, 't')],
  ],
  [
    'a clearing with more to come settles the payment when it uses up the hold',
    [
      ['authorization', 1000],
      ['clearing', 1000, more],
    ],
    ['available→held 1000', 'held→network 1000'],
    [payment('settled', 1000, 't')],
  ],
  [
    'a clearing above the hold takes available funds, then goes into debt',
    [
      ['authorization', 1000],
      ['clearing', 11000],
    ],
    ['available→held 1000', 'held→network 1000', 'available→network 9000', 'debt→network 1000'],
    [payment('settled', 11000, 't')],
  ],
  [
    'an expiry before any clearing cancels the payment',
    [['authorization', 1000], ['wait']],
    ['available→held 1000', 'held→available 1000'],
    [payment('cancelled', 1000)],
  ],
  [
    'an expiry after a partial clearing settles the payment',
    [['authorization', 1000], ['clearing', 700, more], ['wait']],
    ['available→held 1000', 'held→network 700', 'held→available 300'],
    [payment('settled', 700, 't')],
  ],
  [
    'a clearing after the expiry takes available funds, then goes into debt',
    [['authorization', 1000], ['wait'], ['clearing', 11000]],
    ['available→held 1000', 'held→available 1000', 'available→network 10000', 'debt→network 1000'],
    [payment('settled', 11000, 't')],
  ],
  [
    'a clearing after a full reversal settles the payment',
    [
      ['authorization', 1000],
      ['reversal', 1000],
      ['clearing', 1000],
    ],
    ['available→held 1000', 'held→available 1000', 'available→network 1000'],
    [payment('settled', 1000, 't')],
  ],
  [
    'a forced clearing takes available funds, then goes into debt',
    [['clearing', 11000]],
    ['available→network 10000', 'debt→network 1000'],
    [payment('settled', 11000, 't')],
  ],
  [
    'a single message settles at once',
    [['single_message', 1000]],
    ['available→network 1000'],
    [payment('settled', 1000, 't')],
  ],
  [
    'a single message above the available funds is declined',
    [['deny', '810', 'single_message', 10001]],
    [],
    [payment('declined', 10001)],
  ],
  [
    'a refund with the code of its payment credits the available funds',
    [
      ['authorization', 1000],
      ['clearing', 1000],
      ['refund', 600],
    ],
    ['available→held 1000', 'held→network 1000', 'network→available 600'],
    [payment('settled', 1000, 't'), refund(600)],
  ],
  [
    'a refund without a code repays debt first',
    [
      ['clearing', 11000],
      ['refund', 1500, { authorizationCode: undefined }],
    ],
    ['available→network 10000', 'debt→network 1000', 'network→debt 1000', 'network→available 500'],
    [payment('settled', 11000, 't'), refund(1500)],
  ],
  [
    'a refund is credited to a blocked card, a canceled card and a closed account',
    [['block the card'], ['refund', 100], ['cancel the card'], ['refund', 200], ['close the account'], ['refund', 300]],
    ['network→available 100', 'network→available 200', 'network→available 300'],
    [refund(100), refund(200), refund(300)],
  ],
  [
    'a reversed refund takes available funds, then goes into debt',
    [
      ['refund', 500],
      ['authorization', 10100, { authorizationCode: 'OTHER1' }],
      ['refund_reversal', 450],
    ],
    ['network→available 500', 'available→held 10100', 'available→network 400', 'debt→network 50'],
    [refund(500), payment('pending', 10100), ['Reversal', 'settled', false, 'now', 450]],
  ],
  [
    'a partly canceled clearing repays debt first',
    [
      ['clearing', 11000],
      ['clearing_cancellation', 1500],
    ],
    ['available→network 10000', 'debt→network 1000', 'network→debt 1000', 'network→available 500'],
    [payment('settled', 11000, 't'), ['Reversal (credit)', 'settled', false, 'now', 1500]],
  ],
]

const day = 86_400

async function take(holder: Person, [what, ...rest]: Step): Promise<void> {
  switch (what) {
    case 'wait':
      await service.advance(8 * day)
      return
    case 'block the card':
      return void (await service.sandbox('POST', `/cards/${holder.cardId}/block`, { by: 'issuer' }))
    case 'cancel the card':
      return void (await service.request('POST', `/cards/${holder.cardId}/cancel`, {
        token: await service.signIn(holder.wallet),
      }))
    case 'close the account':
      return void (await service.sandbox('PATCH', `/users/${holder.userId}`, { accountStatus: 'closed' }))
  }
  const [type, cents, extra] = what === 'deny' ? [rest[1], rest[2], {}] : [what, rest[0], rest[1]]
  const message = { cardId: holder.cardId, authorizationCode: 'TABLE1', currency: 'EUR' }
  const answer = await sendMessage(service, messagePaths[String(type)] ?? '', {
    ...message,
    type,
    amount: String(cents),
    ...Object(extra),
  })
  const expected = what === 'deny' ? ['declined', rest[0]] : ['approved', undefined]
  expect([answer.body.outcome, answer.body.declineCode], `${type}: ${answer.text}`).toEqual(expected)
  await holder.assertBooks()
}

/** Returns all postings of card movements, in cents. */
async function postingsOf(user: Person): Promise<string[]> {
  const rows = await service.ctx.db.query<{ text: string }>(
    `select p.from_account || '→' || p.to_account || ' ' || div(p.amount, 10000000000000000) as text
     from posting p join movement m on m.user_id = p.user_id and m.seq = p.movement_seq
     where p.user_id = $1 and m.user_id = $1 and m.kind like 'card_%' order by p.movement_seq, p.line`,
    [user.userId],
  )
  return rows.map(({ text }) => text)
}

async function lastClearing(user: Person): Promise<string | undefined> {
  const [row] = await service.ctx.db.query<{ at: Date | null }>(
    `select max(created_at) as at from card_message where user_id = $1 and type in ('clearing', 'single_message')`,
    [user.userId],
  )
  return row?.at?.toISOString()
}

describe('each card message makes exactly its postings and statement items', () => {
  test.each(table)('%s', async (_title, steps, postings, rows) => {
    const { alice } = await world({ eur: 100, card: true })
    for (const step of steps) await take(alice, step)
    expect(await postingsOf(alice)).toEqual(postings)
    const clearedAt = await lastClearing(alice)
    const shown = await alice.cardRows()
    expect(
      shown.map((row) => [
        `${row.kind}${row.isCredit ? ' (credit)' : ''}`,
        row.status,
        row.isPending,
        row.clearedAt,
        Number(row.amount),
      ]),
    ).toEqual(
      rows.map(([kind, status, isPending, cleared, amount], i) => [
        kind,
        status,
        isPending,
        cleared === 't' ? clearedAt : cleared === 'now' ? shown[i]?.createdAt : null,
        amount,
      ]),
    )
    for (const { transactions, declineReason, status } of shown) {
      expect(transactions).toEqual([])
      expect(declineReason !== null).toBe(status === 'declined')
    }
  })
})

/** Returns everything that a message to the user's card can change. */
async function everything(holder: Person) {
  return { rows: await holder.cardRows(), money: await holder.money(), postings: await postingsOf(holder) }
}

test('a duplicate of any card message gets the stored response, and its event id with another body gets 409 and an alarm', async () => {
  const { alice } = await world({ eur: 100, card: true })
  const story: [string, number, object?][] = [
    ['incremental', 10],
    ['authorization', 1000],
    ['replacement', 2000],
    ['advice', 300],
    ['reversal', 100],
    ['clearing', 500, more],
    ['clearing_cancellation', 50],
    ['clearing_cancellation', 9000],
    ['refund', 200],
    ['refund_reversal', 100],
    ['refund_reversal', 9000],
    ['single_message', 400, { authorizationCode: 'TABLE2' }],
    ['authorization', 99_999, { authorizationCode: 'TABLE3' }],
  ]
  const conflicts = async () => {
    const text = await service.ctx.metrics.registry.metrics()
    return Number(/purser_event_conflicts_total\{source="issuer"\} (\d+)/.exec(text)?.[1] ?? 0)
  }
  const sent: { path: string; message: object; text: string }[] = []
  for (const [i, [type, cents, extra]] of story.entries()) {
    const path = messagePaths[type] ?? ''
    const card = { cardId: alice.cardId, authorizationCode: 'TABLE1', eventId: `${alice.cardId}-${i}` }
    const message = { ...card, type, amount: String(cents), currency: 'EUR', ...extra }
    const { status, text } = await sendMessage(service, path, message)
    expect(status, text).toBe(200)
    sent.push({ path, message, text })
  }
  const before = await everything(alice)
  const alarms = await conflicts()
  for (const { path, message, text } of sent) {
    expect((await sendMessage(service, path, message)).text).toBe(text)
    const other = await sendMessage(service, path, { ...message, amount: '7' })
    expect([other.status, other.body.error]).toEqual([409, 'EVENT_ID_REUSED'])
  }
  expect(await everything(alice)).toEqual(before)
  expect(await conflicts()).toBe(alarms + sent.length)
  await alice.assertBooks()
})
