import { describe, expect, test } from 'vitest'
import { eure, type Person, populate, useWorld } from '../support/world.ts'

const tokens = [
  { address: '0xcB444e90D8198415266c6a2724b7900fb12FC56E', symbol: 'EURe', currency: 'EUR', decimals: 18, chainId: 1 },
  { address: '0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c', symbol: 'EURC', currency: 'EUR', decimals: 6, chainId: 1 },
]

// No worker: the sandbox advances the clock and runs the due work.
const { service, cardholder } = useWorld({ worker: false, env: { TOKENS: JSON.stringify(tokens) } })

const advance = (days: number) => service.advance(days * 86_400)

async function partsOf(holder: Person) {
  return service.ctx.db.query<{ symbol: string; held: bigint; settled: bigint }>(
    `select token, held, settled from card_transaction_part where user_id = $1 order by token desc`,
    [holder.userId],
  )
}

async function needsReview(holder: Person): Promise<boolean[]> {
  const rows = await service.ctx.db.query<{ needsReview: boolean }>(
    'select needs_review as "needsReview" from card_transaction where user_id = $1 order by created_at, card_transaction_id',
    [holder.userId],
  )
  return rows.map((row) => row.needsReview)
}

describe('the order of card messages does not change the result', () => {
  const orders = (n: number): number[][] =>
    n === 0 ? [[]] : orders(n - 1).flatMap((order) => Array.from({ length: n }, (_, i) => order.toSpliced(i, 0, n - 1)))

  const trios: [string, [string, string | null, object?][], { own: bigint; held: bigint; network: bigint }, string][] =
    [
      [
        'an authorization, a partial reversal and a final clearing give the same result in any order',
        [
          ['authorization', '20.00'],
          ['reversal', '5.00'],
          ['clearing', '12.00'],
        ],
        { own: 8800n, held: 0n, network: 1200n },
        'Payment settled 1200',
      ],
      [
        'an authorization, a reversal and a clearing with more to come give the same result in any order',
        [
          ['authorization', '20.00'],
          ['reversal', '5.00'],
          ['clearing', '12.00', { final: false }],
        ],
        { own: 8500n, held: 300n, network: 1200n },
        'Payment pending 1500',
      ],
      [
        'an authorization, an increment and a partial reversal give the same result in any order',
        [
          ['authorization', '20.00'],
          ['incremental', '30.00'],
          ['reversal', '5.00'],
        ],
        { own: 5500n, held: 4500n, network: 0n },
        'Payment pending 4500',
      ],
      [
        'an authorization, an advice and a clearing into debt give the same result in any order',
        [
          ['authorization', '60.00'],
          ['advice', '20.00'],
          ['clearing', '140.00'],
        ],
        { own: -4000n, held: 0n, network: 14_000n },
        'Payment settled 14000',
      ],
    ]

  test.each(trios)('%s', { tags: ['fault-9'] }, async (_name, messages, money, row) => {
    for (const order of orders(3)) {
      const holder = await cardholder()
      for (const i of order) {
        const [type, amount, more] = messages[i] ?? ['', null]
        const reply = await holder.send(type, amount, more)
        expect(reply.body.status, `${type} in order ${order}`).toBe('approved')
      }
      expect(await holder.money(), `order ${order}`).toEqual(money)
      expect(await holder.cardLines(), `order ${order}`).toEqual([row])
    }
  })

  test('a full reversal that arrives before its authorization cancels it', async () => {
    const holder = await cardholder()
    const early = await holder.send('reversal')
    expect(await holder.cardRows()).toEqual([])
    const late = await holder.send('authorization', '20.00')
    expect(late.body).toMatchObject({ status: 'approved', authorization_id: early.body.authorization_id })
    expect(await holder.cardLines()).toEqual(['Payment cancelled 2000'])
    await holder.send('incremental', '5.00')
    expect(await holder.cardLines()).toEqual(['Payment pending 500'])
  })

  test('a second full reversal releases nothing, and no full reversal releases a later increment', async () => {
    for (const order of [
      ['reversal', 'reversal', 'authorization'],
      ['reversal', 'authorization', 'reversal'],
      ['authorization', 'reversal', 'reversal'],
    ]) {
      const holder = await cardholder()
      for (const type of order) await holder.send(type, type === 'authorization' ? '20.00' : null)
      expect(await holder.money(), String(order)).toEqual({ own: 10_000n, held: 0n, network: 0n })
      await holder.send('incremental', '5.00')
      await holder.send('reversal', '2.00')
      expect(await holder.money(), String(order)).toEqual({ own: 9700n, held: 300n, network: 0n })
    }
  })

  test('a full reversal releases the rest of the hold after a clearing', async () => {
    const holder = await cardholder()
    await holder.send('authorization', '20.00')
    await holder.send('clearing', '12.00', { final: false })
    await holder.send('reversal')
    expect(await holder.money()).toEqual({ own: 8800n, held: 0n, network: 1200n })
    expect(await holder.cardLines()).toEqual(['Payment settled 1200'])
    await holder.send('incremental', '5.00')
    expect(await holder.money()).toEqual({ own: 8300n, held: 500n, network: 1200n })
    await holder.send('clearing', '3.00')
    expect(await holder.money()).toEqual({ own: 8500n, held: 0n, network: 1500n })
  })

  test('a replacement that arrives after a clearing but before its authorization gets 404, and holds its total when it is repeated', async () => {
    const holder = await cardholder(200)
    const replace = () => holder.try('replacement', null, { replacement_amount: '150.00', event_id: 'replace' })
    await holder.send('clearing', '30.00', { final: false })
    const early = await replace()
    expect([early.status, early.body.error]).toEqual([404, 'AUTHORIZATION_NOT_FOUND'])
    await holder.send('authorization', '100.00')
    expect((await replace()).body.status).toBe('approved')
    expect(await holder.money()).toEqual({ own: 5000n, held: 12_000n, network: 3000n })
    await holder.assertBooks()
  })

  test('a deferred message goes on waiting when its authorization is declined', async () => {
    const holder = await cardholder(10)
    await holder.send('incremental', '3.00')
    expect((await holder.send('authorization', '50.00')).body.denial_code).toBe('810')
    expect((await holder.send('reversal', '1.00')).body.status).toBe('approved')
    expect((await holder.send('incremental', '3.00')).body.denial_code).toBe('CLO')
    expect(await holder.cardLines()).toEqual(['Payment declined 5000'])
    expect(await holder.money()).toEqual({ own: 1000n, held: 0n, network: 0n })
    await holder.send('advice', '4.00')
    expect(await holder.cardLines()).toEqual(['Payment declined 5000', 'Payment pending 600'])
  })
})

describe('the same money is never spent twice', () => {
  test('10 of 50 concurrent purchases are approved when the balance covers 10', { tags: ['fault-3'] }, async () => {
    const holder = await cardholder(100)
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => holder.try('authorization', '10.00', { authorization_code: undefined })),
    )
    expect(replies.filter(({ status }) => status !== 200)).toEqual([])
    const denied = replies.filter(({ body }) => body.status === 'denied')
    expect(denied.map(({ body }) => body.denial_code)).toEqual(Array(40).fill('810'))
    expect(await holder.money()).toEqual({ own: 0n, held: 10_000n, network: 0n })
    await holder.assertBooks()
  })

  test('an event sent 100 times in parallel makes one hold and one response, and its id with another body is rejected', {
    tags: ['fault-1', 'fault-2'],
  }, async () => {
    const holder = await cardholder(100)
    const more = { event_id: 'event-1', authorization_code: undefined }
    const replies = await Promise.all(Array.from({ length: 100 }, () => holder.try('authorization', '10.00', more)))
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(await holder.money()).toEqual({ own: 9000n, held: 1000n, network: 0n })

    const other = await holder.try('authorization', '10.01', more)
    expect([other.status, other.body]).toEqual([409, { success: false, error: 'EVENT_ID_REUSED' }])
    expect(await holder.money()).toEqual({ own: 9000n, held: 1000n, network: 0n })
    expect(await holder.cardRows()).toHaveLength(1)
    await holder.assertBooks()
  })

  test('a repeated Idempotency-Key gets the same approval or error, and one with another body is rejected', async () => {
    const holder = await cardholder(100)
    const body = { transaction_type: 'authorization', card_id: holder.cardId, amount: '10.00', currency: 'EUR' }
    const send = (key: string, change = {}) =>
      service.sandbox('POST', '/transactions', { ...body, ...change }, { 'idempotency-key': `cards ${key}` })
    const [first, second] = [await send('one'), await send('one')]
    expect(first.body).toMatchObject({ status: 'approved' })
    expect(second.text).toBe(first.text)
    expect(await holder.cardRows()).toHaveLength(1)
    expect((await send('one', { amount: '11.00' })).body.error).toBe('IDEMPOTENCY_KEY_REUSED')
    const unknown = { transaction_type: 'expiry', authorization_code: 'NOBODY' }
    expect((await send('two', unknown)).body.error).toBe('AUTHORIZATION_NOT_FOUND')
    expect((await send('two', unknown)).status).toBe(404)
  })

  test('the whole spendable amount can be spent, and not a cent more', async () => {
    const { alice } = await populate(service, {
      funds: { EURe: eure(10) + eure(0.01) - 1n, EURC: 5_009_999n },
      card: true,
    })
    const balances = await service.request('GET', '/user/balances/v2', { token: alice.token })
    expect(balances.body.data[0].spendable).toBe(String(eure(15)))
    expect((await alice.send('authorization', '15.01', { authorization_code: 'TOMUCH' })).body.denial_code).toBe('810')
    expect((await alice.send('authorization', '15.00')).body.status).toBe('approved')
  })
})

describe('a card draws on several tokens of one currency', () => {
  test('a hold and its clearing draw tokens in configured order, and a release goes in reverse', async () => {
    const { alice } = await populate(service, { funds: { EURe: eure(10), EURC: 10_000_000n }, card: true })
    await alice.send('authorization', '15.00')
    expect(await partsOf(alice)).toMatchObject([
      { held: eure(10), settled: 0n },
      { held: 5_000_000n, settled: 0n },
    ])
    await alice.send('reversal', '7.00')
    expect(await partsOf(alice)).toMatchObject([{ held: eure(8) }, { held: 0n }])
    await alice.send('clearing', '11.00')
    expect(await partsOf(alice)).toMatchObject([
      { held: 0n, settled: eure(10) },
      { held: 0n, settled: 1_000_000n },
    ])
    expect(await alice.money()).toEqual({ own: 900n, held: 0n, network: 1100n })
  })

  test('a shortfall is owed in the first token, and a refund repays that debt first', async () => {
    const { alice } = await populate(service, { funds: { EURe: eure(1), EURC: 2_000_000n }, card: true })
    await alice.send('clearing', '5.00')
    const debts = () =>
      service.ctx.db.query('select token, available, debt from ledger_balance where user_id = $1 order by token desc', [
        alice.userId,
      ])
    expect(await debts()).toMatchObject([{ debt: -eure(2) }, { available: 0n, debt: 0n }])
    await alice.send('refund', '4.50')
    expect(await debts()).toMatchObject([
      { available: eure(0.5), debt: 0n },
      { available: 2_000_000n, debt: 0n },
    ])
  })
})

describe('a debt in one token lowers the spendable amount of its currency', () => {
  async function indebted() {
    const { alice: holder } = await populate(service, { eur: 1, card: true })
    await holder.send('clearing', '5.00', { authorization_code: 'FORCED' })
    await holder.deposit(6_000_000n, { symbol: 'EURC' })
    return holder
  }

  test('a purchase above the available funds less the debt is declined', async () => {
    const holder = await indebted()
    const balances = await service.request('GET', '/user/balances/v2', {
      token: await service.signIn(holder.wallet),
    })
    expect(balances.body.data[0].spendable).toBe(String(eure(2)))
    expect((await holder.send('authorization', '2.01')).body.denial_code).toBe('810')
    const other = { authorization_code: undefined }
    expect((await holder.send('single_message', '2.01', other)).body.denial_code).toBe('810')
    expect((await holder.send('authorization', '2.00', other)).body.status).toBe('approved')
    expect((await holder.send('authorization', '0.01', other)).body.denial_code).toBe('810')
  })

  test('a debt in another token limits increments, replacements and partial approvals', async () => {
    const holder = await indebted()
    const part = await holder.send('authorization', '3.00', { partial_allowed: true })
    expect(part.body).toMatchObject({ status: 'approved', approved_amount: '2.00' })
    await holder.send('reversal', '1.00')
    expect((await holder.send('incremental', '1.01')).body.denial_code).toBe('810')
    expect((await holder.send('replacement', null, { replacement_amount: '2.01' })).body.denial_code).toBe('810')
    expect((await holder.send('replacement', null, { replacement_amount: '2.00' })).body.status).toBe('approved')
  })
})

describe('a hold ends after the hold days of its merchant category', () => {
  test.each([
    ['5999', 7],
    ['7011', 31],
    ['5541', 3],
  ])('a hold at a merchant of category %s ends %i days after the last approval', async (merchant_code, days) => {
    const holder = await cardholder()
    await holder.send('authorization', '10.00', { merchant_code })
    await advance(1)
    await holder.send('incremental', '5.00')
    await advance(days - 0.5)
    expect(await holder.cardLines()).toEqual(['Payment pending 1500'])
    await advance(0.5)
    expect(await holder.cardLines()).toEqual(['Payment cancelled 1500'])
    expect(await holder.money()).toEqual({ own: 10_000n, held: 0n, network: 0n })
    await holder.assertBooks()

    await advance(31)
    await holder.send('clearing', '15.00')
    expect(await holder.cardLines()).toEqual(['Payment settled 1500'])
    expect(await holder.money()).toEqual({ own: 8500n, held: 0n, network: 1500n })
  })

  test('an expired authorization declines increments, and a later advice holds nothing', async () => {
    const holder = await cardholder()
    await holder.send('authorization', '10.00')
    await holder.send('expiry')
    expect((await holder.send('incremental', '1.00')).body).toMatchObject({ status: 'denied', denial_code: 'CLO' })
    expect((await holder.send('replacement', null, { replacement_amount: '20.00' })).body.denial_code).toBe('CLO')
    expect((await holder.send('advice', '5.00')).body.status).toBe('approved')
    expect(await holder.money()).toEqual({ own: 10_000n, held: 0n, network: 0n })
  })
})

describe('a message that the network has decided is always posted', () => {
  test('a clearing of ten times the hold makes the exact debt and opens a review', {
    tags: ['fault-11'],
  }, async () => {
    const holder = await cardholder(50)
    await holder.send('authorization', '20.00')
    expect(await needsReview(holder)).toEqual([false])
    await holder.send('clearing', '200.00')
    expect(await needsReview(holder)).toEqual([true])
    expect(await holder.money()).toEqual({ own: -15_000n, held: 0n, network: 20_000n })
    const [row] = await holder.cardRows()
    expect(row).toMatchObject({ status: 'settled', amount: '20000', originalAmount: '2000', isPending: false })
  })

  test('a tip within the tolerance of the merchant category opens no review', async () => {
    const holder = await cardholder(50)
    await holder.send('authorization', '20.00', { merchant_code: '5812' })
    await holder.send('clearing', '24.00')
    expect(await needsReview(holder)).toEqual([false])
  })

  test('a thousand partial clearings of one authorization never make the hold negative', {
    tags: ['fault-12'],
  }, async () => {
    const holder = await cardholder(100)
    await holder.send('authorization', '9.00')
    for (let i = 0; i < 1000; i++) {
      const reply = await holder.try('clearing', '0.01', { final: false })
      expect(reply.body.status).toBe('approved')
    }
    await holder.assertBooks()
    expect(await holder.money()).toEqual({ own: 9000n, held: 0n, network: 1000n })
    expect(await holder.cardLines()).toEqual(['Payment settled 1000'])
  })

  test('clearings of a declined authorization make one further payment, and the decline stays', async () => {
    const holder = await cardholder(10)
    await holder.send('authorization', '50.00')
    const first = await holder.send('clearing', '20.00', { final: false })
    const second = await holder.send('clearing', '30.00')
    expect(second.body.authorization_id).toBe(first.body.authorization_id)
    expect(await holder.cardLines()).toEqual(['Payment declined 5000', 'Payment settled 5000'])
    expect(await holder.money()).toEqual({ own: -4000n, held: 0n, network: 5000n })
  })

  test('a forced clearing and its late, declined authorization are two card transactions', async () => {
    const holder = await cardholder(10)
    await holder.send('clearing', '5.00', { final: false })
    expect((await holder.send('authorization', '50.00')).body.denial_code).toBe('810')
    expect(await holder.cardLines()).toEqual(['Payment settled 500', 'Payment declined 5000'])
  })

  test('a blocked card declines purchases, but clearings, refunds and reversals are posted even after the account is closed', async () => {
    const holder = await cardholder(50)
    await holder.send('authorization', '20.00')
    await holder.send('authorization', '5.00', { authorization_code: 'OTHER1' })
    await service.sandbox('POST', `/cards/${holder.cardId}/block`, { by: 'issuer' })
    expect((await holder.send('authorization', '1.00', { authorization_code: 'NEW001' })).body.denial_code).toBe('UBT')
    expect((await holder.send('incremental', '1.00')).body.denial_code).toBe('UBT')
    await service.sandbox('PATCH', `/users/${holder.userId}`, { accountStatus: 'closed' })
    await holder.send('clearing', '20.00')
    await holder.send('reversal', null, { authorization_code: 'OTHER1' })
    await holder.send('refund', '30.00')
    expect(await holder.money()).toEqual({ own: 6000n, held: 0n, network: -1000n })
  })

  test('a refund or reversal of a payment shows its merchant and code, and has its own id', async () => {
    const holder = await cardholder(50)
    const paid = await holder.send('authorization', '20.00', { merchant_name: 'Corner Shop', merchant_code: '5411' })
    await holder.send('clearing', '20.00')
    const back = await holder.send('refund', '5.00')
    await holder.send('refund_reversal', '2.00')
    await holder.send('clearing_cancellation', '20.00')
    const rows = await holder.cardRows()
    expect(rows.map(({ kind, status, amount, isCredit }) => `${kind} ${status} ${amount} ${isCredit}`)).toEqual([
      'Payment settled 2000 false',
      'Refund settled 500 true',
      'Reversal settled 200 false',
      'Reversal settled 2000 true',
    ])
    expect(new Set(rows.map(({ authorizationId }) => authorizationId)).size).toBe(4)
    expect(rows.map(({ merchant }) => merchant.name)).toEqual(Array(4).fill('Corner Shop'))
    expect(back.body.authorization_code).toBe(paid.body.authorization_code)
    expect(await holder.money()).toEqual({ own: 5300n, held: 0n, network: -300n })
    for (const [type, amount] of [
      ['clearing_cancellation', '0.01'],
      ['refund_reversal', '3.01'],
    ] as const) {
      expect((await holder.try(type, amount)).body.error).toBe('AMOUNT_EXCEEDS_ORIGINAL')
    }
  })
})

describe('a card pays in other currencies', () => {
  test('the statement shows the billed amount and keeps the original amount and currency', async () => {
    const holder = await cardholder(100)
    await holder.send('authorization', '11.00', { currency: 'USD' })
    await holder.send('clearing', '11.50', { currency: 'USD' })
    const [row] = await holder.cardRows()
    expect(row).toMatchObject({ amount: '1045', currency: 'EUR', originalAmount: '1100', originalCurrency: 'USD' })
  })

  test('a partial approval is reported in the currency of the authorization', async () => {
    const holder = await cardholder(10)
    const { body } = await holder.send('authorization', '50.00', { currency: 'USD', partial_allowed: true })
    expect(body).toMatchObject({ status: 'approved', approved_amount: '11.00' })
    expect(await holder.cardLines()).toEqual(['Payment pending 1000'])
  })

  test('a currency without an exchange rate is rejected, and nothing is stored', async () => {
    const holder = await cardholder(10)
    const reply = await holder.try('authorization', '1.00', { currency: 'XTS' })
    expect([reply.status, reply.body.error]).toEqual([422, 'CURRENCY_NOT_SUPPORTED'])
    expect(await holder.cardRows()).toEqual([])
  })

  test('the simulator lists its exchange rates', async () => {
    const { status, body } = await service.sandbox('GET', '/rates')
    expect(status).toBe(200)
    expect(body.data).toContainEqual({ currency: 'USD', rate: '1.100000' })
  })
})

describe('the simulator rejects invalid messages', () => {
  const base = { transaction_type: 'authorization', amount: '1.00', currency: 'EUR' }

  test.each([
    ['no amount', { amount: undefined }],
    ['no currency', { currency: undefined }],
    ['too many decimals', { amount: '1.001' }],
    ['decimals in a currency that has none', { currency: 'JPY', amount: '1.0' }],
    ['a negative amount', { amount: '-1.00' }],
    ['an amount that is a number', { amount: 1 }],
    ['an unknown type', { transaction_type: 'toString' }],
    ['a code of five letters', { authorization_code: 'ABCDE' }],
    ['a reversal type but no code', { transaction_type: 'reversal' }],
    ['a replacement type but no replacement amount', { transaction_type: 'replacement', authorization_code: 'STORY1' }],
    ['a malformed card id', { card_id: 'card' }],
    ['a malformed merchant category', { merchant_code: '59' }],
  ])('the simulator rejects a message with %s', async (_name, change) => {
    const card_id = '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a'
    const reply = await service.sandbox('POST', '/transactions', { ...base, card_id, ...change })
    expect([reply.status, reply.body.kind]).toEqual([400, 'validation'])
  })

  test('a purchase with an unknown card is declined with one repeatable response, and other messages get 404', async () => {
    const card_id = '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a'
    const send = (change = {}) =>
      service.sandbox('POST', '/transactions', { ...base, card_id, event_id: 'lost', ...change })
    const [first, second] = [await send(), await send()]
    expect(first.body).toMatchObject({ status: 'denied', denial_code: 'FR7', denial_reason: 'Card not found' })
    expect(second.text).toBe(first.text)
    const other = await send({ transaction_type: 'clearing' })
    expect([other.status, other.body.error]).toEqual([404, 'CARD_NOT_FOUND'])
  })

  test('the simulator rejects requests without its password', async () => {
    const reply = await service.request('POST', '/sandbox/transactions', { body: base })
    expect(reply.status).toBe(401)
    expect((await service.request('GET', '/sandbox/rates')).status).toBe(401)
  })
})
