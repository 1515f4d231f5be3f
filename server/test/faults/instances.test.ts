import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addSeconds } from '../../src/lib/clock.ts'
import { requestWithdrawal } from '../../src/money/withdrawals/withdrawals.ts'
import { callerOf, createTestDatabase, startService, type TestService } from '../support/service.ts'
import { eure, type Person, populate } from '../support/world.ts'

const hour = 3600

/** Two instances with workers and clocks two hours apart, and a third with the exact clock for the test to query. */
let connection: TestService['connection']
let exact: TestService
let early: TestService
let late: TestService
beforeAll(async () => {
  connection = await createTestDatabase()
  const shifted = (seconds: number) =>
    startService({
      connection,
      alter: (ctx) => ({ ...ctx, clock: { now: () => addSeconds(ctx.clock.now(), seconds) } }),
    })
  exact = await startService({ connection, worker: false })
  ;[early, late] = await Promise.all([shifted(hour), shifted(-hour)])
})
afterAll(async () => {
  for (const service of [early, late, exact]) await service?.stop()
})

const message = ({ cardId }: Person, type: string, amount: string, eventId: string, code: string) => ({
  transaction_type: type,
  card_id: cardId,
  amount,
  currency: 'EUR',
  event_id: eventId,
  authorization_code: code,
})

/** Sends the same request to both instances at once. */
const toBoth = (body: object) =>
  Promise.all([early, late].map((service) => service.sandbox('POST', '/transactions', body)))

test('two instances whose clocks are an hour fast and an hour slow give one response to each event', {
  tags: ['fault-19'],
}, async () => {
  const { alice } = await populate(exact, { eur: 100, card: true })
  for (let i = 0; i < 5; i++) {
    for (const [type, amount] of [
      ['authorization', '10.00'],
      ['incremental', '2.00'],
      ['clearing', '9.00'],
    ] as const) {
      const [one, other] = await toBoth(message(alice, type, amount, `${type} ${i}`, `CLOCK${i}`))
      expect([one?.status, one?.text]).toEqual([200, other?.text])
    }
  }
  expect(await alice.money()).toEqual({ own: 5500n, held: 0n, network: 4500n })
  expect(await alice.cardLines()).toEqual(Array(5).fill('Payment settled 900'))
  await alice.assertBooks()
})

test('purchases that race across two instances are approved only up to the balance', {
  tags: ['fault-19'],
}, async () => {
  const { alice } = await populate(exact, { eur: 100, card: true })
  const replies = await Promise.all(
    Array.from({ length: 30 }, (_, i) =>
      (i % 2 === 0 ? early : late).sandbox(
        'POST',
        '/transactions',
        message(alice, 'authorization', '10.00', `${i}`, `RACE${10 + i}`),
      ),
    ),
  )
  expect(replies.filter(({ body }) => body.status === 'approved')).toHaveLength(10)
  expect(await alice.money()).toEqual({ own: 0n, held: 10_000n, network: 0n })
  await alice.assertBooks()
})

test('two instances run each payout and each hold expiry once', { tags: ['fault-19'] }, async () => {
  const { alice } = await populate(exact, { eur: 100, card: true })
  const tokenAddress = exact.ctx.config.tokens[0]?.address ?? ''
  const { userId } = alice
  const caller = callerOf(alice.token)
  const request = { tokenAddress, amount: eure(10) }
  await Promise.all(
    [early, late].map(({ ctx }) => ctx.db.transaction((tx) => requestWithdrawal(ctx, tx, caller, request))),
  )
  await alice.send('authorization', '20.00')
  await advanceUntil(async () => {
    const sent = await exact.ctx.db.query<{ status: string }>('select status from withdrawal where user_id = $1', [
      userId,
    ])
    return sent.every(({ status }) => status === 'processing')
  }, 2 * hour)
  const payouts = await exact.ctx.db.query('select nonce from payout_transaction where user_id = $1', [alice.userId])
  expect(payouts).toHaveLength(2)

  // The instance with the fast clock expires the hold up to an hour early. The hold must expire only once.
  await exact.ctx.sandbox?.clock.advance(7 * 24 * hour - 4 * hour)
  await delay(500)
  expect((await alice.money()).held).toBe(2000n)
  await advanceUntil(async () => (await alice.money()).held === 0n, 1.5 * hour)
  expect(await alice.money()).toEqual({ own: 8000n, held: 0n, network: 0n })
  const ends = "select 1 from card_message where user_id = $1 and type = 'expiry'"
  expect(await exact.ctx.db.query(ends, [userId])).toHaveLength(1)
  await alice.assertBooks()
})

/** Advances the shared clock, then waits until the workers have done the expected work. */
async function advanceUntil(isDone: () => Promise<boolean>, seconds: number): Promise<void> {
  await exact.ctx.sandbox?.clock.advance(seconds)
  for (const deadline = performance.now() + 300_000; performance.now() < deadline; await delay(50)) {
    if (await isDone()) return
  }
  throw new Error('the workers did not finish within 300 s')
}
