import fc from 'fast-check'
import { expect, test } from 'vitest'
import { messageTypes } from '../../src/cards/transactions/rules.ts'
import { checkUser } from '../../src/money/reconcile/reconcile.ts'
import { seed, timeout, times } from '../support/run/seed.ts'
import { useWorld } from '../support/world.ts'

const { service, world } = useWorld()

const message = fc.record({
  transaction_type: fc.constantFrom(...messageTypes),
  authorization_code: fc.constantFrom('CODE01', 'CODE02', 'CODE03'),
  cents: fc.integer({ min: 0, max: 6000 }),
  final: fc.boolean(),
  partial_allowed: fc.boolean(),
  currency: fc.constantFrom('EUR', 'EUR', 'USD'),
  wholeReversal: fc.boolean(),
  repeat: fc.boolean(),
})

test(`the books balance after each random card message, and a repeated message gets the same response (seed ${seed})`, {
  timeout,
}, async () => {
  let event = 0
  await fc.assert(
    fc.asyncProperty(fc.array(message, { minLength: 5, maxLength: 15 }), async (messages) => {
      const { alice } = await world({ eur: 100, card: true })
      for (const { cents, wholeReversal, repeat, ...rest } of messages) {
        const amount = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`
        const body = {
          ...rest,
          card_id: alice.cardId,
          event_id: `event-${++event}`,
          ...(rest.transaction_type === 'replacement' ? { replacement_amount: amount } : {}),
          ...(rest.transaction_type === 'reversal' && wholeReversal ? {} : { amount }),
        }
        const reply = await service.sandbox('POST', '/transactions', body)
        expect([200, 404, 409, 422], reply.text).toContain(reply.status)
        if (repeat && reply.status === 200) {
          expect((await service.sandbox('POST', '/transactions', body)).text).toBe(reply.text)
        }
        expect(await checkUser(service.ctx, alice.userId)).toEqual([])
      }
    }),
    { seed, numRuns: 25 * times, endOnFailure: true },
  )
})
