import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sum } from '../../src/lib/money.ts'
import { seed, timeout, times } from '../support/run/seed.ts'
import { sendMessage } from '../support/vendors/issuer.ts'
import { useWorld } from '../support/world.ts'

/** Sends clearings, refunds and their cancellations through the issuer's gateway in any order. */
const { service, world } = useWorld({ worker: false })

const paths = {
  authorization: 'authorizations',
  clearing: 'clearings',
  clearing_cancellation: 'clearings',
  refund: 'refunds',
  refund_reversal: 'refunds',
} as const
type Message = { type: keyof typeof paths; amount: bigint; isFinal?: boolean }

const amount = fc.bigInt({ min: 1n, max: 40n })
const amounts = fc.array(amount, { minLength: 1, maxLength: 3 })
const facts = fc.record({ asked: amount, cleared: amounts, canceled: amounts, refunded: amounts, reversed: amounts })

type Facts = typeof facts extends fc.Arbitrary<infer T> ? T : never

function messagesOf({ asked, cleared, canceled, refunded, reversed }: Facts): Message[] {
  const all = (type: Message['type'], list: readonly bigint[]) => list.map((amount) => ({ type, amount }))
  return [
    { type: 'authorization', amount: asked },
    ...all('clearing', cleared).map((one, i) => ({ ...one, isFinal: i === 0 })),
    ...all('clearing_cancellation', canceled),
    ...all('refund', refunded),
    ...all('refund_reversal', reversed),
  ]
}

/** Returns the amounts that fit into the total, so that every cancellation can be posted. */
function upTo(total: bigint, list: readonly bigint[]): bigint[] {
  let left = total
  return list.filter((amount) => {
    if (amount > left) return false
    left -= amount
    return true
  })
}

async function play(messages: readonly Message[]) {
  const { alice } = await world({ eur: 50, card: true })
  for (const { type, amount, isFinal } of messages) {
    const message = {
      type,
      cardId: alice.cardId,
      authorizationCode: 'ORDER1',
      amount: String(amount),
      currency: 'EUR',
    }
    const { body } = await sendMessage(service, paths[type], {
      ...message,
      ...(isFinal === undefined ? {} : { isFinal }),
    })
    expect(body.outcome).toBe('approved')
    await alice.assertBooks()
  }
  const deferred = await service.ctx.db.query<{ type: string; amount: bigint }>(
    'select type, amount_minor as amount from card_message where user_id = $1 and deferred_message is not null',
    [alice.userId],
  )
  const rows = (await alice.cardRows()).map(({ kind, status, amount, isCredit }) => ({
    kind,
    status,
    amount,
    isCredit,
  }))
  return { money: await alice.money(), rows, deferred }
}

const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).toSorted()

test(`card messages in any order lead to the same balances and statement items (PROPERTY_SEED=${seed})`, {
  timeout,
}, async () => {
  const orders = facts
    .map((all) => {
      const { cleared, canceled, refunded, reversed } = all
      return messagesOf({
        ...all,
        canceled: upTo(sum(cleared), canceled),
        reversed: upTo(sum(refunded), reversed),
      })
    })
    .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })))
  const property = fc.asyncProperty(orders, async ([list, shuffled]) => {
    const [straight, other] = [await play(list), await play(shuffled)]
    expect([straight.deferred, other.deferred]).toEqual([[], []])
    expect(other.money).toEqual(straight.money)
    expect(sorted(other.rows)).toEqual(sorted(straight.rows))
  })
  await fc.assert(property, { seed, numRuns: 12 * times, endOnFailure: true })
})

test(`cancellations never exceed the original amounts, and no message that fits stays deferred (PROPERTY_SEED=${seed})`, {
  timeout,
}, async () => {
  const anyOrder = facts.map(messagesOf).chain((list) => fc.shuffledSubarray(list, { minLength: list.length }))
  const property = fc.asyncProperty(anyOrder, async (messages) => {
    const { rows, deferred } = await play(messages)
    const given = (type: Message['type']) =>
      sum(messages.filter((one) => one.type === type).map(({ amount }) => amount))
    const taken = (isCredit: boolean) =>
      sum(
        rows.filter((row) => row.kind === 'Reversal' && row.isCredit === isCredit).map(({ amount }) => BigInt(amount)),
      )
    const left: Record<string, bigint> = {
      clearing_cancellation: given('clearing') - taken(true),
      refund_reversal: given('refund') - taken(false),
    }
    expect(Object.values(left).every((amount) => amount >= 0n)).toBe(true)
    for (const { type, amount } of deferred) expect(amount).toBeGreaterThan(left[type] ?? 0n)
  })
  await fc.assert(property, { seed, numRuns: 12 * times, endOnFailure: true })
})
