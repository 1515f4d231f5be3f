import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seed, timeout, times } from '../support/run/seed.ts'
import { sendSigned } from '../support/vendors/issuer.ts'
import { useWorld } from '../support/world.ts'

const { service, world } = useWorld()

const types = {
  authorizations: ['authorization', 'incremental', 'replacement', 'single_message'],
  advices: ['advice'],
  reversals: ['reversal'],
  clearings: ['clearing', 'clearing_cancellation'],
  refunds: ['refund', 'refund_reversal'],
  'card-events': ['blocked', 'unblocked'],
}
const fields = ['type', 'cardId', 'amount', 'currency', 'eventId', 'merchant', 'entryMode', 'isFinal', 'partialAllowed']
const path = fc.constantFrom(...(Object.keys(types) as (keyof typeof types)[]))

test(`random signed messages of the issuer cause no 5xx, move no money when rejected, and keep the books balanced (PROPERTY_SEED=${seed})`, {
  timeout,
}, async () => {
  const { alice } = await world({ eur: 100, card: true })
  const { cardId } = alice
  const odd = fc.oneof(fc.string({ unit: 'binary' }), fc.json({ maxDepth: 2 }), fc.constantFrom(null, -1, {}, []))
  const message = path.chain((path) => {
    const good = fc.record({
      type: fc.constantFrom(...types[path]),
      eventId: fc.constantFrom('1', '2', '3', '4', '5').map((id) => `${path}-${id}`),
      cardId: fc.constant(cardId),
      authorizationCode: fc.constantFrom('CODE01', 'CODE02'),
      networkTransactionId: fc.constantFrom(undefined, 'n1', 'n2'),
      amount: fc.constantFrom('0', '1', '999', '5000', '999999999999999999'),
      currency: fc.constantFrom('EUR', 'EUR', 'EUR', 'JPY', 'XXX'),
      partialAllowed: fc.boolean(),
      isFinal: fc.boolean(),
      occurredAt: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'),
    })
    const spoiled = fc
      .tuple(good, fc.constantFrom(...fields), odd)
      .map(([body, name, value]) => ({ ...body, [name]: value }))
    const body = fc.oneof(good, good, spoiled, odd)
    const text = path === 'clearings' ? fc.oneof(body, fc.array(body, { maxLength: 5 })) : body
    return text.map((body) => ({ path, text: JSON.stringify(body) ?? '' }))
  })

  let before = await alice.money()
  const property = fc.asyncProperty(message, async ({ path, text }) => {
    const answer = await sendSigned(service, path, text)
    expect(answer.status, `${path} ${text}: ${answer.text}`).toBeLessThan(500)
    for (const { status } of answer.body?.results ?? []) expect(status, `${text}: ${answer.text}`).toBeLessThan(500)
    const after = await alice.money()
    if (answer.status >= 400) expect(after).toEqual(before)
    before = after
    await alice.assertBooks()
  })
  await fc.assert(property, { seed, numRuns: 200 * times, endOnFailure: true })
})
