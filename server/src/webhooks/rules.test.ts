import { describe, expect, test } from 'vitest'
import { eventTypes } from '../events/rules.ts'
import { retryAfterSeconds } from '../platform/net/retry-after.ts'
import {
  decideDelivery,
  envelope,
  eventIdOf,
  isFilter,
  isWanted,
  maxPauseSeconds,
  problemOfEndpointUrl,
  publicId,
} from './rules.ts'

describe('event filters', () => {
  test.each(['*', 'deposit.*', 'card.transaction.*', 'card.*', 'account.balance.changed'])(
    '%s is a valid filter',
    (filter) => {
      expect(isFilter(filter)).toBe(true)
    },
  )
  test.each(['', '**', 'deposit', 'deposit.', 'deposits.*', 'deposit.*.*', '*.approved', 'dep*', '.*'])(
    '%j is not a valid filter',
    (filter) => expect(isFilter(filter)).toBe(false),
  )
  test('a resource’s filter matches all of its events and no others', () => {
    const wanted = (filter: string) => eventTypes.filter((type) => isWanted([filter], type))
    expect(wanted('*')).toEqual([...eventTypes])
    expect(wanted('deposit.*')).toEqual(['deposit.pending', 'deposit.approved', 'deposit.rejected'])
    expect(wanted('card.transaction.*')).toHaveLength(4)
    expect(wanted('card.*').length).toBe(eventTypes.filter((type) => type.startsWith('card.')).length)
    expect(wanted('card.created')).toEqual(['card.created'])
    expect(isWanted([], 'card.created')).toBe(false)
  })
})

describe('the decision after an attempt', () => {
  const response = (status: number, retryAfterSeconds: number | null = null) => ({ status, retryAfterSeconds })
  const noResponse = { status: null, error: 'connection refused' }

  test.each([200, 201, 204, 299])('a response of %i completes the delivery', (status) => {
    expect(decideDelivery(response(status), 1, 0)).toEqual({ kind: 'delivered' })
  })
  test.each([400, 401, 403, 404, 409, 413, 422, 499])('a response of %i makes the delivery a dead letter', (status) => {
    expect(decideDelivery(response(status), 1, 0)).toEqual({ kind: 'dead', isGone: false })
  })
  test('a response of 410 makes the delivery a dead letter and disables the endpoint', () => {
    expect(decideDelivery(response(410), 1, 0)).toEqual({ kind: 'dead', isGone: true })
  })
  test.each([100, 301, 302, 307, 408, 429, 500, 502, 503, 504])('a response of %i schedules a retry', (status) => {
    expect(decideDelivery(response(status), 1, 0.5)).toEqual({ kind: 'retry', afterSeconds: 5 })
  })

  test('a delivery gets thirteen attempts over three days, with growing waits and a jitter of a tenth', () => {
    const waits = (random: number) =>
      Array.from({ length: 12 }, (_, i) => {
        const decision = decideDelivery(noResponse, i + 1, random)
        return decision.kind === 'retry' ? decision.afterSeconds : 0
      })
    const total = (random: number) => waits(random).reduce((sum, wait) => sum + wait, 0) / 86_400
    expect(waits(0.5)).toEqual([...waits(0.5)].sort((a, b) => a - b))
    expect(total(0.5)).toBeGreaterThan(2.9)
    expect(total(0.5)).toBeLessThan(3)
    expect(total(0)).toBeCloseTo(total(0.5) * 0.9, 5)
    expect(total(1)).toBeCloseTo(total(0.5) * 1.1, 5)
    expect(Math.max(...waits(1))).toBeLessThan(maxPauseSeconds)
    expect(decideDelivery(noResponse, 13, 0.5)).toEqual({ kind: 'dead', isGone: false })
  })

  test('Retry-After delays a retry by at most a day and never brings it forward', () => {
    expect(decideDelivery(response(429, 600), 1, 0)).toEqual({ kind: 'retry', afterSeconds: 600 })
    expect(decideDelivery(response(503, 10_000_000), 1, 0)).toEqual({ kind: 'retry', afterSeconds: 86_400 })
    expect(decideDelivery(response(503, 1), 4, 0.5)).toEqual({ kind: 'retry', afterSeconds: 600 })
    expect(['7', '0', '-1', '1e3', 'Wed, 21 Oct 2026 07:28:00 GMT', ''].map(retryAfterSeconds)).toEqual([
      ...[7, 0, null, null, null, null],
    ])
    expect(retryAfterSeconds(null)).toBeNull()
  })
})

test.each([
  ['https://a.example/hook', 'a valid'],
  ['https://a.example:8443/hook?x=1', 'a valid'],
  ['http://a.example/hook', 'an invalid'],
  ['https://a:b@a.example/', 'an invalid'],
  ['https://a.example/#x', 'an invalid'],
  ['file:///etc/passwd', 'an invalid'],
  ['//a.example', 'an invalid'],
])('in production, the URL %s is %s endpoint', (url, expected) => {
  expect(problemOfEndpointUrl(url, false) === null).toBe(expected === 'a valid')
})

describe('the text of an event', () => {
  const eventId = '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a'
  const createdAt = new Date('2026-01-31T09:30:00.000Z')

  test('the text of an event is one JSON object with the user and the fields side by side', () => {
    const of = { userId: 'u', accountId: null, sequence: 7n }
    const text = envelope({ eventId, type: 'deposit.pending', createdAt, fields: '{"id":"d","amount":"1"}', of })
    expect(JSON.parse(text)).toEqual({
      id: 'evt_01a1fc4ef39c748ab04f9ca8209a4d4a',
      type: 'deposit.pending',
      createdAt: '2026-01-31T09:30:00.000Z',
      data: { userId: 'u', accountId: null, sequence: 7, id: 'd', amount: '1' },
    })
    expect(JSON.parse(envelope({ eventId, type: 'deposit.pending', createdAt, fields: '{}', of })).data).toEqual({
      ...{ userId: 'u', accountId: null, sequence: 7 },
    })
    const own = envelope({ eventId, type: 'webhook.endpoint.disabled', createdAt, fields: '{"url":"x"}', of: null })
    expect(JSON.parse(own).data).toEqual({ url: 'x' })
  })

  test('the public id of an event converts back to the internal one', () => {
    expect(eventIdOf(publicId(eventId))).toBe(eventId)
  })
})
