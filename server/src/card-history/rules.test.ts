import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countsInFold, foldPayment } from '../cards/transactions/fold.ts'
import { messageTypes } from '../cards/transactions/rules.ts'
import { cardTransactionHistory } from './rules.ts'

type Message = Parameters<typeof cardTransactionHistory>[1][number]

const payment = { authorizationId: 1n, kind: 'Payment', status: 'pending', amountMinor: 0n } as const

const message: fc.Arbitrary<Message> = fc.record({
  messageId: fc.constant('message'),
  source: fc.constant('issuer'),
  eventId: fc.constant('event'),
  authorizationId: fc.constantFrom(1n, 2n),
  type: fc.constantFrom(...messageTypes),
  amount: fc.option(fc.bigInt({ min: -50n, max: 50n })),
  isFinal: fc.boolean(),
  outcome: fc.constantFrom('approved' as const, 'declined' as const, 'deferred' as const),
  declineCode: fc.constant(null),
  at: fc.constant(new Date(0)),
})

test('each step of a card transaction history shows the folded amounts of all messages so far', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
      const own = messages.filter((one) => one.authorizationId === 1n || countsInFold(one))
      const amountsAfter = own.map((_, i) => {
        const { held, settled } = foldPayment(own.slice(0, i + 1).filter(countsInFold))
        return { held, settled }
      })
      const steps = cardTransactionHistory(payment, messages)
      expect(steps.map(({ after }) => after)).toEqual(amountsAfter)
      expect(steps.map(({ before }) => before)).toEqual(
        [{ held: 0n, settled: 0n }, ...amountsAfter].slice(0, own.length),
      )
    }),
  )
})

test('the cost of computing a card transaction history grows with the number of messages, not with its square', () => {
  let reads = 0
  const messages = Array.from(
    { length: 100 },
    (): Message => ({
      messageId: 'message',
      source: 'issuer',
      eventId: 'event',
      authorizationId: 1n,
      type: 'clearing',
      get amount() {
        reads++
        return 1n
      },
      isFinal: false,
      outcome: 'approved',
      declineCode: null,
      at: new Date(0),
    }),
  )
  expect(cardTransactionHistory(payment, messages).at(-1)?.after).toEqual({ held: 0n, settled: 100n })
  // Once for the fold, and once for the step.
  expect(reads).toBeLessThanOrEqual(2 * messages.length)
})
