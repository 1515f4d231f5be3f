import { PurserError, type WholeCardTransactionHistory } from '@purser/client'

/** The made-up data of the design page. Long names and numbers show whether a component has room for them. */

const requestId = '7b0c6c1e-8f5d-4a3f-9a55-0f2f3a6f5c11'

export const failure = new PurserError('GET /cards: 502 UPSTREAM_FAILURE', {
  status: 502,
  code: 'UPSTREAM_FAILURE',
  kind: 'unavailable',
  requestId,
  retryable: true,
})

export const rateLimit = new PurserError('GET /cards: 429 RATE_LIMITED', {
  status: 429,
  code: 'RATE_LIMITED',
  kind: 'rate_limit',
  requestId,
  retryable: true,
  retryAfterSeconds: 90,
})

/** A query that once had data, and cannot be refreshed. */
export const stale = {
  data: '€87.50',
  error: failure,
  dataUpdatedAt: Date.parse('2026-01-31T12:03:00.000Z'),
  refetch: () => undefined,
}

export const payments = [
  { id: '1', merchant: 'Trattoria Sole', amount: '2300', status: 'settled' },
  { id: '2', merchant: 'Donaudampfschifffahrtsgesellschaft Passau am Inn', amount: '123456789012', status: 'pending' },
  { id: '3', merchant: 'Corner Shop', amount: '450', status: 'declined' },
] as const

const figures = [4, 9, 7, 0, 12, 16, 11, 3, 8, 14, 21, 18, 9, 13]

export const days = figures.map((value, index) => ({
  day: `2026-01-${String(index + 1).padStart(2, '0')}T00:00:00.000Z`,
  value,
}))

export const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const cardId = '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a'
const token = '0x0000000000000000000000000000000000000001'
const [held, cleared] = ['2026-01-31T09:30:00.000Z', '2026-02-01T04:12:00.000Z']

export const tokens = [{ address: token, symbol: 'EURe', decimals: 18 }]

const message = { source: 'sandbox', isFinal: true, outcome: 'approved', declineReason: null } as const
const unheld = { held: '0', settled: '0' }
const posting = (from: string, to: string, amount: string) => ({
  token,
  from,
  to,
  amount: `${amount}${'0'.repeat(16)}`,
})
const delivery = { endpointId: cardId, attempts: 1, attemptedAt: cleared, nextAttemptAt: null, error: null }

export const history: WholeCardTransactionHistory = {
  transaction: {
    ...{ type: 'card_transaction', id: cardId, kind: 'Payment', status: 'settled', isCredit: false },
    ...{ amount: '2300', currency: 'EUR', decimals: 2 },
  } as WholeCardTransactionHistory['transaction'],
  needsReview: false,
  messages: [
    {
      ...message,
      ...{ messageId: cardId, eventId: '1', type: 'authorization', at: held, amount: '2000' },
      ...{ before: unheld, after: { held: '2000', settled: '0' } },
    },
    {
      ...message,
      ...{ messageId: address, eventId: '2', type: 'clearing', at: cleared, amount: '2300' },
      ...{ before: { held: '2000', settled: '0' }, after: { held: '0', settled: '2300' } },
    },
  ],
  movements: [
    { seq: '1', kind: 'card_authorization', at: held, postings: [posting('available', 'held', '2000')] },
    {
      ...{ seq: '2', kind: 'card_clearing', at: cleared },
      postings: [posting('held', 'network', '2000'), posting('available', 'network', '300')],
    },
  ],
  events: [
    {
      ...{ id: 'evt_01a1fc4ef39c748ab04f9ca8209a4d4a', type: 'card.transaction.settled', createdAt: cleared },
      deliveries: [
        {
          ...delivery,
          ...{ eventId: 'evt_01a1fc4ef39c748ab04f9ca8209a4d4a', type: 'card.transaction.settled' },
          ...{ status: 'delivered', responseStatus: 204, createdAt: cleared },
        },
      ],
    },
  ],
}
